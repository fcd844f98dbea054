// The first screen: the numbers people ask for, and how decisions come about.
import { h } from '../../shared/dom';
import { duration, integer, percent, plural } from '../../shared/format';
import { section } from '../../shared/parts';

const card = (key, label, value, note) =>
  h(
    'div',
    { class: 'card', 'data-key': key },
    h('div', { class: 'label' }, label),
    h('div', { class: 'value' }, value),
    h('div', { class: 'note' }, note ?? ''),
  );

function accuracyCard(evaluation, split, label, note) {
  const value = evaluation.strict[split];
  const interval = evaluation.interval?.strict?.[split];
  return card(
    `strict-${split}`,
    label,
    percent(value),
    interval
      ? `${percent(evaluation.bootstrap.confidence, 0)}: ${percent(interval[0]).slice(0, -1)}–${percent(interval[1])}`
      : note,
  );
}

export function glance(data) {
  const { stream, evaluation, memory, ways } = data;
  const cards = [
    card(
      'samples',
      'Samples in the stream',
      integer(stream.samples),
      stream.microseconds ? `median ${duration(stream.microseconds.median)} per decision` : '',
    ),
    card(
      'known_classes',
      'Known classes',
      integer(stream.known_classes),
      data.model ? `from ${integer(data.model.support_samples)} labelled samples` : '',
    ),
    card(
      'categories',
      'Categories found',
      integer(stream.categories),
      [
        plural(stream.singletons, 'singleton'),
        stream.mature === null ? null : `${integer(stream.mature)} mature`,
      ]
        .filter(Boolean)
        .join(', '),
    ),
  ];
  if (evaluation) {
    cards.push(
      accuracyCard(evaluation, 'all', 'Accuracy', 'all samples'),
      accuracyCard(evaluation, 'old', 'on known classes', ''),
      accuracyCard(evaluation, 'new', 'on novel classes', ''),
    );
  } else {
    const largest = memory.categories[0];
    cards.push(
      card(
        'created',
        'Started a category',
        percent(stream.verdicts.created / stream.samples),
        'of the samples',
      ),
    );
    if (largest)
      cards.push(card('largest', 'Largest category', integer(largest.size), largest.name));
  }
  const total = stream.samples;
  const share = ways.map((way) => stream.ways[way.key] / total);
  return section(
    'glance',
    'At a glance',
    'Each sample of the stream was decided the moment it arrived, once and for good: it is one of the known classes, it belongs to a category found earlier in the stream, or it starts a new category. Nothing was tuned for this stream; every threshold comes from the labelled samples.' +
      (stream.branches ? ' The four outcomes below were tried from left to right.' : ''),
    h('div', { class: 'cards' }, cards),
    evaluation
      ? h(
          'p',
          { class: 'caption' },
          `Accuracy after Strict matching (see below), each with its ${percent(evaluation.bootstrap.confidence, 0)} interval.`,
        )
      : null,
    h(
      'div',
      { class: 'sharebar', role: 'img', 'aria-label': 'Shares of the four kinds of decision' },
      ways.map((way, i) =>
        share[i]
          ? h('div', {
              class: `b${i}`,
              style: { flexGrow: share[i] },
              title: `${way.name}: ${percent(share[i])}`,
            })
          : null,
      ),
    ),
    h(
      'ul',
      { class: 'branches' },
      ways.map((way, i) =>
        h(
          'li',
          { 'data-branch': way.key },
          h('i', { class: `mark ${way.symbol} b${i}` }),
          h(
            'div',
            {},
            h('b', {}, way.name),
            ' ',
            h(
              'span',
              { class: 'number' },
              `${integer(stream.ways[way.key])} · ${percent(share[i])}`,
            ),
            h('p', {}, way.text),
          ),
        ),
      ),
    ),
  );
}
