// A picture as large as the window: arrows go through those beside it, Escape closes it.
import { useEffect, useState } from 'preact/hooks';
import { integer } from '../../shared/format';
import { toSample } from '../state/route';
import { type Attributes, AttributeList, Link, Picture, sampleTitle } from './basics';
import { Dialog } from './dialog';

export interface LightboxSample {
  sequence: number;
  key: string | null;
  id: string | null;
  attributes?: Attributes;
}

export function Lightbox(props: {
  stream: string;
  samples: LightboxSample[];
  at: number; // which of them is shown first
  onClose: () => void;
}) {
  const { samples } = props;
  const [at, setAt] = useState(props.at);
  const step = (by: number) =>
    setAt((before) => (before + by + samples.length) % samples.length);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by) step(by);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [samples.length]);
  const sample = samples[at];
  return (
    <Dialog title={sampleTitle(sample)} onClose={props.onClose} wide>
      <div class="lightbox">
        <Picture stream={props.stream} sequence={sample.sequence} alt={sampleTitle(sample)} />
      </div>
      <AttributeList attributes={sample.attributes ?? {}} />
      <div class="dialog-foot">
        <Link to={toSample(props.stream, sample.sequence)} class="aside">
          Open sample {integer(sample.sequence)}
        </Link>
        {samples.length > 1 && (
          <>
            <span class="note">
              {integer(at + 1)} of {integer(samples.length)}
            </span>
            <button type="button" class="quiet" aria-label="The one before" onClick={() => step(-1)}>
              ←
            </button>
            <button type="button" class="quiet" aria-label="The next one" onClick={() => step(1)}>
              →
            </button>
          </>
        )}
      </div>
    </Dialog>
  );
}
