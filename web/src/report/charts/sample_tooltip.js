// What hovering a sample shows: who it is, what became of it, and why.
import { entryName, truthName } from '../data.js';
import { h } from '../../shared/dom';
import { fixed, integer } from '../../shared/format';

export function sampleTooltip(data, row) {
  const points = data.points;
  const way = points.way[row];
  const values = [];
  const add = (name, column, digits) => {
    const value = points[column]?.[row];
    if (value !== undefined && Number.isFinite(value))
      values.push(`${name} ${fixed(value, digits)}`);
  };
  add('top cosine', 'top_cosine', 3);
  add('margin', 'margin', 3);
  add('birth', 'birth_score', 3);
  add('attach', 'attach_score', 1);
  for (const field of data.evidence) {
    const value = points.evidence[field.name][row];
    const name = field.name.replaceAll('_', ' ');
    if (field.choices?.[value]) values.push(`${name} ${field.choices[value]}`);
    else if (!field.choices && Number.isFinite(value)) values.push(`${name} ${fixed(value, 3)}`);
  }
  const id = points.id?.[row];
  return h(
    'div',
    { class: 'tip' },
    h(
      'div',
      { class: 'tip-head' },
      h('b', {}, id === undefined ? `Sample ${integer(points.sequence[row])}` : id),
      id === undefined
        ? null
        : h('span', { class: 'muted' }, `sample ${integer(points.sequence[row])}`),
      h('span', { class: `chip b${way}` }, data.ways[way].name),
    ),
    h(
      'div',
      {},
      'Put into ',
      h('b', {}, entryName(data, points.category[row])),
      points.truth
        ? h('span', { class: 'muted' }, ` · truly ${truthName(data, points.truth[row])}`)
        : null,
    ),
    points.explanation ? h('p', {}, points.explanation[row]) : null,
    values.length ? h('div', { class: 'tip-values' }, values.join(' · ')) : null,
  );
}
