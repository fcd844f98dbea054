// A stream's events as they happen, over fetch() because EventSource cannot carry a token. Reconnects by itself and resumes
// after the last event that was seen, so nothing is missed and nothing comes twice.
import { EventParser } from './event_parser';
import {
  answered,
  authorization,
  needsToken,
  pause,
  query,
  retryAfter,
  silent,
  streamPath,
} from './client';

export type LiveState = 'connecting' | 'live' | 'lost';

export interface Following {
  // The number of the event that would come next; null: from the stream's end at the time of the answer.
  readonly next: number | null;
  stop(): void;
}

// The server sends a comment every 15 s: if nothing came for so long, the connection is dead without having been closed.
const patience = 40_000;

export function follow(
  stream: string,
  options: { kinds: string; from: number | null },
  onEvent: (kind: string, data: unknown, id: number | null) => void,
  onState: (state: LiveState) => void,
): Following {
  const stopping = new AbortController();
  let next = options.from;
  let failures = 0;
  let wait: number | null = null; // seconds, as the server asked for

  async function listen(): Promise<void> {
    const abort = new AbortController();
    const end = () => abort.abort();
    stopping.signal.addEventListener('abort', end);
    let watchdog = setTimeout(end, patience);
    try {
      const wish = query({ kinds: options.kinds, from: next ?? undefined });
      const response = await fetch(streamPath(stream, '/events') + wish, {
        headers: { ...authorization(), Accept: 'text/event-stream' },
        cache: 'no-store',
        credentials: 'omit',
        signal: abort.signal,
      });
      if (response.status === 401) needsToken.value = true;
      // The stream is shorter than what we saw of it (a journal was put back): go on from its end.
      if (response.status === 409) next = null;
      wait = retryAfter(response.status, response.headers.get('Retry-After'));
      if (response.status !== 401) answered();
      if (!response.ok || !response.body) throw new Error(`answered ${response.status}`);
      failures = 0;
      onState('live');
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      const parser = new EventParser();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(watchdog);
        watchdog = setTimeout(end, patience);
        for (const event of parser.push(decoder.decode(value, { stream: true }))) {
          const id = event.id === null ? null : Number(event.id);
          onEvent(event.kind, JSON.parse(event.data), id);
          if (id !== null) next = id + 1;
        }
      }
    } finally {
      clearTimeout(watchdog);
      stopping.signal.removeEventListener('abort', end);
      abort.abort();
    }
  }

  async function run(): Promise<void> {
    onState('connecting');
    while (!stopping.signal.aborted) {
      try {
        await listen();
      } catch (error) {
        if (!stopping.signal.aborted && error instanceof TypeError) silent();
      }
      if (stopping.signal.aborted) return;
      onState('lost');
      const backing = wait === null ? Math.min(5000, 300 * 2 ** failures++) : 1000 * wait;
      await pause(backing * (0.75 + 0.5 * Math.random()), stopping.signal);
    }
  }
  void run();
  return {
    get next() {
      return next;
    },
    stop: () => stopping.abort(),
  };
}
