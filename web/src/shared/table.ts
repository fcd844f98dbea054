// Tables that can be sorted, searched, cut short and saved as CSV; on a page with a selection a click on a row changes it.
import { download, h } from './dom';
import { fixed, integer, percent } from './format';

type Value = string | number | null | undefined;
export type Row = Record<string, any>; // `select` is the id that a click on the row selects
export interface Column {
  key: string;
  heading: string;
  show?: (value: any, row: Row) => string | Node;
  number?: boolean; // right-aligned, largest first when sorted
  hint?: string;
}
// What is selected on the page as a whole.
export interface Selection {
  onSelection: (listener: (id: number | null) => void) => void;
  toggle: (id: number) => void;
}

export function table(
  name: string,
  columns: Column[],
  rows: Row[],
  options: { limit?: number; search?: boolean; selection?: Selection } = {},
): HTMLElement {
  const { limit = 12, search = false, selection } = options;
  const toggle = (row: Row) => row.select !== undefined && selection?.toggle(row.select);
  let order: [Column, number] | null = null; // ascending: 1, descending: -1
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
        onkeydown: (event: KeyboardEvent) => {
          if (event.key === 'Enter') sort(column);
        },
      },
      column.heading,
    ),
  );

  function sort(column: Column) {
    order = order?.[0] === column ? [column, -order[1]] : [column, column.number ? -1 : 1];
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
    const empty = (value: Value) => value === null || value === undefined;
    return [...list].sort((a, b) => {
      if (empty(a[key]) || empty(b[key])) return Number(empty(a[key])) - Number(empty(b[key]));
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
            onclick: () => toggle(row),
            onkeydown: (event: KeyboardEvent) => {
              if (event.key === 'Enter') toggle(row);
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
      const direction = order?.[0] === columns[i] ? order[1] : 0;
      heading.setAttribute(
        'aria-sort',
        direction > 0 ? 'ascending' : direction < 0 ? 'descending' : 'none',
      );
    });
    more.hidden = all || list.length <= limit;
    more.textContent = `Show all ${integer(list.length)}`;
    mark();
  }

  let chosen: number | null = null;
  function mark() {
    for (const row of body.children as HTMLCollectionOf<HTMLElement>)
      row.classList.toggle('chosen', chosen !== null && row.dataset.id === String(chosen));
  }
  selection?.onSelection((id) => {
    chosen = id;
    mark();
  });

  const quote = (value: Value) => {
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
            oninput: (event: Event) => {
              words = (event.target as HTMLInputElement).value.trim().toLowerCase();
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

// A table of the program: its columns say how their values are shown.
export interface ProgramTable {
  key: string;
  title: string;
  columns: { key: string; heading: string; show: string; digits: number }[];
  rows: Value[][];
}

const shows: Record<string, (digits: number) => (value: any) => string> = {
  integer: () => (value) => integer(value),
  share: (digits) => (value) => percent(value, digits),
  number: (digits) => (value) => fixed(value, digits),
  text: () => (value) => value ?? '–',
};

export const programColumns = (source: ProgramTable): Column[] =>
  source.columns.map(({ key, heading, show, digits }) => ({
    key,
    heading: heading[0].toUpperCase() + heading.slice(1),
    number: show !== 'text',
    show: shows[show](digits),
  }));

export const programRows = (source: ProgramTable): Row[] =>
  source.rows.map((cells) =>
    Object.fromEntries(cells.map((value, i) => [source.columns[i].key, value])),
  );
