// What the stream's own evidence suggests: warnings first, then suggestions, each with its reason and one click.
import { useState } from 'preact/hooks';
import { integer, percent, plural } from '../../shared/format';
import { mayOperate, streamPath } from '../api/client';
import type { Advice, Suggestion } from '../api/types';
import { Empty, Failed, Link, Loading, sentenceOf } from '../parts/basics';
import { FacesOf } from '../parts/faces';
import { perform } from '../state/actions';
import { useCalm, useResource } from '../state/resource';
import { go, toCategory, toSample } from '../state/route';
import { operationVersion, version } from '../state/stream';

const titles: Record<Suggestion['kind'], string> = {
  merge: 'Probably one category',
  split: 'Probably two categories',
  look: 'Worth a look',
  drift: 'Looks like a known class that drifted',
};
const verbs: Record<Suggestion['kind'], string> = {
  merge: 'Merge',
  split: 'Split',
  look: 'Open',
  drift: 'Merge into the known class',
};

// A category that a suggestion is about, with its newest members.
const Subject = (props: { stream: string; id: number; name: string }) => (
  <li>
    <Link to={toCategory(props.stream, props.id)} class="subject">
      {props.name}
    </Link>
    <FacesOf stream={props.stream} id={props.id} />
  </li>
);

function Card(props: {
  stream: string;
  suggestion: Suggestion;
  names: Record<string, string>;
  onDismiss: () => void;
}) {
  const { stream, suggestion, names } = props;
  const [busy, setBusy] = useState(false);
  const operation = suggestion.operation;
  return (
    <li class="suggestion panel" data-kind={suggestion.kind}>
      <div class="panel-head">
        <h3>{titles[suggestion.kind] ?? suggestion.kind}</h3>
        <span class="aside" title="How sure the evidence is">
          {percent(suggestion.strength, 0)}
        </span>
      </div>
      <ul class="subjects">
        {suggestion.categories.map((id) => (
          <Subject key={id} stream={stream} id={id} name={names[id] ?? `number ${id}`} />
        ))}
      </ul>
      <p>{sentenceOf(suggestion.reason)}</p>
      {suggestion.samples.length > 0 && (
        <p class="note">
          {suggestion.samples.slice(0, 5).map((sequence) => (
            <Link key={sequence} to={toSample(stream, sequence)} class="subject">
              sample {integer(sequence)}
            </Link>
          ))}
          {suggestion.samples.length > 5 && `and ${integer(suggestion.samples.length - 5)} more`}
        </p>
      )}
      <div class="suggestion-foot">
        {operation && mayOperate() && (
          <button
            type="button"
            class="primary"
            disabled={busy}
            onClick={async () => {
              setBusy(true);
              await perform(stream, operation);
              setBusy(false);
            }}
          >
            {verbs[suggestion.kind] ?? 'Do it'}
          </button>
        )}
        {!operation && suggestion.samples.length > 0 && (
          <button
            type="button"
            class="primary"
            onClick={() => go(toSample(stream, suggestion.samples[0]))}
          >
            {verbs[suggestion.kind] ?? 'Open'}
          </button>
        )}
        <button type="button" class="quiet" onClick={props.onDismiss}>
          Not now
        </button>
      </div>
    </li>
  );
}

export function Suggestions(props: { stream: string }) {
  const { stream } = props;
  const answer = useResource<Advice>(
    streamPath(stream, '/suggestions'),
    `${useCalm(version, 5000)} ${operationVersion.value}`,
  );
  // Put aside until the page is opened anew: the evidence may change.
  const [aside, setAside] = useState<Set<string>>(new Set());
  const [shown, setShown] = useState(24);
  const advice = answer.value;
  if (!advice) {
    return answer.problem ? (
      <Failed problem={answer.problem} retry={answer.reload} />
    ) : (
      <Loading what="suggestions" />
    );
  }
  const open = advice.suggestions.filter((one) => !aside.has(one.id));
  return (
    <>
      {advice.warnings.length > 0 && (
        <ul class="warnings">
          {advice.warnings.map((warning) => (
            <li key={warning.id} class="warning">
              <b>{sentenceOf(warning.text)}</b>
              <span class="note">
                since sample {integer(warning.since)}
                {warning.category !== null && (
                  <>
                    {' · '}
                    <Link to={toCategory(stream, warning.category)}>
                      {advice.names?.[warning.category] ?? `number ${warning.category}`}
                    </Link>
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {open.length > 0 && (
        <ul class="suggestions">
          {open.slice(0, shown).map((suggestion) => (
            <Card
              key={suggestion.id}
              stream={stream}
              suggestion={suggestion}
              names={advice.names ?? {}}
              onDismiss={() => setAside(new Set([...aside, suggestion.id]))}
            />
          ))}
        </ul>
      )}
      {open.length > shown && (
        <div class="pager">
          <button type="button" class="quiet" onClick={() => setShown(shown + 24)}>
            {plural(open.length - shown, 'more suggestion')}
          </button>
        </div>
      )}
      {!open.length && (
        <Empty title={advice.warnings.length ? 'No suggestions' : 'Nothing to suggest'}>
          <p>
            Categories that are probably one, or two, samples close to a boundary and known classes
            that drift would stand here, each with its reason.
          </p>
          {aside.size > 0 && (
            <button type="button" class="quiet" onClick={() => setAside(new Set())}>
              Show {plural(aside.size, 'suggestion')} put aside
            </button>
          )}
        </Empty>
      )}
    </>
  );
}
