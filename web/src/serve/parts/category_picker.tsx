// Where something goes: a category found by name or number, or a new one.
import { useState } from 'preact/hooks';
import { query, streamPath } from '../api/client';
import type { CategoryPage } from '../api/types';
import { integer, plural } from '../../shared/format';
import { useResource } from '../state/resource';
import { KindChip } from './basics';
import { Dialog } from './dialog';

export function CategoryPicker(props: {
  stream: string;
  title: string;
  note: string;
  without: number[]; // not to be offered
  allowNew: boolean;
  onPick: (id: number) => void;
  onNew?: (name: string) => void;
  onClose: () => void;
}) {
  const [search, setSearch] = useState('');
  const found = useResource<CategoryPage>(
    streamPath(props.stream, '/categories') +
      query({ search, limit: 40, sort: 'size', order: 'desc', retired: 'no' }),
  );
  const offered = found.value?.categories.filter(({ id }) => !props.without.includes(id)) ?? [];
  const name = search.trim();
  const fresh = props.allowNew && !offered.some((category) => category.name === name);
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p class="note">{props.note}</p>
      <input
        type="search"
        class="field"
        placeholder={props.allowNew ? 'Find a category, or name a new one' : 'Find a category'}
        aria-label="Find a category"
        autofocus
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && offered.length) props.onPick(offered[0].id);
        }}
      />
      <ul class="options" aria-label="Categories">
        {fresh && (
          <li>
            <button type="button" onClick={() => props.onNew?.(name)}>
              <b>{name ? `New category “${name}”` : 'A new category'}</b>
            </button>
          </li>
        )}
        {offered.map((category) => (
          <li key={category.id}>
            <button type="button" onClick={() => props.onPick(category.id)}>
              <b>{category.name}</b>
              <KindChip kind={category.kind} retired={category.retired} />
              <span class="aside">
                {plural(category.size, 'sample')} · no. {integer(category.id)}
              </span>
            </button>
          </li>
        ))}
        {found.value && !offered.length && !fresh && <li class="note">Nothing is called so.</li>}
      </ul>
    </Dialog>
  );
}
