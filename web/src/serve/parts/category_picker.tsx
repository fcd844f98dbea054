// Where something goes: a category found by its looks, name or number, or a new one. The nearest stand first until something is
// searched for. One entry is highlighted, and that one is what Enter takes.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { query, streamPath } from '../api/client';
import type { Category, CategoryPage, Near } from '../api/generated';
import { integer, plural } from '../../shared/format';
import { useResource } from '../state/resource';
import { KindChip } from './basics';
import { Dialog } from './dialog';
import { FacesOf, SmallFaces } from './faces';

export interface Offer {
  id: number | 'new';
  name: string;
  category?: Category;
}

// What is offered for a search, in order, and which of them Enter takes before the arrows have moved it: the one that is called
// so, else the first whose name begins so, else a new one, else the first.
export function offers(
  search: string,
  found: Category[],
  near: Near[],
  without: number[],
  allowNew: boolean,
): { list: Offer[]; first: number } {
  const wanted = search.trim().toLowerCase();
  const known = new Map(found.map((one) => [one.id, one]));
  const ranked: Offer[] = wanted
    ? []
    : near.map(({ category: id, name }) => ({ id, name, category: known.get(id) }));
  const list = [
    ...ranked,
    ...found
      .filter(({ id }) => !ranked.some((one) => one.id === id))
      .map((category) => ({ id: category.id, name: category.name, category })),
  ].filter(({ id }) => !without.includes(id as number));
  const named = (fits: (name: string, id: string) => boolean) =>
    list.findIndex(({ id, name }) => fits(name.toLowerCase(), String(id)));
  const same = named((name, id) => name === wanted || id === wanted);
  if (allowNew && !list.some(({ name }) => name === search.trim()))
    list.push({ id: 'new', name: search.trim() });
  const begins = wanted ? named((name) => name.startsWith(wanted)) : 0;
  const fresh = allowNew && wanted ? list.findIndex(({ id }) => id === 'new') : -1;
  return {
    list,
    first: Math.max(
      0,
      [same, begins, fresh, 0].find((i) => i >= 0)!,
    ),
  };
}

export function CategoryPicker(props: {
  stream: string;
  title: string;
  note: string;
  without: number[]; // not to be offered
  near?: Near[]; // offered first
  allowNew: boolean;
  onPick: (id: number, name: string) => void;
  onNew?: (name: string) => void;
  onClose: () => void;
}) {
  const [search, setSearch] = useState('');
  const [moved, setMoved] = useState(0); // by the arrows, from where Enter began
  const [hasty, setHasty] = useState(false); // Enter came before the answer
  const found = useResource<CategoryPage>(
    streamPath(props.stream, '/categories') +
      query({ search, limit: 40, sort: 'size', order: 'desc', retired: 'no', faces: 2 }),
  );
  const { list, first } = offers(
    search,
    found.value?.categories ?? [],
    props.near ?? [],
    props.without,
    props.allowNew,
  );
  const at = Math.min(list.length - 1, Math.max(0, first + moved));
  const take = (offer: Offer | undefined) => {
    if (offer?.id === 'new') props.onNew?.(offer.name);
    else if (offer) props.onPick(offer.id, offer.name);
  };
  const chosen = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => chosen.current?.scrollIntoView({ block: 'nearest' }), [at]);
  // Nobody has seen what would be highlighted: only what was typed in full is taken.
  useEffect(() => {
    if (!hasty || found.loading) return;
    setHasty(false);
    if (list[first]?.name === search.trim()) take(list[first]);
  }, [hasty, found.loading]);
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p class="note">{props.note}</p>
      <input
        type="search"
        class="field"
        placeholder={props.allowNew ? 'Find a category, or name a new one' : 'Find a category'}
        aria-label="Find a category"
        autofocus
        aria-controls="offers"
        aria-activedescendant={list[at] && `offer-${list[at].id}`}
        value={search}
        maxLength={200}
        onInput={(event) => {
          setSearch(event.currentTarget.value);
          setMoved(0);
          setHasty(false);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step) {
            event.preventDefault();
            setMoved(Math.min(list.length - 1, Math.max(0, at + step)) - first);
          }
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (found.loading && search) setHasty(true);
          else take(list[at]);
        }}
      />
      <ul class="options" id="offers" role="listbox" aria-label="Categories">
        {list.map((offer, i) => (
          <li
            key={offer.id}
            id={`offer-${offer.id}`}
            role="option"
            aria-selected={i === at}
            ref={i === at ? chosen : undefined}
          >
            <button type="button" tabIndex={-1} onClick={() => take(offer)}>
              {offer.id === 'new' ? (
                <b>{offer.name ? `New category “${offer.name}”` : 'A new category'}</b>
              ) : (
                <>
                  <b>{offer.name}</b>
                  {offer.category && <KindChip kind={offer.category.kind} />}
                  {offer.category ? (
                    <SmallFaces
                      stream={props.stream}
                      category={offer.category}
                      faces={offer.category.faces ?? []}
                    />
                  ) : (
                    <FacesOf stream={props.stream} id={offer.id} count={2} />
                  )}
                  <span class="aside">
                    {offer.category && `${plural(offer.category.size, 'sample')} · `}no.{' '}
                    {integer(offer.id)}
                  </span>
                </>
              )}
            </button>
          </li>
        ))}
        {found.value && !list.length && <li class="note">Nothing is called so.</li>}
      </ul>
      <p class="note keys-hint">
        <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> takes what is highlighted
      </p>
    </Dialog>
  );
}
