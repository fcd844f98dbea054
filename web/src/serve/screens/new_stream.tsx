// A new stream: from folders of photos or a table of texts, if the server can embed them, from a model file, or from embeddings
// with their labels. Examples are sent a few at a time, and the dialog stays until the stream is ready, so that a promise that
// they cannot keep can be chosen anew.
import { useEffect, useRef, useState } from 'preact/hooks';
import { integer, percent } from '../../shared/format';
import { get, pause, query, send, server, streamPath, upload } from '../api/client';
import type { Problem, Stream } from '../api/generated';
import { Failed } from '../parts/basics';
import { Dialog } from '../parts/dialog';
import { FromExamples } from '../parts/from_examples';
import { asProblem } from '../state/actions';
import { faultOf, type Found } from '../state/examples';
import { go, toStream } from '../state/route';
import { sendExamples, sendSamples } from '../state/sending';

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

type From = 'examples' | 'model' | 'support';
const froms: [From, string][] = [
  ['examples', 'From examples'],
  ['model', 'From a model'],
  ['support', 'From embeddings'],
];
const rates: [string, string][] = [
  ['', 'no promise'],
  ['0.01', 'at most 1%'],
  ['0.02', 'at most 2%'],
  ['0.05', 'at most 5%'],
  ['0.1', 'at most 10%'],
];

// Until the server has calibrated it; the reason if it cannot be.
async function calibrated(name: string, onShare: (share: number | null) => void) {
  for (;;) {
    const stream = await get<Stream>(streamPath(name));
    if (stream.state === 'ready') return null;
    if (stream.state === 'failed') return stream.error;
    const { progress } = stream;
    onShare(progress?.total ? progress.done / progress.total : null);
    await pause(300, new AbortController().signal);
  }
}

export function NewStream(props: { onClose: () => void }) {
  const methods = server.value?.methods ?? [];
  const embeds = server.value?.encoder != null;
  const [from, setFrom] = useState<From>(embeds ? 'examples' : 'model');
  const [name, setName] = useState('');
  const [wish, setWish] = useState<string | null>(null);
  const [rate, setRate] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const [sendRest, setSendRest] = useState(true);
  const [model, setModel] = useState<File | null>(null);
  const [embeddings, setEmbeddings] = useState<File | null>(null);
  const [labels, setLabels] = useState<File | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const [doing, setDoing] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  // A model knows its method; examples are calibrated for the one that finds most.
  const best = methods.some((one) => one.name === recommended) ? recommended : '';
  const method = wish ?? (from === 'model' ? '' : best);
  const nameFits = goodName.test(name);
  const given = {
    examples: found !== null && faultOf(found) === null,
    model: model !== null,
    support: embeddings !== null && labels !== null,
  };
  const complete = nameFits && given[from];

  const step = (words: string) => (part: number | null) => {
    setDoing(words);
    setShare(part);
  };
  const calibrate = async () => {
    await send<Stream>('POST', streamPath(name, '/calibrate'), {
      ...(method ? { method } : {}),
      ...(rate ? { false_new: Number(rate) } : {}),
    });
    step('Calibrating …')(null);
    const refused = await calibrated(name, step('Calibrating …'));
    if (refused) await send('DELETE', streamPath(name));
    return refused;
  };
  const create = async () => {
    setProblem(null);
    step('Uploading')(0);
    let refused: Problem | null = null;
    try {
      if (from === 'model') {
        await upload<Stream>(streamPath(name) + query({ method }), model!, step('Uploading'));
      } else if (from === 'support') {
        const whole = embeddings!.size + labels!.size;
        const first = embeddings!.size / whole;
        await upload(streamPath(name, '/support/embeddings'), embeddings!, (part) =>
          setShare(part * first),
        );
        await upload(streamPath(name, '/support/labels'), labels!, (part) =>
          setShare(first + part * (1 - first)),
        );
        refused = await calibrate();
      } else {
        const labelled = found!.examples.filter(({ label }) => label);
        const leftOut = await sendExamples(
          name,
          labelled,
          ({ done, total }) => step(`Embedded ${integer(done)} of ${integer(total)}`)(done / total),
          abort.current.signal,
        );
        if (abort.current.signal.aborted) return;
        refused = await calibrate();
        const rest = sendRest ? found!.examples.filter(({ label }) => !label) : [];
        const out = [...found!.leftOut, ...leftOut];
        if (!refused && rest.length + out.length) void sendSamples(name, rest, out);
      }
      if (refused) return setProblem(refused);
      props.onClose();
      go(toStream(name));
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setShare(null);
      setDoing('');
    }
  };
  const busy = doing !== '';
  return (
    <Dialog title="New stream" onClose={busy && from !== 'examples' ? () => undefined : props.onClose}>
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
          {froms
            .filter(([key]) => embeds || key !== 'examples')
            .map(([key, text]) => (
              <button
                key={key}
                type="button"
                class="quiet"
                aria-pressed={from === key}
                disabled={busy}
                onClick={() => setFrom(key)}
              >
                {text}
              </button>
            ))}
        </div>
        {from === 'examples' && (
          <FromExamples
            found={found}
            sendRest={sendRest}
            onFound={(one) => setFound(one.examples.length + one.leftOut.length ? one : null)}
            onSendRest={setSendRest}
          />
        )}
        {from === 'model' && (
          <FileField
            label="Model"
            note="a .paco file, as paco calibrate writes it; drop it here or choose"
            accept=".paco"
            file={model}
            onFile={setModel}
          />
        )}
        {from === 'support' && (
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
                {one.name === recommended ? ' (recommended)' : ''}:{' '}
                {one.summary.replace(/^recommended: /, '')}
              </option>
            ))}
          </select>
        </label>
        {from !== 'model' && method !== recommended && best && (
          <p class="note">
            {recommended} found more on most sets that both were measured on; paco is the rule of
            the paper.
          </p>
        )}
        {from !== 'model' && (
          <>
            <label class="labelled">
              <span>Known samples called new</span>
              <select value={rate} onChange={(event) => setRate(event.currentTarget.value)}>
                {rates.map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
            {rate && (
              <p class="note">
                The promise is kept by calling fewer samples new, so fewer categories are found. What
                that costs is measured on your examples and shown with the stream.
              </p>
            )}
          </>
        )}
        {busy && (
          <div class="progress-line" role="status">
            <progress value={share ?? undefined} max={1} />
            <span class="note">
              {doing}
              {share !== null && doing === 'Uploading' && ` ${percent(share, 0)}`}
            </span>
          </div>
        )}
        {problem && <Failed problem={problem} />}
        <div class="dialog-foot">
          <button
            type="button"
            class="quiet"
            disabled={busy && from !== 'examples'}
            onClick={props.onClose}
          >
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
