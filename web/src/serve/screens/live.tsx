// One stream as it flows: figures, how samples were decided, curves along the stream and over the last minutes, the newest
// samples.
import { duration, fixed, integer, percent } from '../../shared/format';
import { server, streamPath } from '../api/client';
import type { RecentHour, Series, StreamDetail } from '../api/generated';
import {
  Empty,
  Failed,
  Link,
  Loading,
  Mark,
  Picture,
  sampleText,
  sampleTitle,
  verdictWords,
} from '../parts/basics';
import { AddSamples, AddSamplesButton, embedsForStream } from '../parts/add_samples';
import { ExportButton } from '../parts/export_button';
import { DelaysPlot, RatePlot } from '../parts/recent_plots';
import { BoundaryPlot, GrowthPlot, SharesPlot, waysOf } from '../parts/series_plots';
import { useCalm, useResource, useTick } from '../state/resource';
import { toCategory, toSample, toStream } from '../state/route';
import { detail, onlyBirths, recent, version } from '../state/stream';
import { beganWords, sendCommand } from '../state/words';

const Card = (props: { label: string; value: string; note: string; id: string }) => (
  <div class="card" id={`card-${props.id}`}>
    <div class="label">{props.label}</div>
    <div class="value">{props.value}</div>
    <div class="note">{props.note}</div>
  </div>
);

function Cards(props: {
  stream: StreamDetail;
  series: Series | null;
  hour: RecentHour | null;
}) {
  const { stream, series } = props;
  const { rate, delays } = stream;
  const minute = props.hour ? props.hour.steps.slice(-Math.ceil(60 / props.hour.width)) : [];
  const births = minute.reduce((sum, step) => sum + step.births, 0);
  const created = series?.steps.reduce((sum, step) => sum + step.verdicts.created, 0);
  const measured = delays !== undefined && delays.count > 0;
  const milliseconds = (value: number | null) => (value === null ? '–' : duration(value * 1000));
  return (
    <div class="cards five">
      <Card
        id="samples"
        label="Samples"
        value={integer(stream.samples)}
        note={`${stream.method}, ${integer(stream.dimension ?? 0)} dimensions`}
      />
      <Card
        id="rate"
        label="Rate"
        value={rate > 0 ? `${fixed(rate, rate < 10 ? 1 : 0)} /s` : 'quiet'}
        note={rate > 0 ? 'over the last ten seconds' : 'no sample just now'}
      />
      <Card
        id="known"
        label="Known classes"
        value={integer(stream.known)}
        note={stream.retired ? `${integer(stream.retired)} retired in all` : 'none retired'}
      />
      <Card
        id="discovered"
        label="Discovered"
        value={integer(stream.discovered)}
        note={
          created === undefined
            ? ''
            : births
              ? `${integer(births)} began in the last minute`
              : beganWords(created, stream.discovered)
        }
      />
      <Card
        id="delay"
        label="Delay of an answer"
        value={measured ? milliseconds(delays.p50_ms) : '–'}
        note={
          measured
            ? `99% within ${milliseconds(delays.p99_ms)}`
            : 'no answer since the server started'
        }
      />
    </div>
  );
}

