// What the reader does to a stream, and what came of it: every operation ends in a notice, with the way back or the reason.
import { signal } from '@preact/signals';
import { Refusal, send, streamPath } from '../api/client';
import type { Operation, Outcome, Problem } from '../api/types';
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

async function run(request: () => Promise<Outcome>, what: string, stream: string) {
  try {
    const outcome = await request();
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
    () => send<Outcome>('POST', streamPath(stream, '/operations'), operation),
    nouns[operation.kind],
    stream,
  );

export const undo = (stream: string, event: number): Promise<Outcome | null> =>
  run(() => send<Outcome>('POST', streamPath(stream, `/operations/${event}/undo`)), 'Undo', stream);

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
