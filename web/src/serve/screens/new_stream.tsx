// A new stream, from a model file or from a support set with its labels: name, files, upload with progress. Calibration goes on
// in the server; the stream's own screen shows how far it is.
import { useState } from 'preact/hooks';
import { percent } from '../../shared/format';
import { query, send, server, streamPath, upload } from '../api/client';
import type { Problem, Stream } from '../api/types';
import { Failed } from '../parts/basics';
import { Dialog } from '../parts/dialog';
import { asProblem } from '../state/actions';
import { go, toStream } from '../state/route';

const recommended = 'mirror';
const goodName = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,63}$/;

const size = (bytes: number) =>
  bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1e3))} kB`;

function FileField(props: {
  label: string;
  note: string;
  accept: string;
  file: File | null;
  onFile: (file: File | null) => void;
}) {
  const [over, setOver] = useState(false);
  return (
    <label
      class={`drop ${over ? 'over' : ''} ${props.file ? 'filled' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        props.onFile(event.dataTransfer?.files[0] ?? null);
      }}
    >
      <b>{props.label}</b>
      <span>{props.file ? `${props.file.name} · ${size(props.file.size)}` : props.note}</span>
      <input
        type="file"
        accept={props.accept}
        aria-label={props.label}
        onChange={(event) => props.onFile(event.currentTarget.files?.[0] ?? null)}
      />
    </label>
  );
}

export function NewStream(props: { onClose: () => void }) {
  const methods = server.value?.methods ?? [];
  const [from, setFrom] = useState<'model' | 'support'>('model');
  const [name, setName] = useState('');
  const [wish, setWish] = useState<string | null>(null);
  const [model, setModel] = useState<File | null>(null);
  const [embeddings, setEmbeddings] = useState<File | null>(null);
  const [labels, setLabels] = useState<File | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  // A model knows its method; examples are calibrated for the one that finds most.
  const best = methods.some((one) => one.name === recommended) ? recommended : '';
  const method = wish ?? (from === 'support' ? best : '');
  const nameFits = goodName.test(name);
  const complete = nameFits && (from === 'model' ? model : embeddings && labels);

  const create = async () => {
    setProblem(null);
    setShare(0);
    try {
      if (from === 'model') {
        await upload<Stream>(streamPath(name) + query({ method }), model!, setShare);
      } else {
        const whole = embeddings!.size + labels!.size;
        const first = embeddings!.size / whole;
        await upload(streamPath(name, '/support/embeddings'), embeddings!, (part) =>
          setShare(part * first),
        );
        await upload(streamPath(name, '/support/labels'), labels!, (part) =>
          setShare(first + part * (1 - first)),
        );
        await send<Stream>('POST', streamPath(name, '/calibrate'), method ? { method } : {});
      }
      props.onClose();
      go(toStream(name));
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setShare(null);
    }
  };
  const busy = share !== null;
  return (
    <Dialog title="New stream" onClose={busy ? () => undefined : props.onClose}>
      <form
        class="new-stream"
        onSubmit={(event) => {
          event.preventDefault();
          if (complete && !busy) void create();
        }}
      >
        <label class="labelled">
          <span>Name</span>
          <input
            class="field"
            value={name}
            placeholder="birds"
            autofocus
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setName(event.currentTarget.value.trim())}
          />
        </label>
        {name && !nameFits && (
          <p class="note bad">Letters, digits, dots, dashes and underscores, at most 64.</p>
        )}
        <div class="switch" role="group" aria-label="What it starts from">
          <button
            type="button"
            class="quiet"
            aria-pressed={from === 'model'}
            onClick={() => setFrom('model')}
          >
            From a model
          </button>
          <button
            type="button"
            class="quiet"
            aria-pressed={from === 'support'}
            onClick={() => setFrom('support')}
          >
            From labelled examples
          </button>
        </div>
        {from === 'model' ? (
          <FileField
            label="Model"
            note="a .paco file, as paco calibrate writes it; drop it here or choose"
            accept=".paco"
            file={model}
            onFile={setModel}
          />
        ) : (
          <div class="drops">
            <FileField
              label="Embeddings"
              note="npy, npz, safetensors, csv, jsonl or fvecs; one row an example"
              accept=".npy,.npz,.safetensors,.csv,.jsonl,.fvecs"
              file={embeddings}
              onFile={setEmbeddings}
            />
            <FileField
              label="Labels"
              note="npy, csv, json or one a line; as many as rows"
              accept=".npy,.csv,.txt,.json"
              file={labels}
              onFile={setLabels}
            />
          </div>
        )}
        <label class="labelled">
          <span>Method</span>
          <select value={method} onChange={(event) => setWish(event.currentTarget.value)}>
            {from === 'model' && <option value="">as the model says</option>}
            {methods.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
                {one.name === recommended ? ' (recommended)' : ''}: {one.summary}
              </option>
            ))}
          </select>
        </label>
        {from === 'support' && method !== recommended && best && (
          <p class="note">
            {recommended} found more on most sets that both were measured on; paco is the rule of
            the paper.
          </p>
        )}
        {busy && (
          <div class="progress-line" role="status">
            <progress value={share} max={1} />
            <span class="note">
              {share < 1 ? `Uploading ${percent(share, 0)}` : 'The server is reading it …'}
            </span>
          </div>
        )}
        {problem && <Failed problem={problem} />}
        <div class="dialog-foot">
          <button type="button" class="quiet" disabled={busy} onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={!complete || busy}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}
