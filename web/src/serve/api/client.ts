// All calls to the server: with the reader's token, errors in one shape, uploads with progress.
//
// Whether the server answers at all, and whether it asks for a token, is kept here for the frame to show.
import { signal } from '@preact/signals';
import type { Problem, Server } from './generated';

export class Refusal extends Error {
  constructor(
    readonly status: number, // 0: no answer
    readonly problem: Problem,
    readonly retryAfter: number | null = null, // seconds; null: asking again would not help
  ) {
    super(problem.message);
  }
}

// The server is busy, or opens the stream: what it refuses now it will answer soon.
export const retryAfter = (status: number, header: string | null): number | null =>
  status === 503 || status === 429
    ? Math.min(30, Math.max(0.5, Number.parseFloat(header ?? '') || 1))
    : null;

// A pause that ends early if it is no longer needed.
export const pause = (milliseconds: number, abort: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    abort.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

const kept = 'paco-token';
export const token = signal(sessionStorage.getItem(kept) ?? '');
export const needsToken = signal(false);
export const server = signal<Server | null>(null);
// Seconds since 1970 of the last answer while none comes; null while answers come.
export const silentSince = signal<number | null>(null);
let lastAnswer = Date.now() / 1000;

export function answered(): void {
  lastAnswer = Date.now() / 1000;
  if (silentSince.value !== null) silentSince.value = null;
}

export function silent(): void {
  if (silentSince.value === null) silentSince.value = lastAnswer;
}

export const mayOperate = (): boolean => server.value?.user.role === 'operate';

export function authorization(): Record<string, string> {
  return token.value ? { Authorization: `Bearer ${token.value}` } : {};
}

export const streamPath = (name: string, rest = ''): string =>
  `/v1/streams/${encodeURIComponent(name)}${rest}`;

export function query(values: Record<string, string | number | undefined>): string {
  const used = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return used.length
    ? `?${new URLSearchParams(used.map(([key, value]) => [key, String(value)]))}`
    : '';
}

// What a proxy or a crash put in place of our errors still becomes a sentence.
export function problemOf(status: number, text: string): Problem {
  try {
    const problem = JSON.parse(text)?.error;
    if (typeof problem?.message === 'string') return { hint: '', ...problem };
  } catch {
    // Not JSON: the sentence below.
  }
  return { code: 'internal', message: `the server answered ${status} without a reason`, hint: '' };
}

export const unreachable: Problem = {
  code: 'unreachable',
  message: 'The server does not answer',
  hint: 'Is paco serve still running?',
};

function refuse(status: number, text: string, later: string | null): Refusal {
  if (status === 401) needsToken.value = true;
  return new Refusal(status, problemOf(status, text), retryAfter(status, later));
}

export async function fetchFrom(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      ...init,
      headers: { ...authorization(), ...(init.headers as Record<string, string>) },
      credentials: 'omit',
    });
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    silent();
    throw new Refusal(0, unreachable);
  }
  answered();
  if (!response.ok)
    throw refuse(response.status, await response.text(), response.headers.get('Retry-After'));
  return response;
}

export async function get<T>(path: string, abort?: AbortSignal): Promise<T> {
  return (await fetchFrom(path, { signal: abort })).json();
}

export async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetchFrom(path, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
  });
  return response.status === 204 ? (undefined as T) : response.json();
}

// fetch() does not report how much of a body has left; XMLHttpRequest does.
export function upload<T>(
  path: string,
  file: Blob,
  onProgress: (share: number) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', path);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    for (const [name, value] of Object.entries(authorization()))
      request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onerror = () => {
      silent();
      reject(new Refusal(0, unreachable));
    };
    request.onload = () => {
      answered();
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText));
      else
        reject(
          refuse(request.status, request.responseText, request.getResponseHeader('Retry-After')),
        );
    };
    request.send(file);
  });
}

// Asks who the reader is. False if a token is needed (or the present one is not good).
export async function greet(): Promise<boolean> {
  try {
    server.value = await get<Server>('/v1');
    needsToken.value = false;
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return false;
    throw error;
  }
}

export function useToken(text: string): void {
  token.value = text;
  if (text) sessionStorage.setItem(kept, text);
  else sessionStorage.removeItem(kept);
}
