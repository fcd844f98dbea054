// The page of `paco report`: its sections from the document.
import { truthName, withArrays } from './data.js';
import { h } from '../shared/dom';
import { integer, percent, plural } from '../shared/format';
import { accuracy } from './sections/accuracy.js';
import { calibration } from './sections/calibration.js';
import { categories } from './sections/categories.js';
import { decisions } from './sections/decisions.js';
import { glance } from './sections/glance.js';
import { overStream } from './sections/over_stream.js';
import { pictures } from './sections/pictures.js';
import { onSelection, select, selection } from './selection.js';
import { contents, footer, header } from '../shared/parts';

const names = {
  glance: 'At a glance',
  accuracy: 'Accuracy',
  decisions: 'Decisions',
  stream: 'Stream',
  categories: 'Categories',
  pictures: 'Pictures',
  calibration: 'Calibration',
};

// What is highlighted, always in sight, with the way back.
function selectionBar(data) {
  const text = h('span');
  const bar = h(
    'div',
    { class: 'selection', hidden: true, role: 'status' },
    h('i', { class: 'mark circle accent' }),
    text,
    h('button', { type: 'button', class: 'quiet', onclick: () => select(null) }, 'Clear'),
  );
  onSelection((id) => {
    bar.hidden = id === null;
    const entry = data.entries.get(id);
    if (id === null) return;
    const facts = [entry?.name ?? `category ${id}`];
    if (entry) facts.push(`${plural(entry.size, 'sample')} in the stream`);
    if (entry?.birth !== undefined) facts.push(`born at sample ${integer(entry.birth)}`);
    if (entry?.truth !== undefined)
      facts.push(
        `mostly ${truthName(data, entry.truth)} (${percent(entry.truth_samples / entry.judged, 0)})`,
      );
    text.replaceChildren(h('b', {}, facts[0]), ` · ${facts.slice(1).join(' · ')}`);
  });
  return bar;
}

export function reportPage(document) {
  const data = withArrays(document);
  const parts = [
    { element: glance(data), draw: () => {} },
    accuracy(data),
    decisions(data),
    overStream(data),
    categories(data),
    pictures(data),
    calibration(data),
  ].filter(Boolean);
  const files = data.sources.map((source) => source.file);
  const sources = [files.slice(0, -1).join(', '), files.at(-1)].filter(Boolean).join(' and ');
  window.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') select(null);
  });
  return {
    elements: [
      header(
        'Category discovery report',
        data.title,
        `${plural(data.stream.samples, 'sample')}, from ${sources}`,
      ),
      contents(parts.map(({ element }) => [element.id, names[element.id]])),
      h(
        'main',
        {},
        parts.map((part) => part.element),
      ),
      footer('paco report'),
      selectionBar(data),
    ],
    draw: () => parts.forEach((part) => part.draw()),
    known: { data, select, selection },
  };
}