function Shares(props: { series: Series; stream: StreamDetail }) {
  const { ways, count } = waysOf(props.series, props.stream.evidence ?? []);
  const sums = ways.map((_, k) =>
    props.series.steps.reduce((sum, step) => sum + count(step)[k], 0),
  );
  const all = sums.reduce((a, b) => a + b, 0);
  if (!all) return null;
  return (
    <>
      <div class="sharebar" aria-hidden="true">
        {ways.map((way, k) =>
          sums[k] ? <div key={way.key} class={`b${k}`} style={{ flexGrow: sums[k] }} /> : null,
        )}
      </div>
      <ul class="branches">
        {ways.map((way, k) => (
          <li key={way.key}>
            <i class={`mark ${way.symbol} b${k}`} />
            <div>
              <b>{way.name}</b>{' '}
              <span class="number">
                {percent(sums[k] / all)} · {integer(sums[k])}
              </span>
              <p>{way.text}</p>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

// What came last, to be looked at: pictures, or texts.
function Newest(props: { stream: string }) {
  const seen = recent.value.filter((one) => one.picture || sampleText(one)).slice(0, 8);
  if (!seen.length) return null;
  return (
    <section class="newest" aria-label="What came last">
      <ul>
        {seen.map((sample) => (
          <li key={sample.sequence}>
            <Link
              to={toSample(props.stream, sample.sequence)}
              label={`${sampleTitle(sample)}, ${sample.name}`}
            >
              {sample.picture ? (
                <Picture
                  stream={props.stream}
                  sequence={sample.sequence}
                  alt={sampleTitle(sample)}
                />
              ) : (
                <span class="newest-text">
                  <span class="sample-text">{sampleText(sample)}</span>
                </span>
              )}
            </Link>
            <Link to={toCategory(props.stream, sample.category)} class="newest-name">
              <Mark verdict={sample.verdict} /> <span>{sample.name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Feed(props: { stream: string }) {
  const samples = recent.value;
  return (
    <section class="panel feed" aria-label="Newest samples">
      <div class="panel-head">
        <h3>Newest samples</h3>
        <Link to={toStream(props.stream, 'samples')} class="aside">
          All samples
        </Link>
      </div>
      {onlyBirths.value && (
        <p class="note">The stream is fast: only samples that start a category are listed.</p>
      )}
      <ol>
        {samples.slice(0, 30).map((sample) => (
          <li key={sample.sequence}>
            {sample.picture && (
              <Picture stream={props.stream} sequence={sample.sequence} alt="" class="tiny" />
            )}
            <Mark verdict={sample.verdict} />
            <Link to={toSample(props.stream, sample.sequence)} class="feed-title">
              {sampleText(sample) ?? sampleTitle(sample)}
            </Link>
            <span class="feed-verdict">{verdictWords[sample.verdict]}</span>
            <Link to={toCategory(props.stream, sample.category)} class="feed-name">
              {sample.name}
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}

// What the model promises about known classes, and what that costs.
function Promised(props: { stream: StreamDetail }) {
  const promise = props.stream.false_new;
  if (!promise) return null;
  const { without } = promise;
  const kept = promise.with;
  return (
    <p class="note promised">
      Promised: at most {percent(promise.rate)} of the samples of known classes are called new.
      {kept && without && (
        <>
          {' '}
          On streams made of the examples {percent(kept.strict_all)} were right with it and{' '}
          {percent(without.strict_all)} without; {percent(kept.called_new)} and{' '}
          {percent(without.called_new)} of the known ones were called new.
        </>
      )}
      {!kept && ' What it costs could not be measured: there were too few examples.'}
    </p>
  );
}

// Downloads of the stream's data. A link carries no token, so there is none if the server asks for tokens.
function Files(props: { stream: StreamDetail }) {
  const { name, journal } = props.stream;
  if (!journal) return null;
  return (
    <p class="note files">
      <AddSamplesButton stream={name} /> <ExportButton stream={name} /> The journal holds {fixed(journal.bytes / 1e6, 1)} MB, durability {journal.durability}.
      {!server.value?.tokens && (
        <>
          {' '}
          Download the{' '}
          <a href={streamPath(name, '/journal')} download={`${name}.journal`}>
            journal
          </a>{' '}
          or the{' '}
          <a href={streamPath(name, '/model')} download={`${name}.paco`}>
            model
          </a>
          .
        </>
      )}
    </p>
  );
}

export function Live(props: { stream: string }) {
  const stream = detail.value!;
  // The curves along the stream cost a pass over it: every few seconds are enough.
  const asked = useCalm(version, 4000);
  const tick = useTick(5000);
  const flowing = stream.samples > 0;
  const images = server.value?.encoder?.dimension === stream.dimension;
  const series = useResource<Series>(flowing ? streamPath(props.stream, '/series') : null, asked);
  const hour = useResource<RecentHour>(flowing ? streamPath(props.stream, '/recent') : null, tick);
  if (!flowing) {
    return (
      <>
        <Cards stream={stream} series={null} hour={null} />
        <Empty title="Waiting for the first sample">
          {embedsForStream() && <AddSamples stream={props.stream} />}
          <p>
            {embedsForStream() ? 'Or from a terminal, a' : 'The model is ready. Send a'}{' '}
            {images ? 'folder of pictures, or ' : 'file of '}embeddings of{' '}
            {integer(stream.dimension ?? 0)} numbers:
          </p>
          <pre>
            <code>
              {`${sendCommand(window.location.origin, props.stream, images)}\n\n`}
              {`curl --data-binary @stream.npy -H 'Content-Type: application/x-npy' \\\n  ${window.location.origin}${streamPath(props.stream, '/samples')}`}
            </code>
          </pre>
        </Empty>
      </>
    );
  }
  return (
    <>
      <Newest stream={props.stream} />
      <Cards stream={stream} series={series.value} hour={hour.value} />
      <Promised stream={stream} />
      {series.value && <Shares series={series.value} stream={stream} />}
      {!series.value && series.problem && <Failed problem={series.problem} retry={series.reload} />}
      {!series.value && !series.problem && <Loading what="the curves" lines={2} />}
      <div class="live-columns">
        <div class="live-plots">
          {hour.value && (
            <>
              <RatePlot hour={hour.value} />
              <DelaysPlot hour={hour.value} />
            </>
          )}
          {series.value && (
            <>
              <GrowthPlot series={series.value} />
              <BoundaryPlot series={series.value} stream={stream} />
              <SharesPlot series={series.value} stream={stream} />
            </>
          )}
        </div>
        <Feed stream={props.stream} />
      </div>
      <Files stream={stream} />
    </>
  );
}
