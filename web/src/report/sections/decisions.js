// The two planes in which decisions are made.
import { birthPlane } from '../charts/birth_plane.js';
import { routingPlane } from '../charts/routing_plane.js';
import { h } from '../../shared/dom';
import { compact, integer, percent } from '../../shared/format';
import { figure, missing, plot, section } from '../../shared/parts';

const legend = (data) => [
  ...data.ways.map((way, i) => [`${way.symbol} b${i}`, way.name.toLowerCase()]),
  [
    'ring',
    data.points.first_by === 'truth' ? 'first sample of a novel class' : 'first of its category',
  ],
];

export function decisions(data) {
  const lead =
    'Every point is a sample. Point at one to read why it was decided so; click it to highlight its whole class or category on this page.';
  const { points, stream, model } = data;
  if (!points.margin) {
    return {
      element: section(
        'decisions',
        'How samples were decided',
        null,
        missing(
          'These decisions carry no scores: either the method that made them has none, or the file was cut short. Decisions of paco discover as csv or jsonl, or a trace (--trace), bring the plots back.',
        ),
      ),
      draw: () => {},
    };
  }
  const routing = plot(
    'Routing plane: best cosine with a known class against its lead over the second best',
    'tall',
  );
  const birth = plot('Birth and attach plane: birth score against attach score', 'tall');
  const withBirth = points.birth_score?.some(Number.isFinite);
  const thinned =
    points.count < points.total
      ? h(
          'p',
          { class: 'thinned' },
          `${integer(points.count)} of ${integer(points.total)} samples are drawn: every first occurrence and every birth, and an even share of the others. All counts and curves on this page use every sample.`,
        )
      : null;
  const zones =
    model && model.options.routing
      ? `A lead of at least ${compact(model.hi.value)} (τ hi) means that the sample is one of the known classes. Below that, a best cosine under ${compact(model.tau_lo)} (τ lo) leaves only the categories found so far to compete; in between, everything competes. Here ${percent(stream.routes.known_only / stream.samples)} were decided by the lead alone, ${percent(stream.routes.categories_only / stream.samples)} were left to the categories, and ${percent(stream.routes.all / stream.samples)} were open to all.`
      : points.birth_score
        ? 'Routing was off or no model was given, so no zones are drawn.'
        : 'How close a sample is to a known class, and how clearly to that one.';
  const birthText =
    'Samples that no known class claims outright meet two more tests. To the right of the birth boundary (τ birth) the best candidate explains the sample. To the left, the attach score says how strongly an existing category still claims it, given its size and how tightly it holds together: above τ create the sample joins, below it starts a new category. The strip below shows the samples that never needed an attach score; height has no meaning there.';
  return {
    element: section(
      'decisions',
      'How samples were decided',
      lead,
      h(
        'div',
        { class: 'grid two' },
        figure('Who may compete', zones, routing, legend(data)),
        points.birth_score
          ? figure('Explained, joined or new', birthText, birth, legend(data))
          : null,
      ),
      thinned,
    ),
    draw: () => {
      routingPlane(data, routing);
      if (withBirth) birthPlane(data, birth);
      else if (points.birth_score) birth.replaceWith(missing('No sample reached the birth test.'));
    },
  };
}
