// Where the reader is: the address as a place of the page, and back. Addresses can be kept, shared and gone back to.
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';

export type Tab = 'live' | 'review' | 'categories' | 'samples' | 'map' | 'history';
export const tabs: Tab[] = ['live', 'review', 'categories', 'samples', 'map', 'history'];

export type Route =
  | { at: 'streams' }
  | { at: 'stream'; stream: string; tab: Tab; filter: URLSearchParams }
  | { at: 'category'; stream: string; id: number }
  | { at: 'sample'; stream: string; sequence: number }
  | { at: 'nowhere'; path: string };

const wholeNumber = /^\d{1,15}$/;

// `filter` is what stands behind the #: it is the page's own and never reaches the server.
export function parseRoute(path: string, filter = ''): Route {
  let parts: string[];
  try {
    parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return { at: 'nowhere', path };
  }
  if (parts.length === 0) return { at: 'streams' };
  const [root, stream, tab = 'live', item, ...more] = parts;
  if (root !== 's' || !stream || more.length) return { at: 'nowhere', path };
  if (item === undefined) {
    return tabs.includes(tab as Tab)
      ? { at: 'stream', stream, tab: tab as Tab, filter: new URLSearchParams(filter) }
      : { at: 'nowhere', path };
  }
  if (!wholeNumber.test(item)) return { at: 'nowhere', path };
  if (tab === 'categories') return { at: 'category', stream, id: Number(item) };
  if (tab === 'samples') return { at: 'sample', stream, sequence: Number(item) };
  return { at: 'nowhere', path };
}

const base = (stream: string) => `/s/${encodeURIComponent(stream)}`;
export const toStream = (stream: string, tab: Tab = 'live') =>
  tab === 'live' ? base(stream) : `${base(stream)}/${tab}`;
export const toCategory = (stream: string, id: number) => `${base(stream)}/categories/${id}`;
export const toSample = (stream: string, sequence: number) => `${base(stream)}/samples/${sequence}`;

const here = () => parseRoute(window.location.pathname, window.location.hash.slice(1));
export const route = signal<Route>(here());

const address = () => window.location.pathname + window.location.hash;
let shown = address();
let endReturn = (): void => undefined;

// How far down the reader was, and what else a screen wants to find again when the reader comes back to it; by address.
interface Place {
  y: number;
  kept: Map<string, unknown>;
}
const places = new Map<string, Place>();
const placeOf = (at: string): Place => {
  const place = places.get(at) ?? { y: 0, kept: new Map() };
  places.set(at, place);
  return place;
};

// As useState(), but still there when the reader comes back by the browser's Back. Elsewhere it begins anew.
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const { kept } = placeOf(shown);
  const [value, setValue] = useState<T>(kept.has(name) ? (kept.get(name) as T) : initial);
  return [
    value,
    (next) => {
      kept.set(name, next);
      setValue(next);
    },
  ];
}

export function go(path: string): void {
  if (path === address()) return;
  endReturn();
  placeOf(shown).y = window.scrollY;
  window.history.pushState(null, '', path);
  shown = address();
  places.delete(shown);
  route.value = here();
  window.scrollTo(0, 0);
}

// A list has to be there before it can be scrolled: tried with every frame until it is long enough, the reader moves, or it has
// taken too long.
function returnTo(y: number): void {
  endReturn();
  const until = performance.now() + 4000;
  let frame = 0;
  const step = () => {
    window.scrollTo(0, y);
    if (Math.abs(window.scrollY - y) <= 1 || performance.now() > until) return endReturn();
    frame = requestAnimationFrame(step);
  };
  const stop = () => endReturn();
  const signs = ['wheel', 'touchstart', 'keydown', 'mousedown'];
  signs.forEach((sign) => window.addEventListener(sign, stop, { passive: true }));
  endReturn = () => {
    cancelAnimationFrame(frame);
    signs.forEach((sign) => window.removeEventListener(sign, stop));
    endReturn = () => undefined;
  };
  frame = requestAnimationFrame(step);
}

// The same place with another filter: nothing to go back to.
export function refine(values: Record<string, string>): void {
  const kept = new URLSearchParams(window.location.hash.slice(1));
  for (const [key, value] of Object.entries(values)) {
    if (value) kept.set(key, value);
    else kept.delete(key);
  }
  const text = kept.toString();
  window.history.replaceState(null, '', window.location.pathname + (text ? `#${text}` : ''));
  const before = places.get(shown);
  shown = address();
  if (before) places.set(shown, before);
  route.value = here();
}

export function startRouting(): void {
  window.history.scrollRestoration = 'manual';
  window.addEventListener('popstate', () => {
    placeOf(shown).y = window.scrollY;
    shown = address();
    route.value = here();
    returnTo(placeOf(shown).y);
  });
}
