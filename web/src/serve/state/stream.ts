// The stream that is looked at, kept up to date by its events: what it is, its newest samples, how fast it flows. One at a
// time; screens read the signals.
//
// A fast stream would drown the page: beyond `fast` samples a second only births are followed, and the signals change at
// most four times a second whatever arrives.
import { batch, computed, signal } from '@preact/signals';
import { get, Refusal, silentSince, streamPath } from '../api/client';
import { follow, type Following, type LiveState } from '../api/live';
import type { Outcome, Problem, SampleEvent, Stream, StreamDetail } from '../api/types';

const fast = 300;
const keptSamples = 60;
const keptTicks = 180;

export interface Tick {
  time: number; // milliseconds
  rate: number; // samples a second since the tick before
  births: number; // since the tick before
  p50: number | null;
  p99: number | null;
}

export const name = signal<string | null>(null);
export const detail = signal<StreamDetail | null>(null);
export const problem = signal<Problem | null>(null);
export const liveState = signal<LiveState>('connecting');
export const recent = signal<SampleEvent[]>([]);
export const ticks = signal<Tick[]>([]);
export const onlyBirths = signal(false);
// Changes with every operation, and at most every other second with new samples: what lists are asked for again by.
export const version = signal(0);
// Changes only with operations, for what samples alone do not change.
export const operationVersion = signal(0);

export const ready = computed(() => detail.value?.state === 'ready');
export const supports = (operation: string): boolean =>
  detail.value?.operations?.includes(operation) ?? false;

let following: Following | null = null;
let arrived: SampleEvent[] = [];
let status: Stream | null = null;
let timers: number[] = [];
let counted: { time: number; samples: number; births: number } | null = null;
let seenEvents = -1;
let generation = 0;
let asked = 0; // questions about the stream so far ...
let answered = 0; // ... and the newest of them that has its answer

function flush(): void {
  if (!arrived.length && !status) return;
  batch(() => {
    if (arrived.length) {
      const newest = recent.value[0]?.sequence ?? -1;
      const fresh = arrived.filter((sample) => sample.sequence > newest).reverse();
      recent.value = [...fresh, ...recent.value].slice(0, keptSamples);
      arrived = [];
    }
    if (status && detail.value) detail.value = { ...detail.value, ...status };
    status = null;
  });
}

function tick(): void {
  const now = detail.value;
  if (!now || liveState.value !== 'live') {
    counted = null;
    return;
  }
  const time = Date.now();
  const births = now.discovered;
  if (counted) {
    const seconds = (time - counted.time) / 1000;
    const one: Tick = {
      time,
      rate: Math.max(0, (now.samples - counted.samples) / seconds),
      births: Math.max(0, births - counted.births),
      p50: now.delays?.p50_ms ?? null,
      p99: now.delays?.p99_ms ?? null,
    };
    ticks.value = [...ticks.value.slice(1 - keptTicks), one];
  }
  counted = { time, samples: now.samples, births };
}

function touch(): void {
  const events = detail.value?.events ?? -1;
  if (events === seenEvents) return;
  seenEvents = events;
  ++version.value;
}

async function load(stream: string, mine: number): Promise<void> {
  const question = ++asked;
  try {
    const value = await get<StreamDetail>(streamPath(stream));
    if (mine !== generation || question < answered) return;
    answered = question;
    batch(() => {
      detail.value = value;
      problem.value = null;
    });
  } catch (error) {
    if (mine !== generation || !(error instanceof Refusal)) return;
    if (error.status !== 0 && error.status !== 503) problem.value = error.problem;
  }
}

function listen(stream: string, from: number | null): void {
  following = follow(
    stream,
    { kinds: `${onlyBirths.value ? 'created' : 'sample'},operation,status`, from },
    (kind, data) => {
      if (kind === 'operation') {
        const outcome = data as Outcome;
        batch(() => {
          ++version.value;
          ++operationVersion.value;
          if (detail.value) detail.value = { ...detail.value, events: outcome.event + 1 };
        });
        void load(stream, generation);
      } else if (kind === 'status') {
        status = data as Stream;
      } else {
        arrived.push(data as SampleEvent);
        if (arrived.length > keptSamples) arrived.shift();
      }
    },
    (state) => {
      // Back again: whatever happened meanwhile is asked for.
      const mine = generation;
      if (state === 'live') void load(stream, mine).then(() => fill(stream, mine));
      liveState.value = state;
    },
  );
}

// Fewer kinds of events for a fast stream, all again when it has calmed down.
function fitKinds(stream: string): void {
  const rate = detail.value?.rate ?? 0;
  const wanted = onlyBirths.value ? rate > fast / 2 : rate > fast;
  if (wanted === onlyBirths.value || !following) return;
  onlyBirths.value = wanted;
  const from = following.next;
  following.stop();
  listen(stream, from);
}

export function leaveStream(): void {
  ++generation;
  following?.stop();
  following = null;
  timers.forEach((timer) => window.clearInterval(timer));
  timers = [];
  arrived = [];
  status = null;
  counted = null;
  seenEvents = -1;
  batch(() => {
    name.value = null;
    detail.value = null;
    problem.value = null;
    recent.value = [];
    ticks.value = [];
    onlyBirths.value = false;
    liveState.value = 'connecting';
  });
}

// What came before the page was opened fills the list.
async function fill(stream: string, mine: number): Promise<void> {
  if (!detail.value?.samples || recent.value.length) return;
  const page = await get<{ samples: SampleEvent[] }>(
    streamPath(stream, '/samples?order=newest&limit=30'),
  ).catch(() => null);
  if (mine === generation && !recent.value.length) recent.value = page?.samples ?? [];
}

// Events go on exactly where the list ends.
async function begin(stream: string, mine: number): Promise<void> {
  await load(stream, mine);
  const known = detail.value;
  await fill(stream, mine);
  if (mine === generation) listen(stream, known?.state === 'ready' ? known.events : null);
}

export function enterStream(stream: string): void {
  if (name.peek() === stream) return;
  leaveStream();
  const mine = generation;
  name.value = stream;
  void begin(stream, mine);
  timers = [
    window.setInterval(flush, 250),
    window.setInterval(tick, 1000),
    window.setInterval(touch, 2000),
    window.setInterval(() => fitKinds(stream), 2000),
    window.setInterval(() => {
      // Delays and figures are not part of the status; progress of a calibration is polled.
      const changing = detail.value?.state !== 'ready' || ticks.value.at(-1)?.rate;
      if (!document.hidden && silentSince.value === null && changing) void load(stream, mine);
    }, 2000),
  ];
}
