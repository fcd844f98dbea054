// What the reader does to a stream, and what came of it: every operation ends in a notice, with the way back or the reason.
import { signal } from '@preact/signals';
import { pause, query, Refusal, send, streamPath } from '../api/client';
import type { Operation, Outcome, Problem } from '../api/generated';
import { operationVersion, version } from './stream';
import { sentence, tookBack } from './words';

export interface Notice {
  id: number;
  text: string;
  problem?: Problem;
  event?: number; // of the operation that it tells of
  undo?: () => void;
  again?: boolean; // it tells of an undo, so that its undo is to do it again
}

export const notices = signal<Notice[]>([]);
let nextNotice = 0;

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

// An operation that is undone or done again from elsewhere: what its notice offers would be refused.
const settle = (event: number): void => {
  notices.value = notices.value.filter((notice) => notice.event !== event);
};

export function notify(notice: Omit<Notice, 'id'>): void {
  const id = ++nextNotice;
  notices.value = [...notices.value.slice(-2), { ...notice, id }];
  window.setTimeout(() => dismiss(id), notice.problem ? 14_000 : 8_000);
}

export function asProblem(error: unknown): Problem {
  return error instanceof Refusal
    ? error.problem
    : { code: 'internal', message: String(error), hint: '' };
}

function changed(): void {
  ++version.value;
  ++operationVersion.value;
}

// A request whose answer got lost may be sent again: the server knows it by its key.
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((x) => x.toString(16).padStart(2, '0')).join('');
const tries = 4;

async function insist(request: (key: string) => Promise<Outcome>): Promise<Outcome> {
  const key = newKey();
  for (let i = 1; ; ++i) {
    try {
      return await request(key);
    } catch (error) {
      const passing = error instanceof Refusal && (error.status === 0 || error.retryAfter !== null);
      if (!passing || i === tries) throw error;
      await pause(1000 * ((error as Refusal).retryAfter ?? i), new AbortController().signal);
    }
  }
}

async function run(request: (key: string) => Promise<Outcome>, what: string, stream: string) {
  try {
    const outcome = await insist(request);
    changed();
    if (outcome.undoes !== null) settle(outcome.undoes);
    notify({
      text: sentence(outcome.text),
      event: outcome.event,
      again: tookBack(outcome.text) % 2 === 1,
      undo: () => void undo(stream, outcome.event),
    });
    return outcome;
  } catch (error) {
    notify({ text: `${what} was refused`, problem: asProblem(error) });
    return null;
  }
}

const nouns: Record<string, string> = {
  rename: 'The new name',
  merge: 'The merge',
  separate: 'The separation',
  move: 'The move',
  verify: 'Confirming',
  promote: 'The promotion',
  demote: 'The demotion',
  retire: 'Retiring',
  revive: 'Reviving',
};

// Null if it was refused; a notice has said why.
export const perform = (stream: string, operation: Operation): Promise<Outcome | null> =>
  run(
    (key) => send<Outcome>('POST', streamPath(stream, '/operations'), { ...operation, key }),
    nouns[operation.kind],
    stream,
  );

export const undo = (stream: string, event: number): Promise<Outcome | null> =>
  run(
    (key) =>
      send<Outcome>('POST', streamPath(stream, `/operations/${event}/undo`) + query({ key })),
    'Undo',
    stream,
  );

// The categories that are picked, with what the bar says of them.
export interface Picked {
  id: number;
  name: string;
  size: number;
  kind: 'known' | 'discovered';
}
export const picked = signal<Map<number, Picked>>(new Map());

export function togglePicked(one: Picked): void {
  const next = new Map(picked.value);
  if (!next.delete(one.id)) next.set(one.id, one);
  picked.value = next;
}

export function addPicked(several: Picked[]): void {
  picked.value = new Map([...picked.value, ...several.map((one) => [one.id, one] as const)]);
}

export const clearPicked = (): void => {
  if (picked.value.size) picked.value = new Map();
};
