// What is picked and what can be done with all of it, always in sight at the foot of the page.
import { useEffect, useState } from 'preact/hooks';
import { plural } from '../../shared/format';
import { clearPicked, perform, picked } from '../state/actions';
import { supports } from '../state/stream';
import { MergeDialog } from './merge_dialog';

export function PickedBar(props: { stream: string }) {
  const [merging, setMerging] = useState(false);
  const categories = [...picked.value.values()];
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const writing =
        /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !target.classList.contains('tick');
      if (event.key === 'm' && !writing && !target.closest('dialog') && picked.value.size > 1)
        setMerging(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  if (!categories.length) return null;
  const retire = async () => {
    for (const one of categories) {
      if (!(await perform(props.stream, { kind: 'retire', category: one.id }))) return;
    }
    clearPicked();
  };
  const names = categories.map((one) => one.name);
  return (
    <>
      <div class="selection" role="status">
        <span class="picked-names">
          <b>{plural(categories.length, 'category', 'categories')}</b>
          <span class="aside">
            {' '}
            {names.slice(0, 3).join(', ')}
            {names.length > 3 ? ' …' : ''}
          </span>
        </span>
        <button
          type="button"
          class="primary"
          disabled={categories.length < 2 || !supports('merge')}
          title={categories.length < 2 ? 'Pick at least two' : 'Merge (m)'}
          onClick={() => setMerging(true)}
        >
          Merge
        </button>
        {supports('retire') && (
          <button type="button" class="quiet" onClick={() => void retire()}>
            Retire
          </button>
        )}
        <button type="button" class="quiet" title="Clear (Esc)" onClick={clearPicked}>
          Clear
        </button>
      </div>
      {merging && (
        <MergeDialog
          stream={props.stream}
          categories={categories}
          onClose={() => setMerging(false)}
        />
      )}
    </>
  );
}
