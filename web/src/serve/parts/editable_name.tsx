// A name that can be changed where it stands: a click, F2 or r turns it into a field; Enter keeps, Escape discards.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { mayOperate } from '../api/client';
import { perform } from '../state/actions';

interface Props {
  stream: string;
  id: number;
  name: string;
  onEditing: (editing: boolean) => void;
}

function NameField(props: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(props.name);
  const done = useRef(false);
  // Before the next frame: a browser under load delivers keys before it runs effects that wait for a frame, and keys that
  // find no field are lost, or are shortcuts of the page.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);

  const finish = async (keep: boolean) => {
    if (done.current) return; // Enter also takes the focus away
    done.current = true;
    const wanted = field.current!.value.trim();
    if (keep && wanted && wanted !== props.name) {
      const outcome = await perform(props.stream, {
        kind: 'rename',
        category: props.id,
        name: wanted,
      });
      if (!outcome) {
        done.current = false;
        field.current?.focus();
        return;
      }
    }
    props.onEditing(false);
  };
  return (
    <input
      ref={field}
      class="name-field"
      aria-label={`New name of ${props.name}`}
      value={text}
      maxLength={200}
      onInput={(event) => setText(event.currentTarget.value)}
      onClick={(event) => event.stopPropagation()}
      onBlur={() => void finish(false)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') void finish(true);
        if (event.key === 'Escape') void finish(false);
      }}
    />
  );
}

export function EditableName(props: Props & { editing: boolean }) {
  const { editing, ...rest } = props;
  if (editing) return <NameField {...rest} />;
  if (!mayOperate()) return <span class="name">{props.name}</span>;
  return (
    <button
      type="button"
      class="name rename"
      title="Rename (r)"
      onClick={(event) => {
        event.stopPropagation();
        props.onEditing(true);
      }}
    >
      {props.name}
    </button>
  );
}
