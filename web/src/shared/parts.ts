// Pieces that the pages of report and study are made of.
import { type Child, h } from './dom';
import { toggleTheme } from './theme';

// The heading and what follows it stay on one printed page.
export const section = (
  id: string,
  title: string,
  lead: string | null,
  first: Child,
  ...others: Child[]
): HTMLElement =>
  h(
    'section',
    { id },
    h(
      'div',
      { class: 'keep' },
      h('h2', {}, title),
      lead ? h('p', { class: 'lead' }, lead) : null,
      first,
    ),
    ...others,
  );

// A plot with its title, a paragraph in plain words, and a legend of coloured names.
export function figure(
  title: string,
  text: string,
  box: Child,
  legend: [mark: string, name: string][] = [],
): HTMLElement {
  return h(
    'figure',
    {},
    h('h3', {}, title),
    h('figcaption', {}, text),
    legend.length
      ? h(
          'div',
          { class: 'legend' },
          legend.map(([mark, name]) => h('span', {}, h('i', { class: `mark ${mark}` }), name)),
        )
      : null,
    box,
  );
}

export const plot = (label: string, size = ''): HTMLElement =>
  h('div', { class: `plot ${size}`, role: 'img', 'aria-label': label });

export const missing = (text: string): HTMLElement => h('p', { class: 'missing' }, text);

// The top of a page: what it is, its title, where it comes from, and light or dark.
export const header = (kind: string, title: string, sources: string): HTMLElement =>
  h(
    'header',
    {},
    h(
      'div',
      { class: 'title' },
      h('div', {}, h('div', { class: 'eyebrow' }, kind), h('h1', {}, title)),
      h(
        'button',
        {
          type: 'button',
          class: 'quiet theme',
          onclick: toggleTheme,
          'aria-label': 'Switch between light and dark',
        },
        'Light / dark',
      ),
    ),
    h('p', { class: 'sources' }, sources),
  );

export const contents = (links: [id: string, name: string][]): HTMLElement =>
  h(
    'nav',
    { 'aria-label': 'Sections' },
    links.map(([id, name]) => h('a', { href: `#${id}` }, name)),
  );

export const footer = (command: string): HTMLElement =>
  h(
    'footer',
    {},
    `Made by ${command}. This file holds everything it shows and loads nothing. Plots by Apache ECharts.`,
  );

// A tooltip: a heading and named values.
export const namedValues = (heading: string, rows: [name: string, value: string][]): HTMLElement =>
  h(
    'div',
    { class: 'tip' },
    h('b', {}, heading),
    rows.map(([name, value]) =>
      h('div', { class: 'tip-row' }, h('span', {}, name), h('span', {}, value)),
    ),
  );
