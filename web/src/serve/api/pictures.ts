// Pictures of samples, fetched with the reader's token and shown as blobs. The newest few hundred are kept; a few are on
// their way at a time, and those that left the screen before their turn are never asked for. While the server is away or busy
// they wait.
import { fetchFrom, pause, Refusal, streamPath } from './client';

const kept = 600;
const together = 6;
const cache = new Map<string, string>(); // by path, the longest unused first
interface Job {
  path: string;
  abort: AbortSignal;
  done: (url: string | null) => void;
}
// What was wished for together is fetched in order, from the top; what was wished for last comes first, because the reader looks
// at it.
const waiting: Job[][] = [];
let open: Job[] | null = null; // the wishes of this moment
let running = 0;

function wish(job: Job): void {
  if (!open) {
    open = [];
    waiting.push(open);
    setTimeout(() => (open = null));
  }
  open.push(job);
}

function take(): Job | undefined {
  while (waiting.length && !waiting.at(-1)!.length && waiting.at(-1) !== open) waiting.pop();
  return [...waiting].reverse().find((jobs) => jobs.length)?.shift();
}

function remember(path: string, url: string): void {
  cache.set(path, url);
  if (cache.size <= kept) return;
  const [oldest, stale] = cache.entries().next().value as [string, string];
  cache.delete(oldest);
  URL.revokeObjectURL(stale);
}

async function again(job: Job, seconds: number): Promise<void> {
  await pause(1000 * seconds, job.abort);
  if (job.abort.aborted) return;
  wish(job);
  if (running < together) void next();
}

async function next(): Promise<void> {
  const job = take();
  if (!job) return;
  if (job.abort.aborted) return next();
  ++running;
  try {
    const blob = await (await fetchFrom(job.path, { signal: job.abort })).blob();
    const url = URL.createObjectURL(blob);
    remember(job.path, url);
    job.done(url);
  } catch (error) {
    const soon = error instanceof Refusal && (error.status === 0 || error.retryAfter !== null);
    if (!soon) job.done(null);
    else void again(job, error.retryAfter ?? 2);
  } finally {
    --running;
    void next();
  }
}

export const picturePath = (stream: string, sequence: number): string =>
  streamPath(stream, `/samples/${sequence}/picture`);

// Of what a known class was calibrated on.
export const examplePath = (stream: string, category: number, position: number): string =>
  streamPath(stream, `/categories/${category}/support/${position}`);

export function cachedPicture(path: string): string | undefined {
  const url = cache.get(path);
  if (url === undefined) return undefined;
  cache.delete(path);
  cache.set(path, url);
  return url;
}

export function wantPicture(path: string, abort: AbortSignal): Promise<string | null> {
  return new Promise((done) => {
    wish({ path, abort, done });
    if (running < together) void next();
  });
}
