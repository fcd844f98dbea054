// The members of a category, a page at a time, in one of four orders; picked ones can be moved to another category. To check them,
// twenty at a time are shown, the wrong ones struck out, and the others confirmed.
import { useEffect, useState } from 'preact/hooks';
import { integer, plural } from '../../shared/format';
import { mayOperate, query, streamPath } from '../api/client';
import type { CategoryDetail, MemberPage } from '../api/generated';
import { perform } from '../state/actions';
import { usePages } from '../state/pages';
import { useResource } from '../state/resource';
import { useKept } from '../state/route';
import { detail, supports, version } from '../state/stream';
import { Empty, Failed, Loading, Pager } from './basics';
import { CategoryPicker } from './category_picker';
import { SampleGrid } from './sample_grid';

const pageSize = 48;
const checkedAtATime = 20;
const compared = 1000; // members whose distances the server looks at
const orders = [
  ['middle', 'Nearest to the middle'],
  ['newest', 'Newest'],
  ['edge', 'At the edge'],
  ['oldest', 'Oldest'],
] as const;

export function Members(props: { stream: string; category: CategoryDetail }) {
  const { stream, category } = props;
  const [order, setOrder] = useKept<string>('order', 'newest');
  const [picked, setPicked] = useState<Set<number>>(new Set());
  const [moving, setMoving] = useState(false);
  const [checking, setChecking] = useState(false);
  const size = checking ? checkedAtATime : pageSize;
  const wish = `${category.id} ${order} ${checking}`;
  const [starts, setStarts] = usePages(wish);
  const path =
    streamPath(stream, `/categories/${category.id}/members`) +
    query({ order, limit: size, from: starts.at(-1) });
  // Older pages stand still; the newest one follows the stream, unless samples are being picked from it.
  const [asked, setAsked] = useState(version.value);
  useEffect(() => {
    if (!picked.size && !checking) setAsked(version.value);
  }, [version.value, picked.size, checking]);
  const page = useResource<MemberPage>(path, asked);
  useEffect(() => setPicked(new Set()), [wish]);

  const may = mayOperate() && supports('move') && detail.value?.embeddings_kept;
  const move = async (into: number | 'new', name?: string) => {
    setMoving(false);
    const samples = [...picked].sort((a, b) => a - b);
    const done = await perform(stream, {
      kind: 'move',
      samples,
      into,
      ...(into === 'new' && name ? { name } : {}),
    });
    if (!done) return;
    setPicked(new Set());
    if (checking) setAsked(version.value);
  };
  const members = page.value?.members ?? [];
  const byDistance = order === 'middle' || order === 'edge';
  const mayCheck = may && supports('verify');
  const right = members.filter((one) => !picked.has(one.sequence));
  // Those that are not struck out are confirmed; what was struck out stays to be moved, else the next page comes.
  const confirm = async () => {
    const fresh = right.filter((one) => !one.verified).map(({ sequence }) => sequence);
    if (fresh.length && !(await perform(stream, { kind: 'verify', samples: fresh }))) return;
    if (picked.size) setMoving(true);
    else nextPage();
  };
  const nextPage = () => {
    const next = page.value?.next ?? null;
    if (next !== null) setStarts([...starts, next]);
    else setChecking(false);
  };
  return (
    <section class="panel members">
      <div class="panel-head">
        <h3>Members</h3>
        <div class="switch" role="group" aria-label="Order of members">
          {orders.map(([key, text]) => (
            <button
              key={key}
              type="button"
              class="quiet"
              aria-pressed={order === key}
              onClick={() => setOrder(key)}
            >
              {text}
            </button>
          ))}
        </div>
        {mayCheck && category.size > 0 && (
          <button
            type="button"
            class="quiet"
            aria-pressed={checking}
            title="Twenty at a time: strike out the wrong ones, confirm the rest"
            onClick={() => setChecking(!checking)}
          >
            Check {integer(checkedAtATime)} at a time
          </button>
        )}
      </div>
      {!page.value && page.problem && <Failed problem={page.problem} retry={page.reload} />}
      {!page.value && !page.problem && <Loading what="members" />}
      {page.value && !members.length && (
        <Empty title="No members">
          <p>
            {category.kind === 'known'
              ? 'No sample of the stream has joined this class yet.'
              : 'Its samples were moved elsewhere.'}
          </p>
        </Empty>
      )}
      {members.length > 0 && (
        <SampleGrid
          stream={stream}
          samples={members}
          picked={may ? picked : undefined}
          onPick={
            may
              ? (sequences, on) => {
                  const next = new Set(picked);
                  for (const one of sequences) {
                    if (on) next.add(one);
                    else next.delete(one);
                  }
                  setPicked(next);
                }
              : undefined
          }
          striking={checking}
        />
      )}
      {checking && members.length > 0 && (
        <div class="checking" role="status">
          <span>
            {picked.size
              ? `${integer(picked.size)} struck out of ${integer(members.length)}`
              : 'Strike out what does not belong here.'}
          </span>
          <button type="button" class="primary" onClick={() => void confirm()}>
            {right.length ? `Confirm ${integer(right.length)}` : 'None is right'}
            {picked.size ? `, move ${integer(picked.size)} …` : ' and go on'}
          </button>
        </div>
      )}
      {page.value && (
        <Pager
          starts={starts}
          next={page.value.next}
          pages={Math.ceil(Math.min(page.value.total, byDistance ? compared : Infinity) / size)}
          onChange={setStarts}
        />
      )}
      {page.value && byDistance && page.value.total > compared && (
        <p class="thinned">Of its newest {integer(compared)} members.</p>
      )}
      {picked.size > 0 && !checking && (
        <div class="selection" role="status">
          <b>{plural(picked.size, 'sample')}</b>
          <button
            type="button"
            class="quiet"
            onClick={() => setPicked(new Set(members.map(({ sequence }) => sequence)))}
          >
            All on this page
          </button>
          <button type="button" class="primary" onClick={() => setMoving(true)}>
            Move to …
          </button>
          <button type="button" class="quiet" onClick={() => setPicked(new Set())}>
            Clear
          </button>
        </div>
      )}
      {moving && (
        <CategoryPicker
          stream={stream}
          title={`Move ${plural(picked.size, 'sample')} to …`}
          note={`They leave “${category.name}” and teach the category that you choose. It can be undone.`}
          without={[category.id]}
          near={category.nearest}
          allowNew
          onPick={(id) => void move(id)}
          onNew={(name) => void move('new', name)}
          onClose={() => setMoving(false)}
        />
      )}
    </section>
  );
}
