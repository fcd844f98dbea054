// What was found: sizes and a table of categories, and the known classes beside them.
import { categorySizes } from '../charts/category_sizes.js';
import { truthName } from '../data.js';
import { h } from '../../shared/dom';
import { integer, percent, plural } from '../../shared/format';
import { table } from '../table.js';
import { figure, missing, plot, section } from '../../shared/parts';

function rows(data, list) {
  return list.map((row) => ({
    ...row,
    select: row.id,
    mostly: row.truth === undefined ? null : truthName(data, row.truth),
    purity: row.truth === undefined ? null : row.truth_samples / row.judged,
  }));
}

const truthColumns = [
  { key: 'mostly', heading: 'Mostly', hint: 'The true class that most of its samples have' },
  {
    key: 'purity',
    heading: 'Purity',
    number: true,
    show: (v) => percent(v, 0),
    hint: 'Share of its samples that have this true class',
  },
];

export function categories(data) {
  const { memory, stream, model } = data;
  const truth = Object.keys(memory.truth_names).length > 0;
  const known = h(
    'div',
    { class: 'stack' },
    h('h3', {}, 'Known classes'),
    h('p', { class: 'caption' }, 'How many samples of the stream each known class took in.'),
    table(
      'classes',
      [
        { key: 'name', heading: 'Class' },
        ...(model ? [{ key: 'support', heading: 'Labelled', number: true, show: integer }] : []),
        { key: 'size', heading: 'In the stream', number: true, show: integer },
        ...(truth ? truthColumns : []),
      ],
      rows(data, memory.classes),
      { limit: 10, search: true },
    ),
  );
  if (!memory.categories.length) {
    return {
      element: section(
        'categories',
        'Categories',
        null,
        missing('No category was started: every sample was taken for a known class.'),
        known,
      ),
      draw: () => {},
    };
  }
  const sizes = plot('Sizes of the categories, largest first', 'wide');
  const born = memory.categories.some((row) => row.birth !== undefined);
  const half = stream.first + stream.samples / 2;
  const late = memory.categories.filter((row) => row.birth >= half).length;
  return {
    element: section(
      'categories',
      'Categories',
      'Click a bar or a row to highlight a category everywhere; click again, or press Escape, to clear.',
      figure(
        'Sizes',
        `${plural(stream.categories, 'category', 'categories')}, ${integer(stream.singletons)} of them with a single sample.` +
          (model?.mature_size
            ? ` From ${model.mature_size} samples on a category counts as mature and may move the birth boundary; ${integer(stream.mature)} are.`
            : '') +
          (born ? ` ${integer(late)} were born in the second half of the stream.` : ''),
        sizes,
      ),
      h(
        'div',
        { class: 'grid two tables' },
        h(
          'div',
          { class: 'stack' },
          h('h3', {}, 'Categories found'),
          h(
            'p',
            { class: 'caption' },
            memory.left_out
              ? `The ${integer(memory.categories.length)} largest; ${integer(memory.left_out)} smaller ones are left out of this table.`
              : 'All of them, largest first.',
          ),
          table(
            'categories',
            [
              { key: 'name', heading: 'Category' },
              { key: 'size', heading: 'Samples', number: true, show: integer },
              {
                key: 'birth',
                heading: 'Born at',
                number: true,
                show: integer,
                hint: 'Number of the sample that started it',
              },
              {
                key: 'last',
                heading: 'Last seen',
                number: true,
                show: integer,
                hint: 'Number of the last sample that went into it',
              },
              ...(truth ? truthColumns : []),
            ],
            rows(data, memory.categories),
            { limit: 10, search: true },
          ),
        ),
        known,
      ),
    ),
    draw: () => categorySizes(data, sizes),
  };
}
