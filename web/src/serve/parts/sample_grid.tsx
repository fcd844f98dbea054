// Samples side by side, as pictures or as what is known of them; optionally each can be picked.
import { compact, integer } from '../../shared/format';
import type { Attributes, Verdict } from '../api/types';
import { toSample } from '../state/route';
import { AttributeList, Link, Mark, Picture, sampleTitle } from './basics';

export interface GridSample {
  sequence: number;
  key: string | null;
  id: string | null;
  picture: boolean;
  verdict?: Verdict;
  attributes?: Attributes;
  cosine?: number;
  note?: string; // in place of its number
}

export function SampleGrid(props: {
  stream: string;
  samples: GridSample[];
  picked?: Set<number>;
  onPick?: (sequence: number) => void;
}) {
  const anyPicture = props.samples.some((sample) => sample.picture);
  return (
    <ul class={`samples ${anyPicture ? 'with-pictures' : ''}`}>
      {props.samples.map((sample) => {
        const title = sampleTitle(sample);
        const chosen = props.picked?.has(sample.sequence) ?? false;
        return (
          <li key={sample.sequence} class={chosen ? 'chosen' : ''}>
            {props.onPick && (
              <input
                type="checkbox"
                class="tick"
                aria-label={`Pick ${title}`}
                checked={chosen}
                onChange={() => props.onPick!(sample.sequence)}
              />
            )}
            <Link to={toSample(props.stream, sample.sequence)} class="sample-link">
              {sample.picture && (
                <Picture stream={props.stream} sequence={sample.sequence} alt={title} />
              )}
              <span class="sample-title">
                {sample.verdict && <Mark verdict={sample.verdict} />}
                <span>{title}</span>
              </span>
              <span class="aside">
                {sample.note ?? `#${integer(sample.sequence)}`}
                {sample.cosine !== undefined && ` · ${compact(sample.cosine)}`}
              </span>
            </Link>
            {!sample.picture && <AttributeList attributes={sample.attributes ?? {}} limit={3} />}
          </li>
        );
      })}
    </ul>
  );
}
