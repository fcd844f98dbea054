// What `paco study` embeds in its page. Written by src/study/study_page.cpp; change both together.
import type { ProgramTable } from '../shared/table';
import type { ScoreCounts } from '../shared/score_histogram';

export type Show = 'share' | 'count' | 'seconds' | 'microseconds';

interface Chart {
  title: string;
  caption: string;
}

// One value for each method, with its interval, and a value from elsewhere to compare it with.
export interface Bars extends Chart {
  kind: 'bars';
  show: Show;
  axis: string;
  rows: {
    label: string;
    value: number | null;
    low: number | null;
    high: number | null;
    mark: number | null;
    preset: boolean; // the method that is used unless another one is asked for
  }[];
  range: string | null; // what low and high are, if there are any
  mark: string | null; // what the marks are, if there are any
  reference: { value: number; label: string } | null;
}

// Known against novel classes.
export interface Pairs extends Chart {
  kind: 'pairs';
  axis: string;
  rows: { label: string; old: number | null; novel: number | null; preset: boolean }[];
}

export interface Lines extends Chart {
  kind: 'lines';
  show: Show;
  axis: string;
  along: string; // what x is
  ticks: string[] | null; // words along x; null: x is a number
  joined: boolean; // the words have an order, so that lines between them mean something
  preset: string | null; // the tick that is used unless another one is asked for
  range: string | null;
  lines: {
    label: string;
    preset: boolean;
    truth: boolean; // not a method, but what it is compared with
    points: [x: number, y: number, low: number | null, high: number | null][];
  }[];
}

export interface Scores extends Chart, ScoreCounts {
  kind: 'scores';
  axis: string;
}

// Samples between two thresholds.
export interface Dots extends Chart {
  kind: 'dots';
  x: DotAxis;
  y: DotAxis;
  groups: string[];
  points: [x: number, y: number, group: number][];
}
export interface DotAxis {
  name: string;
  low: number;
  high: number;
  threshold: { value: number; label: string } | null;
}

export type AnyChart = Bars | Pairs | Lines | Scores | Dots;

export interface StudyDocument {
  study: string;
  title: string;
  remark: string;
  sets: {
    name: string;
    support: number;
    known: number;
    stream: number;
    classes: number;
    charts: AnyChart[];
  }[];
  tables: (ProgramTable & { caption: string })[];
}
