// What the server answers, as its contract (GET /v1/openapi.json) has it. Numbers that were not computed are null.
export type Verdict = 'known' | 'existing' | 'created' | 'tentative';
export type Attributes = Record<string, string | number | boolean>;

export interface Problem {
  code: string;
  message: string;
  hint: string;
  row?: number;
}

export interface Server {
  version: string;
  user: { name: string; role: 'read' | 'send' | 'operate' };
  tokens: boolean;
  limits: { body: number; upload: number };
  encoder?: { kind: string; encoder: string; dimension: number } | null;
  methods: { name: string; summary: string }[];
}

export interface Stream {
  name: string;
  state: 'calibrating' | 'opening' | 'ready' | 'failed';
  method: string;
  dimension: number;
  samples: number;
  events: number;
  known: number;
  discovered: number;
  retired: number;
  rate: number;
  created: number;
  error: Problem | null;
  progress: { done: number; total: number } | null;
  warnings: number;
  suggestions: number;
}

export interface EvidenceField {
  name: string;
  unit: string;
  meaning: string;
  choices: string[];
}

export interface StreamDetail extends Stream {
  figures: Record<string, unknown>;
  evidence: EvidenceField[];
  operations: string[];
  embeddings_kept: boolean;
  delays: { count: number; p50_ms: number | null; p99_ms: number | null };
  journal: { bytes: number; durability: string };
}

export interface SampleEvent {
  sequence: number;
  event: number;
  category: number;
  name: string;
  verdict: Verdict;
  key: string | null;
  id: string | null;
  score: number | null;
  threshold: number | null;
  picture: boolean;
  attributes?: Attributes;
}

export interface SampleView extends SampleEvent {
  now: number;
  now_name: string;
  prototype: number;
  member_of: number;
  verified?: boolean; // a person said that it belongs where it is
  runner_up: number;
  runner_up_name: string;
  attributes: Attributes;
  cosine?: number;
}

export interface Near {
  category: number;
  name: string;
  cosine: number;
}

export interface SampleDetail extends SampleView {
  evidence: Record<string, number | string | null>;
  explanation: string;
  runner_ups: Near[];
  neighbours: (Near & {
    sequence: number;
    key: string | null;
    id: string | null;
    picture: boolean;
  })[];
}

export interface Face {
  sequence: number;
  key: string | null;
  id: string | null;
  picture: boolean;
  attributes: Attributes;
  verified?: boolean;
  role?: 'middle' | 'newest' | 'edge';
}

export interface Category {
  id: number;
  name: string;
  kind: 'known' | 'discovered';
  promoted: boolean;
  now: number;
  retired: boolean;
  size: number;
  answered: number;
  birth: number | null;
  newest: number | null;
  resultant_length: number | null;
  prototypes: number[];
  verified?: number; // members that people verified
  keywords?: string[];
  suggested_name?: string | null;
  like?: Near | null; // the nearest known class
  faces?: Face[];
}

export interface Part {
  prototype: number;
  size: number;
  birth: number | null;
  resultant_length: number | null;
  reference: boolean;
  competing: boolean;
}

export interface CategoryDetail extends Category {
  parts: Part[];
  nearest: Near[];
}

export interface CategoryPage {
  total: number;
  offset: number;
  event: number;
  categories: Category[];
}

export interface MemberPage {
  total: number;
  members: SampleView[];
  next: number | null;
}

export interface SamplePage {
  total: number;
  samples: SampleView[];
  next: number | null;
}

export interface MapPoint {
  prototype: number;
  category: number;
  name: string;
  x: number;
  y: number;
  size: number;
  known: boolean;
  retired?: boolean;
}

export interface PrototypeMap {
  event: number;
  points: MapPoint[];
  explained: number[];
}

// Some samples in the plane, neighbours near each other.
export interface SamplePoint {
  sequence: number;
  category: number; // as it is today
  name: string;
  verdict: Verdict;
  verified: boolean;
  x: number;
  y: number;
  key: string | null;
  id: string | null;
  picture: boolean;
  attributes?: Attributes;
}

export interface SampleMap {
  points: SamplePoint[];
  samples: number; // of the stream
}

export interface Step {
  from: number;
  count: number;
  verdicts: Record<Verdict, number>;
  choices: Record<string, Record<string, number>>;
  categories: number;
  means: Record<string, number | null>;
}

export interface Series {
  width: number;
  samples: number;
  steps: Step[];
}

export type Operation =
  | { kind: 'rename'; category: number; name: string }
  | { kind: 'merge'; categories: number[]; into: number }
  | { kind: 'separate'; category: number; prototypes: number[]; name?: string }
  | { kind: 'move'; samples: number[]; into: number | 'new'; name?: string }
  | { kind: 'verify'; samples: number[] }
  | { kind: 'promote'; category: number; name?: string }
  | { kind: 'demote' | 'retire' | 'revive'; category: number };

export interface Outcome {
  event: number;
  sequence: number;
  kind: string;
  category: number | null;
  text: string;
  time: number;
  actor: string;
  undoes: number | null;
  undone_by: number | null;
}

export interface Suggestion {
  id: string;
  kind: 'merge' | 'name' | 'look';
  reason: string;
  strength: number;
  operation: Operation | null;
  categories: number[];
  samples: number[];
}

export interface Warning {
  id: string;
  kind: string;
  text: string;
  category: number | null;
  since: number;
}

export interface Advice {
  event: number;
  suggestions: Suggestion[];
  warnings: Warning[];
  names?: Record<string, string>;
}
