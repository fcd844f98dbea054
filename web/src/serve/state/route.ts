// Where the reader is: the address as a place of the page, and back. Addresses can be kept, shared and gone back to.
import { signal } from '@preact/signals';

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
const places = new Map<string, number>(); // how far down the reader was, by address

const address = () => window.location.pathname + window.location.hash;

export function go(path: string): void {
  if (path === address()) return;
  places.set(address(), window.scrollY);
  window.history.pushState(null, '', path);
  route.value = here();
  window.scrollTo(0, 0);
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
  route.value = here();
}

export function startRouting(): void {
  window.history.scrollRestoration = 'manual';
  window.addEventListener('popstate', () => {
    route.value = here();
    // The list has to be there before it can be scrolled.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => window.scrollTo(0, places.get(address()) ?? 0)),
    );
  });
}
