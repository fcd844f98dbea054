// "Where does this belong?": one sample large, beside the two or three categories that came close.
import { useState } from 'preact/hooks';
import { streamPath } from '../api/client';
import type { Near, SampleDetail, Suggestion } from '../api/generated';
import { perform } from '../state/actions';
import { useResource } from '../state/resource';
import { answer, skip } from '../state/review';
import { AttributeList, Failed, Loading, Picture, sampleText, sampleTitle } from './basics';
import { CategoryPicker } from './category_picker';
import { LargeCategory, QuestionFrame, type Answer } from './question';

// Where it is now first, then what was nearest.
export function choicesFor(sample: SampleDetail): Near[] {
  const here: Near = { category: sample.member_of, name: sample.now_name || sample.name, cosine: 1 };
  return [here, ...sample.runner_ups.filter((near) => near.category !== here.category)].slice(0, 3);
}

export function SampleQuestion(props: { stream: string; question: Suggestion }) {
  const { stream, question } = props;
  const sequence = question.samples[0];
  const found = useResource<SampleDetail>(streamPath(stream, `/samples/${sequence}`));
  const [choosing, setChoosing] = useState(false);
  const sample = found.value;
  if (!sample)
    return found.problem ? (
      <Failed problem={found.problem} retry={found.reload} />
    ) : (
      <Loading what="the sample" />
    );
  const place = async (into: number | 'new', name?: string) => {
    setChoosing(false);
    const outcome = await perform(
      stream,
      into === sample.member_of
        ? { kind: 'verify', samples: [sequence] }
        : {
            kind: 'move',
            samples: [sequence],
            into,
            ...(into === 'new' && name ? { name } : {}),
          },
    );
    if (outcome) answer(stream, question, outcome.event, 1);
  };
  const choices = choicesFor(sample);
  const text = sampleText(sample);
  const answers: Answer[] = [
    ...choices.map((near, i) => ({
      key: String(i + 1),
      text: near.name,
      primary: i === 0,
      run: () => place(near.category),
    })),
    { key: 'n', text: 'Another or a new one …', run: () => setChoosing(true) },
    { key: ' ', text: 'Skip', run: () => skip(stream, question) },
  ];
  return (
    <QuestionFrame
      kind="look"
      title="Where does this belong?"
      reason={question.reason}
      answers={answers}
    >
      <div class="large-sample">
        {sample.picture && (
          <Picture stream={stream} sequence={sequence} alt={sampleTitle(sample)} class="huge" />
        )}
        <div>
          {text && <p class="sample-text">{text}</p>}
          <b>{sampleTitle(sample)}</b>
          <AttributeList
            attributes={Object.fromEntries(
              Object.entries(sample.attributes).filter(([key]) => key !== 'text'),
            )}
          />
        </div>
      </div>
      <ul class="large-categories">
        {choices.map((near, i) => (
          <LargeCategory
            key={near.category}
            stream={stream}
            id={near.category}
            name={near.name}
            choice={String(i + 1)}
            count={4}
          />
        ))}
      </ul>
      {choosing && (
        <CategoryPicker
          stream={stream}
          title="Where does it belong?"
          note="It teaches the category that you choose. It can be undone."
          without={[sample.member_of]}
          near={sample.runner_ups}
          allowNew
          onPick={(id) => void place(id)}
          onNew={(name) => void place('new', name)}
          onClose={() => setChoosing(false)}
        />
      )}
    </QuestionFrame>
  );
}
