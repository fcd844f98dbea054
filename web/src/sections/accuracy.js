// How well the stream was judged, where the truth is known. The tables come from the program as they are.
import { h } from '../dom.js';
import { fixed, integer, percent } from '../format.js';
import { table } from '../table.js';
import { section } from './parts.js';

const texts = {
  accuracy: 'Categories have no names, so each is matched with at most one true class before counting. Strict matches once over the whole stream; Greedy matches known and novel samples apart and is never lower.',
  overview: 'How many classes there truly are, how many were seen, and how well the two groupings agree.',
  per_class: 'How many of its samples came out right, and where they went.',
  confused: 'Samples of one class that went into something that stands for another.',
};

function show(column) {
  if (column.show === 'integer') return (v) => integer(v);
  if (column.show === 'share') return (v) => percent(v, column.digits);
  if (column.show === 'number') return (v) => fixed(v, column.digits);
  return (v) => v ?? '–';
}

// A table of the program (key, title, columns, rows) as a table of the page. A column named `cluster` holds ids that can
// be highlighted.
function programTable(source, limit) {
  const cluster = source.columns.findIndex((column) => column.key === 'cluster');
  const rows = source.rows.map((cells) => {
    const row = Object.fromEntries(cells.map((value, i) => [source.columns[i].key, value]));
    if (cluster >= 0 && typeof cells[cluster] === 'number') row.select = cells[cluster];
    return row;
  });
  // A column that is empty, or only repeats the one before (classes without names), says nothing.
  const telling = source.columns.filter((column, i) => source.rows.some((cells) => cells[i] !== null && (i === 0 || String(cells[i]) !== String(cells[i - 1]))));
  const columns = telling.map((column) => ({ key: column.key, heading: column.heading, number: column.show !== 'text', show: show(column) }));
  return h('div', { class: 'stack' }, h('h3', {}, source.title), texts[source.key] ? h('p', { class: 'caption' }, texts[source.key]) : null,
    table(source.key, columns, rows, { limit, search: rows.length > 20 }));
}

export function accuracy(data) {
  const { evaluation, tables, stream } = data;
  if (!evaluation) return null;
  const judged = evaluation.coverage.with_truth;
  const part = judged < stream.samples ? ` The truth is known for ${integer(judged)} of ${integer(stream.samples)} samples; the others count in no accuracy.` : '';
  return {
    element: section('accuracy', 'How well it did', `Compared with the true classes.${part}`,
      h('div', { class: 'grid two tables' }, tables.slice(0, 2).map((source) => programTable(source, 14))),
      h('div', { class: 'grid tables' }, tables.slice(2).map((source) => programTable(source, 10)))),
    draw: () => {},
  };
}
