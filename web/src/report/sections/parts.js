// Pieces that sections are made of.
import { h } from '../../shared/dom';

// The heading and what follows it stay on one printed page.
export const section = (id, title, lead, first, ...others) =>
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
export function figure(title, text, box, legend = []) {
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

export const plot = (label, size = '') =>
  h('div', { class: `plot ${size}`, role: 'img', 'aria-label': label });

export const missing = (text) => h('p', { class: 'missing' }, text);
