// Several categories become one: which of them stays. Merging is always asked about, with the faces of both.
import { useState } from 'preact/hooks';
import { plural } from '../../shared/format';
import { clearPicked, perform, type Picked } from '../state/actions';
import { KindChip } from './basics';
import { Dialog } from './dialog';
import { FacesOf } from './faces';

// A known class stays before a discovered category, then the larger one, then the older one.
export function survivor(categories: Picked[]): number {
  const known = (one: Picked) => (one.kind === 'known' ? 1 : 0);
  return [...categories].sort((a, b) => known(b) - known(a) || b.size - a.size || a.id - b.id)[0]
    .id;
}

export function MergeDialog(props: { stream: string; categories: Picked[]; onClose: () => void }) {
  const [into, setInto] = useState(() => survivor(props.categories));
  const target = props.categories.find((one) => one.id === into)!;
  const others = props.categories.filter((one) => one.id !== into);
  const merge = async () => {
    const done = await perform(props.stream, {
      kind: 'merge',
      categories: others.map((one) => one.id),
      into,
    });
    if (done) clearPicked();
    props.onClose();
  };
  return (
    <Dialog title={`Merge ${props.categories.length} categories`} onClose={props.onClose}>
      <p class="note">
        All samples that look like any of them are answered with the one that stays. Answers already
        given keep their number and lead there. It can be undone.
      </p>
      <fieldset class="options">
        <legend>Which one stays?</legend>
        {props.categories.map((one) => (
          <label key={one.id}>
            <input
              type="radio"
              name="into"
              checked={one.id === into}
              onChange={() => setInto(one.id)}
            />
            <b>{one.name}</b>
            <KindChip kind={one.kind} />
            <FacesOf stream={props.stream} id={one.id} count={2} />
            <span class="aside">{plural(one.size, 'sample')}</span>
          </label>
        ))}
      </fieldset>
      <div class="dialog-foot">
        <button type="button" class="quiet" onClick={props.onClose}>
          Cancel
        </button>
        <button type="button" class="primary" autofocus onClick={() => void merge()}>
          Merge into “{target.name}”
        </button>
      </div>
    </Dialog>
  );
}

// One category into another that was chosen before.
export const AskMerge = (props: {
  stream: string;
  from: { id: number; name: string };
  into: { id: number; name: string };
  onClose: () => void;
  onMerge: () => void;
}) => (
  <Dialog title={`Merge “${props.from.name}” into “${props.into.name}”?`} onClose={props.onClose}>
    <ul class="subjects">
      {[props.from, props.into].map((one) => (
        <li key={one.id}>
          <b>{one.name}</b>
          <FacesOf stream={props.stream} id={one.id} class="medium" />
        </li>
      ))}
    </ul>
    <p class="note">
      All samples of “{props.from.name}”, past and to come, lead to “{props.into.name}”. It can be
      undone.
    </p>
    <div class="dialog-foot">
      <button type="button" class="quiet" onClick={props.onClose}>
        Cancel
      </button>
      <button type="button" class="primary" autofocus onClick={props.onMerge}>
        Merge
      </button>
    </div>
  </Dialog>
);
