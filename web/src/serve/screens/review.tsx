// The questions that help a stream most, one after the other: two categories that may be one, categories without a name, samples
// between two categories. Warnings stand above them.
import { integer, plural } from '../../shared/format';
import { mayOperate, query, streamPath } from '../api/client';
import type { Advice, CategoryPage, Suggestion } from '../api/generated';
import { Empty, Failed, Link, Loading, sentenceOf } from '../parts/basics';
import { MergeQuestion } from '../parts/merge_question';
import { NameQuestion } from '../parts/name_question';
import { SampleQuestion } from '../parts/sample_question';
import { useCalm, useResource } from '../state/resource';
import { bringBack, openQuestions, putAside, sitting } from '../state/review';
import { toCategory, toStream } from '../state/route';
import { operationVersion, version } from '../state/stream';

const unnamed = /^category \d+$/;

function Warnings(props: { stream: string; advice: Advice }) {
  const { advice } = props;
  if (!advice.warnings.length) return null;
  return (
    <ul class="warnings">
      {advice.warnings.map((warning) => (
        <li key={warning.id} class="warning">
          <b>{sentenceOf(warning.text)}</b>
          <span class="note">
            since sample {integer(warning.since)}
            {warning.category !== null && (
              <>
                {' · '}
                <Link to={toCategory(props.stream, warning.category)}>
                  {advice.names?.[warning.category] ?? `category ${warning.category}`}
                </Link>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

// How far the reader has come, and what the answers of this sitting did.
function Progress(props: { found: CategoryPage | null; left: number }) {
  const { found } = props;
  const { answers, samples } = sitting.value;
  const named = found?.categories.filter(({ name }) => !unnamed.test(name)).length ?? 0;
  const whole = found !== null && found.categories.length === found.total;
  return (
    <div class="review-progress" role="status">
      {whole && found.total > 0 && (
        <>
          <progress value={named} max={found.total} aria-label="Categories with a name" />
          <span>
            <b>{integer(named)}</b> of {integer(found.total)} discovered categories have a name
          </span>
        </>
      )}
      <span>
        <b>{integer(props.left)}</b> {props.left === 1 ? 'question' : 'questions'} left
      </span>
      {answers > 0 && (
        <span>
          in this sitting <b>{plural(answers, 'answer')}</b> placed or named{' '}
          {plural(samples, 'sample')}
        </span>
      )}
    </div>
  );
}

function Question(props: {
  stream: string;
  question: Suggestion;
  names: Record<string, string>;
  sizes: Map<number, number>;
}) {
  const { stream, question } = props;
  if (question.samples.length && question.kind === 'look')
    return <SampleQuestion stream={stream} question={question} />;
  if (question.kind === 'name') return <NameQuestion stream={stream} question={question} />;
  return (
    <MergeQuestion stream={stream} question={question} names={props.names} sizes={props.sizes} />
  );
}

export function Review(props: { stream: string }) {
  const { stream } = props;
  const calm = `${useCalm(version, 5000)} ${operationVersion.value}`;
  const answer = useResource<Advice>(streamPath(stream, '/suggestions'), calm);
  const found = useResource<CategoryPage>(
    streamPath(stream, '/categories') +
      query({ kind: 'discovered', retired: 'no', sort: 'size', order: 'desc', limit: 1000 }),
    calm,
  );
  const advice = answer.value;
  if (!advice) {
    return answer.problem ? (
      <Failed problem={answer.problem} retry={answer.reload} />
    ) : (
      <Loading what="questions" />
    );
  }
  const open = openQuestions(stream, advice.event, advice.suggestions);
  const aside = putAside(stream);
  const sizes = new Map(found.value?.categories.map(({ id, size }) => [id, size]));
  return (
    <>
      <Warnings stream={stream} advice={advice} />
      <Progress found={found.value} left={open.length} />
      {open.length > 0 && mayOperate() && (
        <Question
          key={open[0].id}
          stream={stream}
          question={open[0]}
          names={advice.names ?? {}}
          sizes={sizes}
        />
      )}
      {open.length > 0 && !mayOperate() && (
        <Empty title={plural(open.length, 'question')}>
          <p>Your token may read. Whoever may operate the stream answers them here.</p>
        </Empty>
      )}
      {!open.length && (
        <Empty title="No questions">
          <p>
            Categories that may be one, categories without a name and samples between two categories
            are asked about here as they come up.
          </p>
          <Link to={toStream(stream, 'categories')}>Look through the categories</Link>
        </Empty>
      )}
      {aside > 0 && (
        <p class="note put-aside">
          {plural(aside, 'question')} skipped or answered with no.{' '}
          <button type="button" class="plain" onClick={() => bringBack(stream)}>
            Ask again
          </button>
        </p>
      )}
    </>
  );
}
