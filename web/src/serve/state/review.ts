// Which questions are still open for this reader, and what a sitting has bought. "No" to a question is kept in this browser; what
// was skipped comes back when the page is opened anew; what was answered is gone until its operation is undone.
import { signal } from '@preact/signals';
import type { Suggestion } from '../api/generated';

const most = 2000; // questions that were answered with no and are kept
const place = (stream: string) => `paco-no-${stream}`;

const skipped = signal<Set<string>>(new Set());
const answered = signal<Map<string, number>>(new Map()); // by the event that the answer made
const declined = signal<Map<string, string[]>>(new Map()); // by stream

export interface Sitting {
  answers: number;
  samples: number; // that people placed, named or confirmed
}
export const sitting = signal<Sitting>({ answers: 0, samples: 0 });

// A question is the same if it asks the same of the same categories and samples.
const key = (stream: string, one: Suggestion) => `${stream} ${one.id}`;

function noes(stream: string): string[] {
  const known = declined.value.get(stream);
  if (known) return known;
  try {
    const kept = JSON.parse(localStorage.getItem(place(stream)) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}

function keepNoes(stream: string, list: string[]): void {
  declined.value = new Map([...declined.value, [stream, list.slice(-most)]]);
  try {
    localStorage.setItem(place(stream), JSON.stringify(list.slice(-most)));
  } catch {
    // A browser that keeps nothing: until the page is closed.
  }
}

export const decline = (stream: string, one: Suggestion): void =>
  keepNoes(stream, [...noes(stream), one.id]);

export function skip(stream: string, one: Suggestion): void {
  skipped.value = new Set([...skipped.value, key(stream, one)]);
}

export function answer(stream: string, one: Suggestion, event: number, samples: number): void {
  answered.value = new Map([...answered.value, [key(stream, one), event]]);
  const { answers, samples: before } = sitting.value;
  sitting.value = { answers: answers + 1, samples: before + samples };
}

// How many were put aside: skipped, or answered with no.
export const putAside = (stream: string): number =>
  [...skipped.value].filter((one) => one.startsWith(`${stream} `)).length + noes(stream).length;

export function bringBack(stream: string): void {
  skipped.value = new Set([...skipped.value].filter((one) => !one.startsWith(`${stream} `)));
  keepNoes(stream, []);
}

const rank: Record<string, number> = { merge: 0, name: 1, look: 2 };

// What is still to be asked, merges first, as the server ranked them; `event` is how far it had read when it said so.
export function openQuestions(stream: string, event: number, all: Suggestion[]): Suggestion[] {
  const no = new Set(noes(stream));
  return all
    .filter((one) => {
      const done = answered.value.get(key(stream, one));
      return (
        !no.has(one.id) &&
        !skipped.value.has(key(stream, one)) &&
        (done === undefined || done < event - 1)
      );
    })
    .sort((a, b) => (rank[a.kind] ?? 3) - (rank[b.kind] ?? 3));
}
