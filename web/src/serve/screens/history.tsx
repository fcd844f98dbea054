// Everything that people did to a stream, newest first, each with the way back.
import { useEffect, useState } from 'preact/hooks';
import { integer } from '../../shared/format';
import { get, mayOperate, query, streamPath } from '../api/client';
import type { Outcome } from '../api/generated';
import { Empty, Failed, Link, Loading } from '../parts/basics';
import { asProblem, notify, undo } from '../state/actions';
import { useResource } from '../state/resource';
import { toCategory } from '../state/route';
import { operationVersion } from '../state/stream';
import { sentence, tookBack } from '../state/words';

interface Answer {
  operations: Outcome[];
  next: number | null;
}

const when = (time: number): string => {
  const date = new Date(time * 1000);
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], {
    ...(today ? {} : { year: 'numeric', month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
};

function Entry(props: { stream: string; outcome: Outcome }) {
  const { stream, outcome } = props;
  const [busy, setBusy] = useState(false);
  const undone = outcome.undone_by !== null;
  const isUndo = tookBack(outcome.text) % 2 === 1;
  return (
    <li class={`entry ${undone ? 'undone' : ''}`} data-event={outcome.event}>
      <span class="entry-kind">{outcome.kind}</span>
      <div class="entry-text">
        <span>{sentence(outcome.text)}</span>
        <span class="aside">
          event {integer(outcome.event)} · after {integer(outcome.sequence)} samples ·{' '}
          {outcome.actor || 'unknown'} · {when(outcome.time)}
          {outcome.category !== null && outcome.category >= 0 && (
            <>
              {' · '}
              <Link to={toCategory(stream, outcome.category)}>category</Link>
            </>
          )}
        </span>
      </div>
      {undone && <span class="note">undone by event {integer(outcome.undone_by)}</span>}
      {!undone && mayOperate() && (
        <button
          type="button"
          class="quiet"
          disabled={busy}
          onClick={async () => {
            setBusy(true);
            await undo(stream, outcome.event);
            setBusy(false);
          }}
        >
          {isUndo ? 'Redo' : 'Undo'}
        </button>
      )}
    </li>
  );
}

export function History(props: { stream: string }) {
  const { stream } = props;
  const path = streamPath(stream, '/operations');
  const answer = useResource<Answer>(path + query({ limit: 100 }), operationVersion.value);
  const [older, setOlder] = useState<Answer | null>(null);
  useEffect(() => setOlder(null), [answer.value]);
  const first = answer.value;
  if (!first) {
    return answer.problem ? (
      <Failed problem={answer.problem} retry={answer.reload} />
    ) : (
      <Loading what="the history" />
    );
  }
  const entries = [...first.operations, ...(older?.operations ?? [])];
  const next = older ? older.next : first.next;
  const more = async () => {
    try {
      const page = await get<Answer>(path + query({ limit: 100, before: next! }));
      setOlder({ operations: [...(older?.operations ?? []), ...page.operations], next: page.next });
    } catch (error) {
      notify({ text: 'The rest could not be read', problem: asProblem(error) });
    }
  };
  if (!entries.length) {
    return (
      <Empty title="Nothing was changed by hand">
        <p>Renames, merges, moves and promotions will stand here, each with its undo.</p>
      </Empty>
    );
  }
  return (
    <section class="panel">
      <ol class="history">
        {entries.map((outcome) => (
          <Entry key={outcome.event} stream={stream} outcome={outcome} />
        ))}
      </ol>
      {next !== null && (
        <div class="pager">
          <button type="button" class="quiet" onClick={() => void more()}>
            Older
          </button>
        </div>
      )}
    </section>
  );
}
