// A place to drop folders, photos or tables of texts into, or to choose them.
import { useRef, useState } from 'preact/hooks';
import { plural } from '../../shared/format';
import { chosenFiles, droppedFiles, examplesIn, type Found } from '../state/examples';

export function DropZone(props: { title: string; note: string; onFound: (found: Found) => void }) {
  const [over, setOver] = useState(false);
  const [reading, setReading] = useState(false);
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const take = async (found: Promise<Parameters<typeof examplesIn>[0]>) => {
    setReading(true);
    try {
      props.onFound(await examplesIn(await found));
    } finally {
      setReading(false);
    }
  };
  return (
    <div
      class={`drop folders ${over ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer) void take(droppedFiles(event.dataTransfer));
      }}
    >
      <b>{reading ? 'Looking through it …' : props.title}</b>
      <span>{props.note}</span>
      <span class="drop-buttons">
        <button type="button" class="quiet" onClick={() => folder.current!.click()}>
          Choose a folder …
        </button>
        <button type="button" class="quiet" onClick={() => files.current!.click()}>
          Choose files …
        </button>
      </span>
      <input
        ref={folder}
        type="file"
        aria-label="A folder"
        multiple
        {...{ webkitdirectory: true }}
        onChange={(event) => void take(Promise.resolve(chosenFiles(event.currentTarget.files)))}
      />
      <input
        ref={files}
        type="file"
        aria-label="Files"
        multiple
        accept=".jpg,.jpeg,.png,.webp,.csv,.tsv"
        onChange={(event) => void take(Promise.resolve(chosenFiles(event.currentTarget.files)))}
      />
    </div>
  );
}

// What could not be taken, by name.
export const LeftOutList = (props: { of: Found['leftOut'] }) =>
  props.of.length ? (
    <details class="left-out">
      <summary>{plural(props.of.length, 'file')} left out</summary>
      <ul>
        {props.of.slice(0, 200).map(({ name, why }) => (
          <li key={name}>
            <b>{name}</b>: {why}
          </li>
        ))}
      </ul>
    </details>
  ) : null;
