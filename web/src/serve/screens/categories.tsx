// All categories of a stream: a windowed grid with search, filter and order; picked ones can be merged or retired; everything
// also by keyboard.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { integer, plural } from '../../shared/format';
import { mayOperate, silentSince } from '../api/client';
import { Choice, Empty, Failed, Loading, SearchField } from '../parts/basics';
import { ExportButton } from '../parts/export_button';
import { CategoryCard, cellWithPictures, cellWithText } from '../parts/category_card';
import { PickedBar } from '../parts/picked_bar';
import { Windowed, type Shape } from '../parts/windowed';
import { clearPicked, picked, togglePicked } from '../state/actions';
import { CategoryList } from '../state/category_list';
import { go, refine, toCategory } from '../state/route';
import { detail, operationVersion, version } from '../state/stream';

const orders: [string, string][] = [
  ['newest-desc', 'latest sample first'],
  ['size-desc', 'largest first'],
  ['size-asc', 'smallest first'],
  ['birth-desc', 'youngest first'],
  ['name-asc', 'by name'],
  ['id-asc', 'by number'],
];
const kinds: [string, string][] = [
  ['all', 'all'],
  ['discovered', 'discovered'],
  ['known', 'known classes'],
  ['retired', 'retired'],
];

export function Categories(props: { stream: string; filter: URLSearchParams }) {
  const search = props.filter.get('search') ?? '';
  const order = props.filter.get('order') ?? 'size-desc';
  const kind = props.filter.get('kind') ?? 'all';
  const [sort, direction] = order.split('-');
  const list = useMemo(
    () =>
      new CategoryList(props.stream, {
        sort,
        order: direction,
        kind: kind === 'retired' ? 'all' : kind,
        retired: kind === 'retired' ? 'only' : kind === 'all' ? 'yes' : 'no',
        search,
      }),
    [props.stream, order, kind, search],
  );
  useEffect(() => () => list.close(), [list]);
  const focus = useSignal(-1); // read by keys that may come faster than drawings
  const [editing, setEditing] = useState(-1);
  const shape = useRef<Shape>({ columns: 1, first: 0, last: 0 });
  useEffect(() => {
    focus.value = -1;
  }, [list]);
  useEffect(() => () => clearPicked(), [props.stream]);

  // New samples reorder the list: not while categories are picked or a name is edited.
  const chosen = picked.value;
  const busy = chosen.size > 0 || editing >= 0;
  useEffect(() => {
    if (!busy) list.refresh();
  }, [version.value, silentSince.value === null, busy]);
  useEffect(() => list.refresh(), [operationVersion.value]);

  const total = list.total.value;
  void list.changed.value;
  const pictures = Array.from({ length: Math.min(24, total ?? 0) }, (_, i) => list.at(i)).some(
    (category) => category?.faces?.some((face) => face.picture),
  );

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.closest('dialog')) {
        if (!(target as HTMLInputElement).classList.contains('tick')) return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || !list.total.peek()) return;
      const last = list.total.peek()! - 1;
      const move = (by: number) => {
        event.preventDefault();
        const from = focus.peek();
        focus.value = from < 0 ? 0 : Math.min(last, Math.max(0, from + by));
      };
      const at = list.at(focus.peek());
      if (event.key === 'ArrowRight') move(1);
      else if (event.key === 'ArrowLeft') move(-1);
      else if (event.key === 'ArrowDown') move(shape.current.columns);
      else if (event.key === 'ArrowUp') move(-shape.current.columns);
      else if (event.key === 'Escape') {
        clearPicked();
        focus.value = -1;
      } else if (at && event.key === 'Enter' && target.tagName !== 'BUTTON') {
        event.preventDefault();
        go(toCategory(props.stream, at.id));
      } else if (at && mayOperate() && (event.key === ' ' || event.key === 'x')) {
        event.preventDefault();
        togglePicked(at);
      } else if (at && mayOperate() && (event.key === 'r' || event.key === 'F2')) {
        event.preventDefault();
        setEditing(at.id);
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [list]);

  return (
    <>
      <div class="toolbar">
        <SearchField
          of="categories"
          hint="Search name or number"
          value={search}
          onChange={(text) => refine({ search: text })}
        />
        <Choice
          label="Show"
          value={kind}
          options={kinds}
          onChange={(v) => refine({ kind: v === 'all' ? '' : v })}
        />
        <Choice
          label="Order"
          value={order}
          options={orders}
          onChange={(v) => refine({ order: v })}
        />
        <span class="note count" role="status">
          {total === null ? '' : plural(total, 'category', 'categories')}
        </span>
        <ExportButton stream={props.stream} />
      </div>
      {total === null && !list.problem.value && <Loading what="categories" />}
      {total === null && list.problem.value && (
        <Failed problem={list.problem.value} retry={() => list.refresh()} />
      )}
      {total === 0 && (
        <Empty title={search || kind !== 'all' ? 'Nothing fits' : 'No categories yet'}>
          <p>
            {search || kind !== 'all'
              ? 'No category has this name or number in this selection.'
              : 'They appear as samples arrive.'}
          </p>
          {(search || kind !== 'all') && (
            <button type="button" class="quiet" onClick={() => refine({ search: '', kind: '' })}>
              Show all {integer((detail.value?.known ?? 0) + (detail.value?.discovered ?? 0))}
            </button>
          )}
        </Empty>
      )}
      {total !== null && total > 0 && (
        <Windowed
          total={total}
          cell={pictures ? cellWithPictures : cellWithText}
          focus={focus.value}
          label="Categories"
          onShape={(next) => {
            shape.current = next;
            list.show(next.first, next.last);
          }}
        >
          {(index) => {
            const category = list.at(index);
            return (
              <CategoryCard
                key={category ? `c${category.id}` : `i${index}`}
                stream={props.stream}
                category={category}
                pictures={pictures}
                chosen={category !== undefined && chosen.has(category.id)}
                focused={index === focus.value}
                editing={category !== undefined && editing === category.id}
                onEditing={(on) => setEditing(on && category ? category.id : -1)}
              />
            );
          }}
        </Windowed>
      )}
      <PickedBar stream={props.stream} />
    </>
  );
}
