// Samples side by side, as pictures, texts or what else is known of them. A picture opens large; each sample can be picked, and
// a Shift-click picks all from the last one.
import { useRef, useState } from 'preact/hooks';
import { compact, integer } from '../../shared/format';
import type { Verdict } from '../api/generated';
import { toSample } from '../state/route';
import { type Attributes, AttributeList, Link, Mark, Picture, sampleText, sampleTitle } from './basics';
import { Lightbox } from './lightbox';

export interface GridSample {
  sequence: number;
  key: string | null;
  id: string | null;
  picture: boolean;
  verdict?: Verdict;
  verified?: boolean;
  attributes?: Attributes;
  cosine?: number;
  note?: string; // in place of its number
}

export function SampleGrid(props: {
  stream: string;
  samples: GridSample[];
  picked?: Set<number>;
  onPick?: (sequences: number[], on: boolean) => void;
  striking?: boolean; // what is picked is struck out
}) {
  const { samples, picked } = props;
  const [large, setLarge] = useState<number | null>(null); // which picture is open
  const anchor = useRef(-1); // where a range begins
  const pictures = samples.filter((sample) => sample.picture);
  const looks = pictures.length
    ? 'with-pictures'
    : samples.some(sampleText)
      ? 'with-texts'
      : '';

  const pick = (index: number, range: boolean) => {
    const on = !picked?.has(samples[index].sequence);
    const from = range && anchor.current >= 0 ? anchor.current : index;
    const [low, high] = [Math.min(from, index), Math.max(from, index)];
    anchor.current = index;
    props.onPick!(
      samples.slice(low, high + 1).map(({ sequence }) => sequence),
      on,
    );
  };
  return (
    <>
      <ul class={`samples ${looks} ${props.striking ? 'striking' : ''}`}>
        {samples.map((sample, index) => {
          const title = sampleTitle(sample);
          const text = sample.picture ? null : sampleText(sample);
          const chosen = picked?.has(sample.sequence) ?? false;
          return (
            <li key={sample.sequence} class={chosen ? 'chosen' : ''}>
              {props.onPick && (
                <input
                  type="checkbox"
                  class="tick"
                  aria-label={`${props.striking ? 'Strike out' : 'Pick'} ${title}`}
                  checked={chosen}
                  onClick={(event) => pick(index, event.shiftKey)}
                />
              )}
              {sample.picture && (
                <button
                  type="button"
                  class="enlarge"
                  aria-label={`Enlarge ${title}`}
                  onClick={() => setLarge(pictures.indexOf(sample))}
                >
                  <Picture stream={props.stream} sequence={sample.sequence} alt={title} />
                </button>
              )}
              {text && <p class="sample-text">{text}</p>}
              <Link to={toSample(props.stream, sample.sequence)} class="sample-link">
                <span class="sample-title">
                  {sample.verdict && <Mark verdict={sample.verdict} />}
                  <span>{title}</span>
                  {sample.verified && (
                    <i class="verified" title="Confirmed by a person">
                      ✓
                    </i>
                  )}
                </span>
                <span class="aside">
                  {sample.note ?? `#${integer(sample.sequence)}`}
                  {sample.cosine !== undefined && ` · ${compact(sample.cosine)}`}
                </span>
              </Link>
              {!sample.picture && !text && (
                <AttributeList attributes={sample.attributes ?? {}} limit={3} />
              )}
            </li>
          );
        })}
      </ul>
      {large !== null && pictures[large] && (
        <Lightbox
          stream={props.stream}
          samples={pictures}
          at={large}
          onClose={() => setLarge(null)}
        />
      )}
    </>
  );
}
