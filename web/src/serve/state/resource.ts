// One answer of the server as a component needs it: asked for again when the path or `version` change, while the last answer
// stays in sight. A server that is away or busy is asked again until it answers.
import type { ReadonlySignal } from '@preact/signals';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { get, pause, Refusal, silentSince } from '../api/client';
import type { Problem } from '../api/generated';

export interface Resource<T> {
  value: T | null;
  problem: Problem | null; // why there is none, or why it could not be brought up to date
  status: number;
  loading: boolean;
  reload: () => void;
}

interface Held<T> {
  path: string | null;
  value: T | null;
  problem: Problem | null;
  status: number;
  loading: boolean;
}

export function useResource<T>(path: string | null, version: unknown = 0): Resource<T> {
  const [held, setHeld] = useState<Held<T>>({
    path: null,
    value: null,
    problem: null,
    status: 0,
    loading: true,
  });
  const [asked, setAsked] = useState(0);
  const silent = silentSince.value !== null; // read: asked again as soon as the server is back

  useEffect(() => {
    if (path === null || silent) return;
    const abort = new AbortController();
    setHeld((before) => ({ ...before, loading: true }));
    get<T>(path, abort.signal).then(
      (value) => {
        // An answer that was complete when a newer question was asked is not the newest.
        if (abort.signal.aborted) return;
        setHeld({ path, value, problem: null, status: 200, loading: false });
      },
      (error) => {
        if (abort.signal.aborted) return;
        const refusal = error instanceof Refusal ? error : null;
        const problem = refusal?.problem ?? { code: 'internal', message: String(error), hint: '' };
        const later = refusal?.retryAfter ?? null;
        const passing = refusal?.status === 0 || later !== null;
        setHeld((before) => ({
          path,
          value: before.path === path && passing ? before.value : null,
          problem: later === null ? problem : null,
          status: refusal?.status ?? 0,
          loading: later !== null,
        }));
        if (later === null) return;
        void pause(1000 * later, abort.signal).then(() => {
          if (!abort.signal.aborted) setAsked((count) => count + 1);
        });
      },
    );
    return () => abort.abort();
  }, [path, version, asked, silent]);

  const reload = useCallback(() => setAsked((count) => count + 1), []);
  // An answer to another path is no answer.
  const fits = held.path === path;
  return {
    value: fits ? held.value : null,
    problem: fits ? held.problem : null,
    status: fits ? held.status : 0,
    loading: held.loading || !fits,
    reload,
  };
}

// Counts up every so often, while the page is looked at.
export function useTick(milliseconds: number): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) setCount((before) => before + 1);
    }, milliseconds);
    return () => window.clearInterval(timer);
  }, []);
  return count;
}

// A signal that is read only so often, and not while the page is hidden: for expensive answers.
export function useCalm<T>(source: ReadonlySignal<T>, milliseconds: number): T {
  const [value, setValue] = useState(source.peek());
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) setValue(source.peek());
    }, milliseconds);
    return () => window.clearInterval(timer);
  }, []);
  return value;
}
