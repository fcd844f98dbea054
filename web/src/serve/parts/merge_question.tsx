// "Are these one category?": both beside each other.
import type { Suggestion } from '../api/generated';
import { perform } from '../state/actions';
import { answer, decline, skip } from '../state/review';
import { LargeCategory, QuestionFrame } from './question';

export function MergeQuestion(props: {
  stream: string;
  question: Suggestion;
  names: Record<string, string>;
  sizes: Map<number, number>;
}) {
  const { stream, question, sizes } = props;
  const nameOf = (id: number) => props.names[id] ?? `category ${id}`;
  const merge = async () => {
    const operation = question.operation!;
    const outcome = await perform(stream, operation);
    if (!outcome) return;
    const joined = operation.categories ?? [];
    answer(
      stream,
      question,
      outcome.event,
      joined.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0),
    );
  };
  return (
    <QuestionFrame
      kind="merge"
      title="Are these the same thing?"
      reason={question.reason}
      answers={[
        { key: '1', text: 'Yes, merge them', primary: true, run: merge },
        { key: 'n', text: 'No, keep both', run: () => decline(stream, question) },
        { key: ' ', text: 'Skip', run: () => skip(stream, question) },
      ]}
    >
      <ul class="large-categories">
        {question.categories.slice(0, 2).map((id) => (
          <LargeCategory key={id} stream={stream} id={id} name={nameOf(id)} count={6} />
        ))}
      </ul>
    </QuestionFrame>
  );
}
