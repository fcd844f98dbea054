// The stream that is looked at, kept up to date by its events: what it is, and its newest samples. One at a
// time; screens read the signals.
//
// A fast stream would drown the page: beyond `fast` samples a second only births are followed, and the signals change at
// most four times a second whatever arrives. A hidden page follows nothing, and catches up when it is looked at again.
//
// While the server opens the stream again after a restart, all that was in sight stays.
import { batch, computed, signal } from '@preact/signals';
import { get, Refusal, silentSince, streamPath } from '../api/client';
import type { Following, LiveState } from '../api/live';
import { followShared } from '../api/shared_events';
import type { Outcome, Problem, SampleEvent, Stream, StreamDetail } from '../api/generated';

const fast = 300;
const keptSamples = 60;
const caughtUp = 200; // events that a page which was hidden reads; more than that it asks for as they are now

export const name = signal<string | null>(null);
export const detail = signal<StreamDetail | null>(null);
export const problem = signal<Problem | null>(null);
export const liveState = signal<LiveState>('connecting');
export const recent = signal<SampleEvent[]>([]);
export const onlyBirths = signal(false);
// Changes with every operation, and at most every other second with new samples: what lists are asked for again by.
export const version = signal(0);
// Changes only with operations, for what samples alone do not change.
export const operationVersion = signal(0);

export const ready = computed(() => detail.value?.state === 'ready');
// The server was started anew and opens the journal; `detail` is from before.
export const reopening = signal(false);
export const supports = (operation: string): boolean =>
  detail.value?.operations?.includes(operation) ?? false;

let following: Following | null = null;
let arrived: SampleEvent[] = [];
let status: Stream | null = null;
let timers: number[] = [];
let endVisibility = (): void => undefined;
let seenEvents = -1;
let generation = 0;
let missedFrom: number | null = null; // the event at which a hidden page stopped
let asked = 0; // questions about the stream so far ...
let answered = 0; // ... and the newest of them that has its answer

// What the server says of the stream. False: it is not ready again.
function take<T extends Stream>(value: T): boolean {
  const again = value.state === 'opening' && ready.value;
  if (reopening.value && !again) {
    ++version.value;
    ++operationVersion.value;
  }
  reopening.value = again;
  if (!again) detail.value = { ...detail.value!, ...value };
  return !again;
}

function flush(): void {
  if (!arrived.length && !status) return;
  batch(() => {
    if (arrived.length) {
      const newest = recent.value[0]?.sequence ?? -1;
      const fresh = arrived.filter((sample) => sample.sequence > newest).reverse();
      recent.value = [...fresh, ...recent.value].slice(0, keptSamples);
      arrived = [];
    }
    if (status && detail.value) take(status);
    status = null;
  });
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
      take(value);
      problem.value = null;
    });
  } catch (error) {
    if (mine !== generation || !(error instanceof Refusal)) return;
    if (error.status !== 0 && error.retryAfter === null) problem.value = error.problem;
  }
}

function listen(stream: string, from: number | null): void {
  following = followShared(
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
  missedFrom = null;
  endVisibility();
  timers.forEach((timer) => window.clearInterval(timer));
  timers = [];
  arrived = [];
  status = null;
  seenEvents = -1;
  batch(() => {
    name.value = null;
    detail.value = null;
    problem.value = null;
    recent.value = [];
    onlyBirths.value = false;
    reopening.value = false;
    liveState.value = 'connecting';
  });
}

// What came while the page did not listen fills the list.
async function fill(stream: string, mine: number): Promise<void> {
  if (!detail.value?.samples || detail.value.samples - 1 === recent.value[0]?.sequence) return;
  const page = await get<{ samples: SampleEvent[] }>(
    streamPath(stream, '/samples?order=newest&limit=30'),
  ).catch(() => null);
  if (mine !== generation || !page) return;
  const bySequence = new Map([...recent.value, ...page.samples].map((one) => [one.sequence, one]));
  recent.value = [...bySequence.values()]
    .sort((a, b) => b.sequence - a.sequence)
    .slice(0, keptSamples);
}

// Events go on exactly where the list ends.
async function begin(stream: string, mine: number): Promise<void> {
  await load(stream, mine);
  const known = detail.value;
  await fill(stream, mine);
  if (mine === generation && !document.hidden)
    listen(stream, known?.state === 'ready' ? known.events : null);
}

// A page that nobody looks at holds no connection.
function hide(stream: string): void {
  if (document.hidden) {
    missedFrom = following?.next ?? null;
    following?.stop();
    following = null;
  } else if (!following && name.value === stream) {
    const mine = generation;
    void load(stream, mine).then(() => {
      if (mine !== generation || following || document.hidden) return;
      const events = detail.value?.state === 'ready' ? detail.value.events : null;
      const near = events !== null && missedFrom !== null && events - missedFrom <= caughtUp;
      listen(stream, near ? missedFrom : events);
      ++version.value;
      ++operationVersion.value;
    });
  }
}

export function enterStream(stream: string): void {
  if (name.peek() === stream) return;
  leaveStream();
  const mine = generation;
  name.value = stream;
  void begin(stream, mine);
  const onVisibility = () => hide(stream);
  document.addEventListener('visibilitychange', onVisibility);
  endVisibility = () => document.removeEventListener('visibilitychange', onVisibility);
  timers = [
    window.setInterval(flush, 250),
    window.setInterval(touch, 2000),
    window.setInterval(() => fitKinds(stream), 2000),
    window.setInterval(() => {
      // Delays and figures are not part of the status; progress of a calibration is polled.
      const waiting = !ready.value || reopening.value || liveState.value !== 'live';
      const changing = waiting || detail.value?.rate;
      if (!document.hidden && silentSince.value === null && changing) void load(stream, mine);
    }, 2000),
  ];
}
