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
const waiting: Job[] = [];
let running = 0;

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
  waiting.push(job);
  if (running < together) void next();
}

async function next(): Promise<void> {
  const job = waiting.pop(); // the newest wish is what the reader looks at
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

export function cachedPicture(path: string): string | undefined {
  const url = cache.get(path);
  if (url === undefined) return undefined;
  cache.delete(path);
  cache.set(path, url);
  return url;
}

export function wantPicture(path: string, abort: AbortSignal): Promise<string | null> {
  return new Promise((done) => {
    waiting.push({ path, abort, done });
    if (running < together) void next();
  });
}
