// Photos and texts on their way to the server, a few at a time: as examples of a new stream, or as samples of one. What cannot be
// read is left out and named.
import { signal } from '@preact/signals';
import { pause, query, Refusal, send, server, streamPath } from '../api/client';
import type { Example, Found } from './examples';

const together = 16; // in one request ...
const bytesTogether = 12_000_000; // ... and no more than this

export interface Progress {
  done: number;
  total: number;
}
type LeftOut = Found['leftOut'];

async function contentOf(example: Example): Promise<Record<string, string>> {
  if (example.text !== undefined) return { text: example.text };
  const reader = new FileReader();
  const url = await new Promise<string>((done, fail) => {
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(example.file!);
  });
  return { image: url.slice(url.indexOf(',') + 1) };
}

function* batches(examples: Example[]): Generator<Example[]> {
  let batch: Example[] = [];
  let bytes = 0;
  for (const one of examples) {
    const size = one.file?.size ?? one.text!.length;
    if (batch.length && (batch.length === together || bytes + size > bytesTogether)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(one);
    bytes += size;
  }
  if (batch.length) yield batch;
}

// Sends them with `post`, which takes a whole batch or names the one at fault. A server that is busy or away is asked again.
async function sendAll(
  examples: Example[],
  post: (samples: Record<string, unknown>[], isFirst: boolean) => Promise<unknown>,
  content: (example: Example) => Record<string, string>,
  onProgress: (progress: Progress) => void,
  abort: AbortSignal,
): Promise<LeftOut> {
  const leftOut: LeftOut = [];
  let done = 0;
  let isFirst = true;
  const most = server.value?.limits.image ?? Infinity;
  const fitting = examples.filter(({ name, file }) => {
    if (!file || file.size <= most) return true;
    leftOut.push({ name, why: `it has more than ${Math.round(most / 2 ** 20)} MB` });
    return false;
  });
  for (const whole of batches(fitting)) {
    let batch = whole;
    while (batch.length) {
      if (abort.aborted) return leftOut;
      const samples: Record<string, unknown>[] = [];
      for (const one of batch) samples.push({ ...(await contentOf(one)), ...content(one) });
      try {
        await post(samples, isFirst);
        isFirst = false;
        break;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.status === 0 || error.retryAfter !== null) {
          await pause(1000 * (error.retryAfter ?? 2), abort);
          continue;
        }
        const row = error.problem.row;
        if (row === undefined || !batch[row]) throw error;
        const why = error.problem.message.replace(/^sample \d+:? ?/, '');
        leftOut.push({ name: batch[row].name, why });
        batch = batch.filter((_, i) => i !== row);
      }
    }
    done += whole.length;
    onProgress({ done, total: fitting.length });
  }
  return leftOut;
}

export const sendExamples = (
  stream: string,
  examples: Example[],
  onProgress: (progress: Progress) => void,
  abort: AbortSignal,
): Promise<LeftOut> =>
  sendAll(
    examples,
    (samples, isFirst) =>
      send('POST', streamPath(stream, '/support/samples') + query({ anew: isFirst ? 1 : undefined }), {
        samples,
      }),
    ({ label }) => ({ label }),
    onProgress,
    abort,
  );

// What is on its way to a stream as samples, whatever screen the reader is on.
export interface Sending extends Progress {
  stream: string;
  leftOut: LeftOut;
  problem: Refusal['problem'] | null;
  ended: boolean;
}
export const sending = signal<Sending | null>(null);
let stopSending = new AbortController();

// `before`: what was left out on the way here.
export async function sendSamples(
  stream: string,
  examples: Example[],
  before: LeftOut = [],
): Promise<void> {
  stopSending.abort();
  const { signal: abort } = (stopSending = new AbortController());
  const start = { stream, done: 0, total: examples.length, leftOut: before, problem: null };
  sending.value = { ...start, ended: false };
  const update = (change: Partial<Sending>) => {
    if (!abort.aborted) sending.value = { ...sending.value!, ...change };
  };
  try {
    const leftOut = await sendAll(
      examples,
      (samples) => send('POST', streamPath(stream, '/samples') + query({ brief: 1 }), { samples }),
      ({ name }) => ({ key: name, id: name }),
      update,
      abort,
    );
    update({ leftOut: [...before, ...leftOut], ended: true });
  } catch (error) {
    const problem =
      error instanceof Refusal
        ? error.problem
        : { code: 'internal', message: String(error), hint: '' };
    update({ problem, ended: true });
  }
}

export function endSending(): void {
  stopSending.abort();
  sending.value = null;
}
