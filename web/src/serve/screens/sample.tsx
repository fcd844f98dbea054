// One sample: what was answered and why, what came close, who is near, and the way to correct it.
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { compact, integer } from '../../shared/format';
import { mayOperate, streamPath } from '../api/client';
import type { SampleDetail } from '../api/generated';
import {
  AttributeList,
  Failed,
  Level,
  Link,
  Loading,
  Mark,
  Picture,
  sampleText,
  sampleTitle,
  sentenceOf,
  timeText,
  verdictWords,
} from '../parts/basics';
import { CategoryPicker } from '../parts/category_picker';
import { Lightbox } from '../parts/lightbox';
import { SampleGrid } from '../parts/sample_grid';
import { perform } from '../state/actions';
import { useResource } from '../state/resource';
import { toCategory, toSample } from '../state/route';
import { detail, operationVersion, supports } from '../state/stream';

function Evidence(props: { sample: SampleDetail }) {
  const fields = detail.value?.evidence ?? [];
  const rows = fields.filter(({ name }) => props.sample.evidence[name] !== undefined);
  const text = (value: SampleDetail['evidence'][string]) =>
    value === null ? 'not needed' : typeof value === 'number' ? compact(value) : String(value);
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>Evidence</h3>
      </div>
      <dl class="terms evidence">
        <dt>
          <b>{compact(props.sample.score)}</b>
        </dt>
        <dd>
          What was compared with the threshold {compact(props.sample.threshold)}.{' '}
          <code class="aside">score</code>
        </dd>
        {rows.map((field) => (
          <Fragment key={field.name}>
            <dt>
              <b>{text(props.sample.evidence[field.name])}</b>
            </dt>
            <dd>
              {sentenceOf(field.meaning)} <code class="aside">{field.name}</code>
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

export function SampleScreen(props: { stream: string; sequence: number }) {
  const { stream, sequence } = props;
  const [moving, setMoving] = useState(false);
  const [large, setLarge] = useState(false);
  const answer = useResource<SampleDetail>(
    streamPath(stream, `/samples/${sequence}`),
    operationVersion.value,
  );
  const sample = answer.value;
  if (!sample) {
    return answer.problem ? (
      <Failed problem={answer.problem} retry={answer.reload} />
    ) : (
      <Loading what="the sample" />
    );
  }
  const may = mayOperate() && supports('move') && detail.value?.embeddings_kept;
  const written = sampleText(sample);
  const { text: _, ...others } = sample.attributes;
  const rest = written ? others : sample.attributes;
  const elsewhere = sample.member_of !== sample.category;
  const move = async (into: number | 'new', name?: string) => {
    setMoving(false);
    await perform(stream, {
      kind: 'move',
      samples: [sequence],
      into,
      ...(into === 'new' && name ? { name } : {}),
    });
  };
  const last = (detail.value?.samples ?? 0) - 1;
  return (
    <>
      <div class="item-head">
        <div class="sample-head">
          {sample.picture && (
            <button
              type="button"
              class="enlarge"
              aria-label="Enlarge the picture"
              onClick={() => setLarge(true)}
            >
              <Picture
                stream={stream}
                sequence={sequence}
                alt={sampleTitle(sample)}
                class="large"
              />
            </button>
          )}
          <div>
            <h1>{sampleTitle(sample)}</h1>
            <p class="answer">
              <Mark verdict={sample.verdict} /> {verdictWords[sample.verdict]}:{' '}
              <Link to={toCategory(stream, sample.category)}>{sample.name}</Link>
              {elsewhere && (
                <>
                  {' '}
                  · today in{' '}
                  <Link to={toCategory(stream, sample.member_of)}>
                    {sample.now_name || `number ${sample.member_of}`}
                  </Link>
                </>
              )}
            </p>
            <p class="explanation">{sentenceOf(sample.explanation)}</p>
            <p class="sources">
              sample {integer(sequence)}
              {sample.time !== null && ` · came ${timeText(sample.time)}`}
              {sample.key && ` · key ${sample.key}`}
              {sample.id && sample.id !== sample.key && ` · ${sample.id}`}
              {sample.verified && ' · confirmed by a person ✓'}
            </p>
            {written && <p class="sample-text whole">{written}</p>}
            <AttributeList attributes={rest} />
          </div>
        </div>
        <div class="actions">
          {may && supports('verify') && !sample.verified && (
            <button
              type="button"
              class="quiet"
              title="It belongs where it is"
              onClick={() => void perform(stream, { kind: 'verify', samples: [sequence] })}
            >
              Confirm
            </button>
          )}
          {may && (
            <button type="button" class="quiet" onClick={() => setMoving(true)}>
              Move to …
            </button>
          )}
          {sequence > 0 && (
            <Link to={toSample(stream, sequence - 1)} class="quiet" label="The sample before">
              ←
            </Link>
          )}
          {sequence < last && (
            <Link to={toSample(stream, sequence + 1)} class="quiet" label="The sample after">
              →
            </Link>
          )}
        </div>
      </div>
      <div class="item-columns">
        <div class="stack-gap">
          <section class="panel">
            <div class="panel-head">
              <h3>Nearest samples</h3>
            </div>
            {sample.neighbours.length ? (
              <SampleGrid
                stream={stream}
                samples={sample.neighbours.map((near) => ({ ...near, note: near.name }))}
              />
            ) : (
              <p class="note">
                {detail.value?.embeddings_kept
                  ? 'There is no other sample yet.'
                  : 'This stream does not keep embeddings.'}
              </p>
            )}
          </section>
          <Evidence sample={sample} />
        </div>
        <div class="side">
          <section class="panel">
            <div class="panel-head">
              <h3>Came close</h3>
            </div>
            <p class="note">Nearest categories as they are now.</p>
            <ul class="near">
              {sample.runner_ups.map((near) => (
                <li key={near.category}>
                  <Link to={toCategory(stream, near.category)}>{near.name}</Link>
                  <Level value={near.cosine} />
                  <span class="aside">{compact(near.cosine)}</span>
                </li>
              ))}
            </ul>
            {sample.runner_up !== sample.category && (
              <p class="note">
                When it was decided, the runner-up was{' '}
                <Link to={toCategory(stream, sample.runner_up)}>{sample.runner_up_name}</Link>.
              </p>
            )}
          </section>
        </div>
      </div>
      {large && (
        <Lightbox stream={stream} samples={[sample]} at={0} onClose={() => setLarge(false)} />
      )}
      {moving && (
        <CategoryPicker
          stream={stream}
          title="Where does it belong?"
          note={`It leaves “${sample.now_name || sample.name}” and teaches the category that you choose. It can be undone.`}
          without={[sample.member_of]}
          near={sample.runner_ups}
          allowNew
          onPick={(id) => void move(id)}
          onNew={(name) => void move('new', name)}
          onClose={() => setMoving(false)}
        />
      )}
    </>
  );
}
