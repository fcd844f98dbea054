// Pictures of what each category holds, with the sentence that explains each decision.
import { truthName } from '../data.js';
import { h } from '../../shared/dom';
import { integer, percent, plural } from '../../shared/format';
import { onSelection, toggle } from '../selection.js';
import { section } from '../../shared/parts';

const wayOf = (picture) => picture.branch ?? picture.verdict;

function gallery(data, item) {
  const entry = data.entries.get(item.id);
  const facts = [plural(entry.size, 'sample')];
  if (entry.birth !== undefined) facts.push(`born at sample ${integer(entry.birth)}`);
  if (entry.truth !== undefined)
    facts.push(
      `mostly ${truthName(data, entry.truth)} (${percent(entry.truth_samples / entry.judged, 0)})`,
    );
  return h(
    'article',
    { class: 'gallery', 'data-id': item.id },
    h(
      'button',
      {
        type: 'button',
        class: 'gallery-head',
        onclick: () => toggle(item.id),
        title: 'Highlight everywhere',
      },
      h('b', {}, entry.name),
      h('span', {}, facts.join(' · ')),
    ),
    h(
      'div',
      { class: 'shots' },
      item.pictures.map((picture) =>
        h(
          'figure',
          { class: 'shot' },
          h('img', {
            src: picture.image,
            alt: `Sample ${picture.sequence}`,
            width: picture.width,
            height: picture.height,
            class: Math.max(picture.width, picture.height) <= 40 ? 'pixels' : null,
          }),
          h(
            'figcaption',
            {},
            h(
              'span',
              { class: 'shot-head' },
              h('i', { class: `mark ${data.ways[wayOf(picture)].symbol} b${wayOf(picture)}` }),
              picture.id ?? `Sample ${integer(picture.sequence)}`,
            ),
            picture.truth === undefined
              ? null
              : h('span', { class: 'shot-truth' }, `truly ${truthName(data, picture.truth)}`),
            picture.explanation ?? '',
          ),
        ),
      ),
    ),
  );
}

export function pictures(data) {
  if (!data.gallery) return null;
  const { categories, classes } = data.gallery;
  const list = h('div', { class: 'galleries' });
  const known = h(
    'div',
    { class: 'galleries' },
    classes.map((item) => gallery(data, item)),
  );
  const nodes = new Map(categories.map((item) => [item.id, gallery(data, item)]));
  const orders = {
    largest: (a, b) => data.entries.get(b).size - data.entries.get(a).size || a - b,
    newest: (a, b) => b - a,
  };
  const buttons = Object.keys(orders).map((key) =>
    h(
      'button',
      { type: 'button', class: 'quiet', 'data-order': key, onclick: () => order(key) },
      `${key[0].toUpperCase()}${key.slice(1)} first`,
    ),
  );
  function order(key) {
    list.replaceChildren(...[...nodes.keys()].sort(orders[key]).map((id) => nodes.get(id)));
    buttons.forEach((button) =>
      button.setAttribute('aria-pressed', String(button.dataset.order === key)),
    );
  }
  order('largest');
  const element = section(
    'pictures',
    'Pictures',
    `The sample that started each category and later ones, evenly along its life, each with why it was put there. ${plural(categories.length, 'category', 'categories')} of ${integer(data.stream.categories)}: the largest and the newest.`,
    categories.length ? h('div', { class: 'switch' }, buttons) : null,
    list,
    classes.length ? h('h3', {}, 'Known classes') : null,
    known,
  );
  onSelection((id) => {
    for (const node of element.querySelectorAll('.gallery'))
      node.classList.toggle('chosen', node.dataset.id === String(id));
  });
  return { element, draw: () => {} };
}
