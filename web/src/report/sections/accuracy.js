// How accurate the decisions were, if the truth is known. The numbers are the program's own tables.
import { readableName } from '../data.js';
import { h } from '../../shared/dom';
import { integer, percent } from '../../shared/format';
import { programColumns, programRows } from '../../shared/table';
import { table } from '../table.js';
import { section } from '../../shared/parts';

function texts(evaluation) {
  const keep =
    evaluation.keep === 'top'
      ? `Only the ${integer(evaluation.clusters_kept)} largest clusters count, as many as there are true classes; samples in others are wrong.`
      : 'Every cluster counts, however many there are.';
  return {
    accuracy: [
      'Accuracy',
      `Categories have no names, so each cluster is matched with at most one true class before counting. Strict matches once over the whole stream; greedy matches known (old) and novel (new) samples apart and is never lower. ${keep} From and to bound the ${percent(evaluation.bootstrap.confidence, 0)} interval.`,
    ],
    overview: [
      'Clusters',
      'A cluster is whatever samples were put into, a known class or a category. How many there are, how many classes there truly are, and how well the two agree: NMI and ARI are 1 where they are the same, and near 0 where they have nothing in common.',
    ],
    per_class: [
      'Each true class',
      'How many of its samples came out right, the cluster it was matched with, how pure that is, and over how many clusters its samples were spread.',
    ],
    confused: [
      'Most confused',
      'Samples of one class that went into a cluster which stands for another class, or for none.',
    ],
  };
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
// Numbers of classes and clusters stand beside their names in the program's tables; people need only the names.
const named = { label: 'name', cluster: 'cluster_name', stands_for: 'stands_for_name' };

// A table of the program (key, columns, rows) as a table of the page; the cluster in it can be highlighted.
function programTable(source, [title, caption], limit) {
  const rows = programRows(source).map((row) => {
    for (const key of Object.values(named)) if (row[key]) row[key] = readableName(row[key]);
    if (typeof row.cluster === 'number') row.select = row.cluster;
    return row;
  });
  const keys = new Set(source.columns.map((column) => column.key));
  const columns = programColumns(source).filter(
    ({ key }) =>
      !keys.has(named[key]) &&
      !(key === 'method' && new Set(rows.map((row) => row.method)).size === 1),
  );
  const body =
    rows.length > 2
      ? table(source.key, columns, rows, { limit, search: rows.length > 20 })
      : upright(source.key, columns, rows);
  return h(
    'div',
    { class: 'stack' },
    h('h3', {}, title),
    h('p', { class: 'caption' }, caption),
    body,
  );
}

// One or two rows read better standing up.
function upright(key, columns, rows) {
  const lines = columns
    .filter(({ key: column }) => column !== 'method')
    .map((column) => ({
      name: column.heading,
      ...Object.fromEntries(rows.map((row, i) => [`v${i}`, column.show(row[column.key])])),
    }));
  const values = rows.map((row, i) => ({
    key: `v${i}`,
    heading: rows.length > 1 ? capital(row.method ?? '') : '',
    number: true,
  }));
  return table(key, [{ key: 'name', heading: '' }, ...values], lines);
}

export function accuracy(data) {
  const { evaluation, tables, stream } = data;
  if (!evaluation) return null;
  const labelled = evaluation.coverage.with_truth;
  const part =
    labelled < stream.samples
      ? ` The truth is known for ${integer(labelled)} of ${integer(stream.samples)} samples; the others count in no accuracy.`
      : '';
  const text = texts(evaluation);
  const draw = (source, limit) => programTable(source, text[source.key], limit);
  return {
    element: section(
      'accuracy',
      'How well it did',
      `Compared with the true classes, which played no part in the decisions.${part}`,
      h(
        'div',
        { class: 'grid two tables' },
        tables.slice(0, 2).map((source) => draw(source, 14)),
      ),
      h(
        'div',
        { class: 'grid tables' },
        tables.slice(2).map((source) => draw(source, 10)),
      ),
    ),
    draw: () => {},
  };
}
