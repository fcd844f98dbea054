// The four ways a decision can come about, as the page names and explains them. Order and keys as in the program.
export interface Way {
  key: string;
  name: string;
  symbol: string;
  text: string;
}

export const branches: Way[] = [
  {
    key: 'known_only',
    name: 'Known only',
    symbol: 'circle',
    text: 'clearly one of the known classes; nothing else was considered',
  },
  {
    key: 'explained',
    name: 'Explained',
    symbol: 'circle',
    text: 'close enough to a known class or to a category already found',
  },
  {
    key: 'attach',
    name: 'Attached',
    symbol: 'triangle',
    text: 'not close enough, but a category already found still claims it',
  },
  {
    key: 'create',
    name: 'Created',
    symbol: 'diamond',
    text: 'nothing claims it: it starts a new category',
  },
];

// What was decided, for methods that have no such steps. Order and keys as the program's verdicts.
export const verdicts: Way[] = [
  { key: 'known', name: 'Known', symbol: 'circle', text: 'it is one of the known classes' },
  {
    key: 'existing',
    name: 'Found before',
    symbol: 'circle',
    text: 'it belongs to a category that was found earlier in the stream',
  },
  { key: 'created', name: 'Created', symbol: 'diamond', text: 'it starts a new category' },
  {
    key: 'tentative',
    name: 'Tentative',
    symbol: 'triangle',
    text: 'it was answered with the best there was, and may turn out to be new',
  },
];

export const routes = [
  { key: 'known_only', name: 'Known classes only' },
  { key: 'categories_only', name: 'Categories only' },
  { key: 'all', name: 'All compete' },
];
