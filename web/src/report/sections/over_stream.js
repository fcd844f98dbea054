// What changed while the stream went on.
import {
  boundaryOverStream,
  categoriesOverStream,
  latencyOverStream,
  sharesOverStream,
} from '../charts/stream.js';
import { h } from '../../shared/dom';
import { duration, fixed, integer, plural } from '../../shared/format';
import { figure, missing, plot, section } from '../../shared/parts';

export function overStream(data) {
  const { stream, series, points } = data;
  const categories = plot('Categories and eta over the stream');
  const boundary = plot('Birth boundary over the stream');
  const shares = plot('Shares of the branches over the stream');
  const latency = plot('Time per decision over the stream');
  const half = series.categories.findIndex((count) => count >= stream.categories / 2);
  const early =
    stream.first === 0 && stream.categories > 1 && half >= 0
      ? ` Half of the ${integer(stream.categories)} categories were there after ${plural(series.sequence[half] + 1, 'sample')}.`
      : '';
  const etaText = series.eta
    ? ` Eta, on the right-hand scale, is how much the birth boundary listens to the categories found so far; it ended at ${fixed(stream.eta, 2)}.`
    : '';
  const start = data.model?.tau_birth_sup ?? null;
  const moved = start !== null && start - stream.lowest_tau_birth > 1e-9;
  const boundaryText =
    'A sample whose best cosine stays below this line is not explained by anything known. The line starts where the labelled samples put it and can only go down, as far as the mature categories of the stream suggest.' +
    (start === null
      ? ''
      : moved
        ? ` It came down by ${fixed(start - stream.lowest_tau_birth, 3)} at most.`
        : ' It never had to move in this stream.');
  const figures = [
    figure(
      'Categories',
      `A healthy stream opens categories quickly at first and then ever more slowly.${early}${etaText}`,
      categories,
      [
        ['line b3', 'categories'],
        ...(series.novel_classes ? [['dash text', 'novel classes truly seen']] : []),
        ...(series.eta ? [['line positive', 'eta']] : []),
      ],
    ),
    series.tau_birth
      ? figure('Birth boundary', boundaryText, boundary, [
          ['line b3', 'τ birth'],
          ['dash text', 'at the start'],
        ])
      : null,
    figure(
      'Kinds of decision',
      'How decisions came about along the stream. Births should become rare as the stream goes on.',
      shares,
      data.ways.map((way, i) => [`square b${i}`, way.name.toLowerCase()]),
    ),
  ];
  if (series.latency?.end.length) {
    figures.push(
      figure(
        'Time per decision',
        `What one decision took, without computing the embedding; samples decided in one block share its time. Half took ${duration(stream.microseconds.median)} or less, 99 in 100 at most ${duration(stream.microseconds.p99)}. It should not grow much while categories are added.`,
        latency,
        [
          ['line b0', 'median'],
          ['square b0 pale', 'middle 80%'],
          ['dash b3', 'slowest 1% from here'],
        ],
      ),
    );
  }
  return {
    element: section(
      'stream',
      'Along the stream',
      points.total > 1
        ? 'Left to right is the order of arrival. Members of a highlighted category appear as marks at the foot of each plot.'
        : null,
      h('div', { class: 'grid two' }, figures),
      series.eta || series.latency
        ? null
        : missing(
            'Eta, the boundary after each sample and the time per decision need a trace: run paco discover and paco report with --trace trace.csv.',
          ),
    ),
    draw: () => {
      categoriesOverStream(data, categories);
      if (series.tau_birth) boundaryOverStream(data, boundary);
      sharesOverStream(data, shares);
      if (series.latency?.end.length) latencyOverStream(data, latency);
    },
  };
}
