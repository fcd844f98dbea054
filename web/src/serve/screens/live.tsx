// One stream as it flows: figures, how samples were decided, curves along the stream and over the last minutes, the newest
// samples.
import { duration, fixed, integer, percent } from '../../shared/format';
import { server, streamPath } from '../api/client';
import type { Series, StreamDetail } from '../api/types';
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
import { ExportButton } from '../parts/export_button';
import { DelaysPlot, RatePlot } from '../parts/recent_plots';
import { BoundaryPlot, GrowthPlot, SharesPlot, waysOf } from '../parts/series_plots';
import { useCalm, useResource } from '../state/resource';
import { toCategory, toSample, toStream } from '../state/route';
import { detail, onlyBirths, recent, ticks, version } from '../state/stream';
import { beganWords, sendCommand } from '../state/words';

const Card = (props: { label: string; value: string; note: string; id: string }) => (
  <div class="card" id={`card-${props.id}`}>
    <div class="label">{props.label}</div>
    <div class="value">{props.value}</div>
    <div class="note">{props.note}</div>
  </div>
);

function Cards(props: { stream: StreamDetail; series: Series | null }) {
  const { stream, series } = props;
  const last = ticks.value.slice(-60);
  const births = last.reduce((sum, tick) => sum + tick.births, 0);
  const rate = ticks.value.length
    ? ticks.value.slice(-3).reduce((sum, tick) => sum + tick.rate, 0) /
      Math.min(3, ticks.value.length)
    : stream.rate;
  const created = series?.steps.reduce((sum, step) => sum + step.verdicts.created, 0);
  const measured = (stream.delays?.count ?? 0) > 0;
  const milliseconds = (value: number | null) => (value === null ? '–' : duration(value * 1000));
  return (
    <div class="cards five">
      <Card
        id="samples"
        label="Samples"
        value={integer(stream.samples)}
        note={`${stream.method}, ${integer(stream.dimension)} dimensions`}
      />
      <Card
        id="rate"
        label="Rate"
        value={rate > 0 ? `${fixed(rate, rate < 10 ? 1 : 0)} /s` : 'quiet'}
        note={rate > 0 ? 'over the last seconds' : 'no sample just now'}
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
        value={measured ? milliseconds(stream.delays.p50_ms) : '–'}
        note={
          measured
            ? `99% within ${milliseconds(stream.delays.p99_ms)}`
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

// Downloads of the stream's data. A link carries no token, so there is none if the server asks for tokens.
function Files(props: { stream: StreamDetail }) {
  const { name, journal } = props.stream;
  if (!journal) return null;
  return (
    <p class="note files">
      <ExportButton stream={name} /> The journal holds {fixed(journal.bytes / 1e6, 1)} MB, durability {journal.durability}.
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
  const flowing = stream.samples > 0;
  const images = server.value?.encoder?.dimension === stream.dimension;
  const series = useResource<Series>(flowing ? streamPath(props.stream, '/series') : null, asked);
  if (!flowing) {
    return (
      <>
        <Cards stream={stream} series={null} />
        <Empty title="Waiting for the first sample">
          <p>
            The model is ready. Send {images ? 'a folder of pictures, or embeddings' : 'embeddings'}{' '}
            of {integer(stream.dimension)} numbers:
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
      <Cards stream={stream} series={series.value} />
      {series.value && <Shares series={series.value} stream={stream} />}
      {!series.value && series.problem && <Failed problem={series.problem} retry={series.reload} />}
      {!series.value && !series.problem && <Loading what="the curves" lines={2} />}
      <div class="live-columns">
        <div class="live-plots">
          <RatePlot />
          <DelaysPlot />
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
