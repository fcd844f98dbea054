// Saves what the stream found as a file: a table of all samples as they are now, or the files of each category. Asked for with
// the reader's token, which a plain link could not carry.
import { useState } from 'preact/hooks';
import { fetchFrom, query, streamPath } from '../api/client';
import { asProblem, notify } from '../state/actions';
import { Dialog } from './dialog';

const forms = [
  {
    form: 'csv',
    file: 'csv',
    name: 'A table of samples',
    text: 'One row for each sample: file or key, category and name as they are now, how it was decided, and its score.',
  },
  {
    form: 'manifest',
    file: 'json',
    name: 'The files of each category',
    text: 'One entry for each category with the files or keys of its members, to sort a folder by.',
  },
] as const;

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function ExportButton(props: { stream: string }) {
  const { stream } = props;
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const take = async ({ form, file }: (typeof forms)[number]) => {
    setBusy(true);
    try {
      const answer = await fetchFrom(streamPath(stream, '/export') + query({ form }));
      save(await answer.blob(), `${stream}.${file}`);
      setAsking(false);
    } catch (error) {
      notify({ text: 'The export failed', problem: asProblem(error) });
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="quiet" onClick={() => setAsking(true)}>
        Export
      </button>
      {asking && (
        <Dialog title="Export" onClose={() => setAsking(false)}>
          <ul class="exports">
            {forms.map((one) => (
              <li key={one.form}>
                <div>
                  <b>{one.name}</b>
                  <p class="note">{one.text}</p>
                </div>
                <button
                  type="button"
                  class="primary"
                  disabled={busy}
                  aria-label={`Save ${one.name.toLowerCase()}`}
                  onClick={() => void take(one)}
                >
                  Save .{one.file}
                </button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}
