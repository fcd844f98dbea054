// The four ways a decision can come about, as the page names and explains them. Order and keys as in the program.
export const branches = [
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

export const routes = [
  { key: 'known_only', name: 'Known classes only' },
  { key: 'categories_only', name: 'Categories only' },
  { key: 'all', name: 'All compete' },
];
