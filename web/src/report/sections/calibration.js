// Where the thresholds come from, and how good they are on the labelled samples.
import { pseudoStreams } from '../charts/pseudo_streams.js';
import { h } from '../../shared/dom';
import { compact, fixed, integer, percent } from '../../shared/format';
import { table } from '../table.js';
import { scoreHistogram } from '../../shared/score_histogram';
import { figure, missing, plot, section } from '../../shared/parts';

const legend = [
  ['square positive', 'should pass'],
  ['square negative', 'should not pass'],
  ['line text', 'met by the stream'],
];

const settingsOf = (model) =>
  Object.entries(model.options)
    .map(
      ([key, value]) =>
        `${key.replaceAll('_', ' ')} ${typeof value === 'boolean' ? (value ? 'on' : 'off') : value}`,
    )
    .join(' · ');

const curveLegend = [
  ['line positive', 'mean'],
  ['square positive', 'one deviation from one pseudo-stream to the next'],
];

// Of a method that has thresholds of its own, or none: the numbers it learned, and the curve that one was chosen by.
function plainCalibration(model) {
  const learned = model.learned?.pseudo_streams ? model.learned : null;
  const curve = plot('Accuracy of the pseudo-streams over the starting threshold');
  const rows = Object.entries(model.numbers ?? {}).map(([name, value]) => ({ name, value }));
  const numbers = rows.length
    ? table(
        'numbers',
        [
          { key: 'name', heading: 'Number' },
          { key: 'value', heading: 'Value', number: true, show: (v) => fixed(v, 4) },
        ],
        rows,
      )
    : null;
  const chosen = learned
    ? figure(
        'How the starting threshold was chosen',
        `Half of the known classes were hidden and streamed past the others, with every threshold. The chosen one, τ = ${fixed(learned.tau, 2)}, stands in the middle of the shaded plateau (${fixed(learned.plateau[0], 2)} to ${fixed(learned.plateau[1], 2)}), where no threshold is worse than the best by more than a standard error.`,
        curve,
        curveLegend,
      )
    : null;
  return {
    element: section(
      'calibration',
      'What was learned beforehand',
      `From the ${integer(model.support_samples)} labelled samples alone, before the stream began.`,
      learned ? h('div', { class: 'grid two' }, chosen, numbers) : numbers,
      h('p', { class: 'caption' }, `dimension ${integer(model.dimension)} · ${settingsOf(model)}`),
    ),
    draw: () => {
      if (learned) pseudoStreams(learned, curve);
    },
  };
}

