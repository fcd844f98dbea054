// More photos or texts for the stream that is looked at, if the server can embed them; and how far they are, on every screen.
import { useState } from 'preact/hooks';
import { integer, plural } from '../../shared/format';
import { mayOperate, server } from '../api/client';
import { detail } from '../state/stream';
import { endSending, sending, sendSamples } from '../state/sending';
import { Failed } from './basics';
import { Dialog } from './dialog';
import { DropZone, LeftOutList } from './drop_zone';

// The stream expects what the server's encoder makes.
export const embedsForStream = (): boolean =>
  mayOperate() &&
  server.value?.encoder != null &&
  server.value.encoder.dimension === detail.value?.dimension;

export function AddSamples(props: { stream: string; onSent?: () => void }) {
  const texts = server.value?.encoder?.kind === 'texts';
  return (
    <DropZone
      title={texts ? 'Drop a table of texts here' : 'Drop photos or folders of photos here'}
      note={
        texts
          ? 'csv with a column text; what the stream had before is not decided again'
          : 'JPEG, PNG or WebP; what the stream had before is not decided again'
      }
      onFound={(found) => {
        void sendSamples(props.stream, found.examples, found.leftOut);
        props.onSent?.();
      }}
    />
  );
}

export function AddSamplesButton(props: { stream: string }) {
  const [open, setOpen] = useState(false);
  if (!embedsForStream()) return null;
  const texts = server.value?.encoder?.kind === 'texts';
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        {texts ? 'Add texts' : 'Add photos'}
      </button>
      {open && (
        <Dialog title={texts ? 'Add texts' : 'Add photos'} onClose={() => setOpen(false)}>
          <AddSamples stream={props.stream} onSent={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

export function SendingBanner(props: { stream: string }) {
  const now = sending.value;
  if (now?.stream !== props.stream) return null;
  const sent = Math.max(0, now.done);
  return (
    <div class="banner sending" role="status">
      {!now.ended && (
        <>
          <progress value={now.total ? sent / now.total : undefined} max={1} />
          <span>
            {integer(sent)} of {integer(now.total)} sent. Keep this page open until all are.
          </span>
        </>
      )}
      {now.ended && !now.problem && (
        <span>{now.total > 0 ? `${plural(now.done, 'sample')} sent.` : 'The stream is ready.'}</span>
      )}
      {now.problem && <Failed problem={now.problem} />}
      <LeftOutList of={now.leftOut} />
      <button type="button" class="quiet" onClick={endSending}>
        {now.ended ? 'Dismiss' : 'Stop'}
      </button>
    </div>
  );
}
