// Tables that can be sorted, searched, cut short, taken along as CSV, and clicked to highlight a category.
import { download, h } from '../shared/dom';
import { integer } from '../shared/format';
import { onSelection, toggle } from './selection.js';

// columns: { key, heading, show(value, row) -> text or element, number: right-aligned, hint }; a row's `select` is the id
// that a click highlights.
export function table(name, columns, rows, { limit = 12, search = false } = {}) {
  let order = null; // [column, +1 or -1]
  let all = rows.length <= limit + 3;
  let words = '';
  const body = h('tbody');
  const more = h('button', {
    type: 'button',
    class: 'quiet',
    onclick: () => {
      all = true;
      draw();
    },
  });
  const headings = columns.map((column) =>
    h(
      'th',
      {
        class: column.number ? 'number' : null,
        title: column.hint ?? null,
        scope: 'col',
        tabindex: 0,
        onclick: () => sort(column),
        onkeydown: (event) => {
          if (event.key === 'Enter') sort(column);
        },
      },
      column.heading,
    ),
  );

  function sort(column) {
    order = order && order[0] === column ? [column, -order[1]] : [column, column.number ? -1 : 1];
    draw();
  }

  function shown() {
    let list = rows;
    if (words)
      list = list.filter((row) =>
        columns.some((column) =>
          String(row[column.key] ?? '')
            .toLowerCase()
            .includes(words),
        ),
      );
    if (!order) return list;
    const [{ key }, sign] = order;
    const empty = (value) => value === null || value === undefined;
    return [...list].sort((a, b) => {
      if (empty(a[key]) || empty(b[key])) return empty(a[key]) - empty(b[key]);
      return (
        sign *
        (typeof a[key] === 'number'
          ? a[key] - b[key]
          : String(a[key]).localeCompare(String(b[key])))
      );
    });
  }

  function draw() {
    const list = shown();
    body.replaceChildren(
      ...list.slice(0, all ? list.length : limit).map((row) =>
        h(
          'tr',
          {
            'data-id': row.select ?? null,
            class: row.select === undefined ? null : 'pick',
            tabindex: row.select === undefined ? null : 0,
            onclick: () => row.select !== undefined && toggle(row.select),
            onkeydown: (event) => {
              if (event.key === 'Enter' && row.select !== undefined) toggle(row.select);
            },
          },
          columns.map((column) => {
            const shown = column.show
              ? column.show(row[column.key], row)
              : (row[column.key] ?? '–');
            return h(
              'td',
              {
                class: column.number
                  ? 'number'
                  : String(row[column.key] ?? '').length < 18
                    ? 'short'
                    : null,
              },
              shown,
            );
          }),
        ),
      ),
    );
    headings.forEach((heading, i) => {
      const sorted = order && order[0] === columns[i];
      heading.setAttribute(
        'aria-sort',
        sorted ? (order[1] > 0 ? 'ascending' : 'descending') : 'none',
      );
    });
    more.hidden = all || list.length <= limit;
    more.textContent = `Show all ${integer(list.length)}`;
    mark();
  }

  let chosen = null;
  function mark() {
    for (const row of body.children)
      row.classList.toggle('chosen', chosen !== null && row.dataset.id === String(chosen));
  }
  onSelection((id) => {
    chosen = id;
    mark();
  });

  const quote = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = () =>
    [columns.map((c) => c.key), ...shown().map((row) => columns.map((c) => row[c.key]))]
      .map((line) => line.map(quote).join(','))
      .join('\n') + '\n';

  draw();
  return h(
    'div',
    { class: 'table', id: `table-${name}` },
    h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, headings)), body)),
    h(
      'div',
      { class: 'table-foot' },
      more,
      search
        ? h('input', {
            type: 'search',
            placeholder: 'Find',
            'aria-label': 'Find in the table',
            oninput: (event) => {
              words = event.target.value.trim().toLowerCase();
              draw();
            },
          })
        : null,
      h(
        'button',
        { type: 'button', class: 'quiet', onclick: () => download(`${name}.csv`, csv()) },
        'CSV',
      ),
    ),
  );
}