export function calibration(data) {
  const { model, histograms } = data;
  if (!model) {
    return {
      element: section(
        'calibration',
        'Calibration',
        null,
        missing('This needs the model: run paco report with --model model.paco.'),
      ),
      draw: () => {},
    };
  }
  if (!histograms) return plainCalibration(model);
  const shift = model.log_p0;
  const plots = {
    hi: plot('Margins of the labelled samples, with and without their own class', 'small'),
    birth: plot('Birth scores of the labelled samples, with and without their own class', 'small'),
    create: plot('Attach scores in the replay of the labelled samples', 'small'),
  };
  const evidence = (name, key, what, moved) => ({
    name,
    what,
    value: model[key].value,
    balanced: model[key].balanced_accuracy,
    width: model[key].interval[1] - model[key].interval[0],
    low: model[key].interval[0],
    high: model[key].interval[1],
    shown: moved ? model[key].value + shift : null,
  });
  const plain = (name, value, what, moved) => ({
    name,
    what,
    value,
    balanced: null,
    width: null,
    low: null,
    high: null,
    shown: moved ? value + shift : null,
  });
  const thresholds = [
    evidence('τ hi', 'hi', 'lead from which only known classes compete'),
    plain('τ lo', model.tau_lo, 'best cosine below which only categories compete'),
    evidence('τ birth', 'birth', 'birth score that separates known from unknown', true),
    plain(
      'τ birth, start',
      model.tau_birth_sup,
      'the same, lowered by the spread of the labelled samples: where the stream starts',
      true,
    ),
    evidence('τ create', 'create', 'attach score from which a sample joins a category', true),
  ];
  const references = [
    ['prototype', 'Class prototypes'],
    ['classifier', 'Trained classifier'],
  ]
    .filter(([key]) => model[key])
    .map(([key, name]) => ({
      name,
      accuracy: model[key].accuracy,
      margin: model[key].mean_margin,
      used: model.reference === key ? 'used' : '',
    }));
  const settings = settingsOf(model);
  return {
    element: section(
      'calibration',
      'Where the thresholds come from',
      `All thresholds were chosen on the ${integer(model.support_samples)} labelled samples alone, before the stream began: each stands where it best separates scores that should pass from scores that should not. The line shows what the stream then met; it need not look like either group.`,
      h(
        'div',
        { class: 'grid three' },
        figure(
          'Lead of the best class',
          'Should pass: labelled samples as they are. Should not: the same with their own class hidden, as if it were novel.',
          plots.hi,
          legend,
        ),
        figure(
          'Birth score',
          'The best cosine, again with the own class there and hidden.',
          plots.birth,
          legend,
        ),
        figure(
          'Attach score',
          'The labelled samples replayed as a stream: should pass, when the class was seen before; should not, at its first sample.',
          plots.create,
          legend,
        ),
      ),
      h(
        'div',
        { class: 'grid two tables' },
        h(
          'div',
          { class: 'stack' },
          h('h3', {}, 'Thresholds'),
          h(
            'p',
            { class: 'caption' },
            `Balanced accuracy is the mean of the two shares on the right side of the threshold; any value in the interval does equally well. On the plots, scores are shown from 0 up: log p0 = ${compact(shift)} is added.`,
          ),
          table(
            'thresholds',
            [
              {
                key: 'name',
                heading: 'Threshold',
                show: (v, row) => h('span', { title: row.what }, v),
              },
              { key: 'value', heading: 'Value', number: true, show: (v) => fixed(v, 4) },
              { key: 'shown', heading: 'On the plots', number: true, show: compact },
              { key: 'balanced', heading: 'Balanced acc.', number: true, show: (v) => percent(v) },
              {
                key: 'width',
                heading: 'Interval width',
                number: true,
                show: (v, row) =>
                  v === null ? '–' : h('span', { title: `${row.low} to ${row.high}` }, fixed(v, 4)),
              },
            ],
            thresholds,
          ),
          h(
            'dl',
            { class: 'terms' },
            thresholds.flatMap((row) => [h('dt', {}, row.name), h('dd', {}, row.what)]),
          ),
        ),
        h(
          'div',
          { class: 'stack' },
          h('h3', {}, 'What stands for a known class'),
          h(
            'p',
            { class: 'caption' },
            'Two candidates; the one that classifies the labelled samples better is used for all classes, a tie goes to the wider margin.',
          ),
          table(
            'references',
            [
              { key: 'name', heading: 'References' },
              { key: 'accuracy', heading: 'Accuracy', number: true, show: (v) => percent(v, 2) },
              { key: 'margin', heading: 'Mean margin', number: true, show: (v) => fixed(v, 4) },
              { key: 'used', heading: '' },
            ],
            references,
          ),
          h('h3', {}, 'Settings'),
          h('p', { class: 'caption' }, `dimension ${integer(model.dimension)} · ${settings}`),
        ),
      ),
    ),
    draw: () => {
      scoreHistogram('hist-hi', histograms.hi, 'margin', plots.hi);
      scoreHistogram(
        'hist-birth',
        histograms.birth,
        'best cosine' + (model.options.temperature !== 1 ? ' / T' : ''),
        plots.birth,
      );
      scoreHistogram('hist-create', histograms.create, 'attach score', plots.create);
    },
  };
}
