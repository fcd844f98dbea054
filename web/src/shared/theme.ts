// Light and dark: follows the system until the reader chooses, and prints in light.
//
// Branch colours are from the Okabe-Ito set, which stays apart for colour-blind readers; each branch also has a shape.
interface Theme {
  dark: boolean;
  page: string;
  card: string;
  text: string;
  muted: string;
  faint: string;
  line: string;
  axis: string;
  branch: string[];
  series: string[]; // of curves that stand for methods, the first for the default
  positive: string;
  negative: string;
  accent: string;
  ring: string;
  zone: string[];
}
const light: Theme = {
  dark: false,
  page: '#fafaf8',
  card: '#ffffff',
  text: '#1c2127',
  muted: '#5d6772',
  faint: '#8b949e',
  line: '#e4e6e8',
  axis: '#b9c0c6',
  branch: ['#0072b2', '#009e73', '#e69f00', '#d55e00'],
  series: [
    '#0072b2',
    '#d55e00',
    '#009e73',
    '#b5568a',
    '#a67c00',
    '#3a9bd8',
    '#7a5195',
    '#5d6772',
  ],
  positive: '#4f5ba6',
  negative: '#b3a58f',
  accent: '#a6246b',
  ring: '#1c2127',
  zone: ['rgba(0,114,178,.07)', 'rgba(213,94,0,.07)', 'rgba(0,158,115,.06)', 'rgba(230,159,0,.10)'],
};
const dark: Theme = {
  dark: true,
  page: '#14171a',
  card: '#1b1f24',
  text: '#e6e9ec',
  muted: '#a0aab4',
  faint: '#78828c',
  line: '#2c3238',
  axis: '#4a525a',
  branch: ['#56b4e9', '#2cc295', '#f2bd4a', '#ff8042'],
  series: [
    '#56b4e9',
    '#ff8042',
    '#2cc295',
    '#e58fbf',
    '#f2bd4a',
    '#9ecff2',
    '#b79be0',
    '#a0aab4',
  ],
  positive: '#8d98e6',
  negative: '#8f8473',
  accent: '#f07ab8',
  ring: '#f2f4f6',
  zone: [
    'rgba(86,180,233,.10)',
    'rgba(255,128,66,.10)',
    'rgba(44,194,149,.08)',
    'rgba(242,189,74,.10)',
  ],
};

const system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let chosen: 'light' | 'dark' | null = null; // 'light', 'dark' or null: the system's
let printing = false;

export function theme(): Theme {
  if (printing) return light;
  return (chosen ?? (system.matches ? 'dark' : 'light')) === 'dark' ? dark : light;
}

// Gives back how to stop listening.
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function apply() {
  const colours = theme();
  const root = document.documentElement;
  root.dataset.theme = colours.dark ? 'dark' : 'light';
  for (const name of [
    'page',
    'card',
    'text',
    'muted',
    'faint',
    'line',
    'accent',
    'positive',
    'negative',
  ] as const) {
    root.style.setProperty(`--${name}`, colours[name]);
  }
  colours.branch.forEach((colour, i) => root.style.setProperty(`--branch${i}`, colour));
  colours.series.forEach((colour, i) => root.style.setProperty(`--series${i}`, colour));
  listeners.forEach((listener) => listener());
}

// Where the reader's choice is kept from visit to visit.
interface Memory {
  load: () => string | null;
  save: (theme: string) => void;
}
let memory: Memory | null = null;

export function toggleTheme() {
  chosen = theme().dark ? 'light' : 'dark';
  memory?.save(chosen);
  apply();
}

export function startTheme(keep: Memory | null = null) {
  memory = keep;
  const kept = keep?.load();
  if (kept === 'light' || kept === 'dark') chosen = kept;
  system.addEventListener('change', apply);
  // The layout takes the width of a printed page before the charts are drawn for it.
  window.addEventListener('beforeprint', () => {
    printing = true;
    document.documentElement.classList.add('printing');
    apply();
  });
  window.addEventListener('afterprint', () => {
    printing = false;
    document.documentElement.classList.remove('printing');
    apply();
  });
  apply();
}
