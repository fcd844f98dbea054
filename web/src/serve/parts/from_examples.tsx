// The part of the dialog for a new stream that takes folders of photos, or tables of texts: what was found in them, and why it
// will not do.
import { integer, plural } from '../../shared/format';
import { server } from '../api/client';
import { classesOf, faultOf, type Found } from '../state/examples';
import { DropZone, LeftOutList } from './drop_zone';

const shownClasses = 40;

export function FromExamples(props: {
  found: Found | null;
  sendRest: boolean;
  onFound: (found: Found) => void;
  onSendRest: (on: boolean) => void;
}) {
  const { found } = props;
  const texts = server.value?.encoder?.kind === 'texts';
  const noun = texts ? 'text' : 'photo';
  if (!found) {
    return (
      <DropZone
        title={texts ? 'Drop a table of texts here' : 'Drop a folder of photos here'}
        note={
          texts
            ? 'csv with the columns text and label; rows without a label are the stream'
            : 'with a folder for each class that you know; photos beside them are the stream'
        }
        onFound={props.onFound}
      />
    );
  }
  const classes = [...classesOf(found)];
  const labelled = classes.reduce((sum, [, count]) => sum + count, 0);
  const rest = found.examples.length - labelled;
  const fault = faultOf(found);
  return (
    <div class="found">
      <p>
        <b>{plural(classes.length, 'class', 'classes')}</b> with {plural(labelled, noun)}
        {rest > 0 && ` · ${plural(rest, noun)} of no class`}
      </p>
      <ul class="found-classes">
        {classes.slice(0, shownClasses).map(([name, count]) => (
          <li key={name} class="chip">
            {name} <span class="aside">{integer(count)}</span>
          </li>
        ))}
        {classes.length > shownClasses && (
          <li class="aside">and {integer(classes.length - shownClasses)} more</li>
        )}
      </ul>
      {fault && <p class="note bad">{fault}</p>}
      {!fault && rest > 0 && (
        <label class="tick-line">
          <input
            type="checkbox"
            class="tick"
            checked={props.sendRest}
            onChange={(event) => props.onSendRest(event.currentTarget.checked)}
          />
          Then send the {plural(rest, noun)} of no class as its stream
        </label>
      )}
      <LeftOutList of={found.leftOut} />
      <button
        type="button"
        class="plain"
        onClick={() => props.onFound({ examples: [], leftOut: [] })}
      >
        Choose others
      </button>
    </div>
  );
}
