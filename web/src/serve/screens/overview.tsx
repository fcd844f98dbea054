// All streams of the folder at a glance, and the way to a new one.
import { useEffect, useState } from 'preact/hooks';
import { fixed, integer, percent, plural } from '../../shared/format';
import { mayOperate, send, server, streamPath } from '../api/client';
import type { Stream } from '../api/generated';
import { Empty, Failed, Link, Loading, sentenceOf } from '../parts/basics';
import { asProblem, notify } from '../state/actions';
import { useResource } from '../state/resource';
import { toStream } from '../state/route';
import { NewStream } from './new_stream';

function Progress(props: { stream: Stream }) {
  const progress = props.stream.progress;
  if (props.stream.state === 'opening') return <p class="note">Opening its journal …</p>;
  return (
    <div class="progress-line">
      <progress value={progress?.done ?? undefined} max={progress?.total || 1} />
      <span class="note">
        Calibrating{progress?.total ? ` ${percent(progress.done / progress.total, 0)}` : ' …'}
      </span>
    </div>
  );
}

function StreamCard(props: { stream: Stream; onGone: () => void }) {
  const { stream } = props;
  const flowing = stream.rate > 0;
  const giveUp = async () => {
    try {
      await send('DELETE', streamPath(stream.name));
      props.onGone();
    } catch (error) {
      notify({ text: 'Giving it up was refused', problem: asProblem(error) });
    }
  };
  return (
    <li class={`stream-card ${stream.state}`}>
      <Link to={toStream(stream.name)} class="stream-link">
        <h2>{stream.name}</h2>
        <span class="aside">
          {stream.method}
          {stream.dimension ? ` · ${integer(stream.dimension)} dimensions` : ''}
        </span>
      </Link>
      {stream.state === 'failed' && stream.error ? (
        <div class="failed small">
          <h3>{sentenceOf(stream.error.message)}</h3>
          {stream.error.hint && <p>{sentenceOf(stream.error.hint)}</p>}
          {mayOperate() && (
            <button type="button" class="quiet" onClick={() => void giveUp()}>
              Remove
            </button>
          )}
        </div>
      ) : stream.state !== 'ready' ? (
        <Progress stream={stream} />
      ) : (
        <dl class="facts">
          <div>
            <dt>samples</dt>
            <dd>{integer(stream.samples)}</dd>
          </div>
          <div>
            <dt>known classes</dt>
            <dd>{integer(stream.known)}</dd>
          </div>
          <div>
            <dt>discovered</dt>
            <dd>{integer(stream.discovered)}</dd>
          </div>
          <div>
            <dt>{flowing ? 'a second' : 'now'}</dt>
            <dd>
              {flowing ? (
                fixed(stream.rate, stream.rate < 10 ? 1 : 0)
              ) : (
                <span class="note">quiet</span>
              )}
            </dd>
          </div>
        </dl>
      )}
      {stream.warnings + stream.suggestions > 0 && (
        <p class="stream-foot">
          {stream.warnings > 0 && (
            <Link to={toStream(stream.name, 'review')} class="warn">
              {plural(stream.warnings, 'warning')}
            </Link>
          )}
          {stream.suggestions > 0 && (
            <Link to={toStream(stream.name, 'review')}>
              {plural(stream.suggestions, 'question')}
            </Link>
          )}
        </p>
      )}
    </li>
  );
}

const example = (origin: string) => `curl -T model.paco ${origin}/v1/streams/birds`;

export function Overview() {
  const [tick, setTick] = useState(0);
  const [making, setMaking] = useState(false);
  const streams = useResource<{ streams: Stream[] }>('/v1/streams', tick);
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) setTick((count) => count + 1);
    }, 2000);
    return () => window.clearInterval(timer);
  }, []);
  const list = streams.value?.streams;
  return (
    <main>
      <div class="screen-head">
        <h1>Streams</h1>
        {mayOperate() && list && list.length > 0 && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            New stream
          </button>
        )}
      </div>
      {!list && streams.problem && <Failed problem={streams.problem} retry={streams.reload} />}
      {!list && !streams.problem && <Loading what="streams" />}
      {list && list.length === 0 && (
        <Empty title="No streams yet">
          <p>
            A stream starts from what you know: a calibrated model, or labelled examples of the
            classes that you have.
          </p>
          {mayOperate() && (
            <button type="button" class="primary" onClick={() => setMaking(true)}>
              New stream
            </button>
          )}
          <p class="note">
            Or from a terminal: <code>{example(window.location.origin)}</code>
          </p>
        </Empty>
      )}
      {list && list.length > 0 && (
        <ul class="streams">
          {list.map((stream) => (
            <StreamCard key={stream.name} stream={stream} onGone={streams.reload} />
          ))}
        </ul>
      )}
      {making && server.value && <NewStream onClose={() => setMaking(false)} />}
    </main>
  );
}
