// One category: what it is, what can be done with it, the prototypes it owns, who is near, and its members page by page.
import { useEffect, useState } from 'preact/hooks';
import { compact, fixed, integer, plural } from '../../shared/format';
import { mayOperate, streamPath } from '../api/client';
import type { CategoryDetail } from '../api/generated';
import { Failed, KindChip, Level, Link, Loading } from '../parts/basics';
import { CategoryPicker } from '../parts/category_picker';
import { EditableName } from '../parts/editable_name';
import { AskMerge } from '../parts/merge_dialog';
import { hintOf } from '../parts/category_card';
import { Members } from '../parts/members';
import { perform } from '../state/actions';
import { useResource } from '../state/resource';
import { go, toCategory, toStream } from '../state/route';
import { supports, version } from '../state/stream';

function Actions(props: { stream: string; category: CategoryDetail }) {
  const { stream, category } = props;
  const [merging, setMerging] = useState(false);
  const [asked, setAsked] = useState<{ into: number; name: string } | null>(null);
  if (!mayOperate() || category.now !== category.id) return null;
  const act = (kind: 'promote' | 'demote' | 'retire' | 'revive') => () =>
    void perform(stream, { kind, category: category.id });
  return (
    <div class="actions">
      {supports('merge') && (
        <button type="button" class="quiet" onClick={() => setMerging(true)}>
          Merge into …
        </button>
      )}
      {category.kind === 'discovered' && supports('promote') && (
        <button
          type="button"
          class="quiet"
          title="Make it a known class: its directions become fixed"
          onClick={act('promote')}
        >
          Promote to known
        </button>
      )}
      {category.promoted && supports('demote') && (
        <button
          type="button"
          class="quiet"
          title="Take a promotion back: it adapts again"
          onClick={act('demote')}
        >
          Demote
        </button>
      )}
      {supports('retire') && (
        <button
          type="button"
          class="quiet"
          title={category.retired ? 'It competes again' : 'It stops competing for samples'}
          onClick={act(category.retired ? 'revive' : 'retire')}
        >
          {category.retired ? 'Revive' : 'Retire'}
        </button>
      )}
      {merging && (
        <CategoryPicker
          stream={stream}
          title={`Merge “${category.name}” into …`}
          note="Its samples, past and to come, lead to the category that you choose. It can be undone."
          without={[category.id]}
          near={category.nearest}
          allowNew={false}
          onClose={() => setMerging(false)}
          onPick={(into, name) => {
            setMerging(false);
            setAsked({ into, name });
          }}
        />
      )}
      {asked && (
        <AskMerge
          stream={stream}
          from={category}
          into={{ id: asked.into, name: asked.name }}
          onClose={() => setAsked(null)}
          onMerge={async () => {
            setAsked(null);
            const merge = { categories: [category.id], into: asked.into };
            const done = await perform(stream, { kind: 'merge', ...merge });
            if (done) go(toCategory(stream, asked.into));
          }}
        />
      )}
    </div>
  );
}

function Prototypes(props: { stream: string; category: CategoryDetail }) {
  const { stream, category } = props;
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const many = category.parts.length > 1;
  const may = many && mayOperate() && supports('separate');
  const separate = async () => {
    const prototypes = [...chosen];
    const outcome = await perform(stream, {
      kind: 'separate',
      category: category.id,
      prototypes,
    });
    if (outcome) {
      setChosen(new Set());
      if (outcome.category !== null) go(toCategory(stream, outcome.category));
    }
  };
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>{many ? `${integer(category.parts.length)} prototypes` : 'Prototype'}</h3>
        {may && (
          <button
            type="button"
            class="quiet"
            disabled={!chosen.size || chosen.size === category.parts.length}
            title="The chosen prototypes become a category of their own"
            onClick={() => void separate()}
          >
            Separate
          </button>
        )}
      </div>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              {may && <th aria-label="Choose" />}
              <th class="number">no.</th>
              <th class="number">samples</th>
              <th class="number" title="The sample that it began with">
                since
              </th>
              <th class="number" title="1 where all members point the same way">
                tight
              </th>
              <th>kind</th>
            </tr>
          </thead>
          <tbody>
            {category.parts.map((part) => (
              <tr key={part.prototype}>
                {may && (
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Choose prototype ${part.prototype}`}
                      checked={chosen.has(part.prototype)}
                      onChange={() => {
                        const next = new Set(chosen);
                        if (!next.delete(part.prototype)) next.add(part.prototype);
                        setChosen(next);
                      }}
                    />
                  </td>
                )}
                <td class="number">{integer(part.prototype)}</td>
                <td class="number">{integer(part.size)}</td>
                <td class="number">{part.birth === null ? '–' : integer(part.birth)}</td>
                <td class="number">{fixed(part.resultant_length, 3)}</td>
                <td>
                  {part.reference ? 'fixed' : 'adapts'}
                  {part.competing ? '' : ', retired'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Nearest(props: { stream: string; category: CategoryDetail }) {
  const { nearest } = props.category;
  if (!nearest?.length) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>Nearest categories</h3>
      </div>
      <ul class="near">
        {nearest.map((near) => (
          <li key={near.category}>
            <Link to={toCategory(props.stream, near.category)}>{near.name}</Link>
            <Level value={near.cosine} />
            <span class="aside">{compact(near.cosine)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function CategoryScreen(props: { stream: string; id: number }) {
  const { stream, id } = props;
  const [editing, setEditing] = useState(false);
  const answer = useResource<CategoryDetail>(
    streamPath(stream, `/categories/${id}`),
    version.value,
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.closest('dialog')) return;
      if ((event.key === 'r' || event.key === 'F2') && mayOperate()) {
        event.preventDefault();
        setEditing(true);
      }
      if (event.key === 'Escape') go(toStream(stream, 'categories'));
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [stream]);
  const category = answer.value;
  if (!category) {
    return answer.problem ? (
      <Failed problem={answer.problem} retry={answer.reload} />
    ) : (
      <Loading what="the category" />
    );
  }
  const merged = category.now !== category.id;
  return (
    <>
      <div class="item-head">
        <div>
          <div class="item-title">
            <h1>
              <EditableName
                stream={stream}
                id={id}
                name={category.name}
                editing={editing}
                onEditing={setEditing}
              />
            </h1>
            <KindChip kind={category.kind} retired={category.retired} />
          </div>
          <p class="sources">
            number {integer(id)} · {plural(category.size, 'sample')}, {integer(category.answered)}{' '}
            answered with it
            {category.birth !== null && (
              <>
                {' '}
                · since{' '}
                <Link to={`${toStream(stream, 'samples')}/${category.birth}`}>
                  sample {integer(category.birth)}
                </Link>
              </>
            )}
            {category.verified ? ` · ${integer(category.verified)} confirmed by people` : ''}
          </p>
          {hintOf(category) && <p class="note">{hintOf(category)}</p>}
          {category.keywords?.length ? (
            <p class="note">Common words: {category.keywords.join(', ')}.</p>
          ) : null}
        </div>
        <Actions stream={stream} category={category} />
      </div>
      {merged && (
        <p class="banner">
          It was merged and leads to{' '}
          <Link to={toCategory(stream, category.now)}>number {integer(category.now)}</Link>. The
          history can undo that.
        </p>
      )}
      <div class="item-columns">
        <Members stream={stream} category={category} />
        <div class="side">
          <Nearest stream={stream} category={category} />
          <Prototypes stream={stream} category={category} />
        </div>
      </div>
    </>
  );
}
