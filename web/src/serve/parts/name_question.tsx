// "What is this?": a category without a name, its members large, a name to type, and those it may belong to.
import { useState } from 'preact/hooks';
import { streamPath } from '../api/client';
import type { CategoryDetail, Suggestion } from '../api/generated';
import { plural } from '../../shared/format';
import { perform } from '../state/actions';
import { useResource } from '../state/resource';
import { answer, decline, skip } from '../state/review';
import { LargeCategory, LargeFaces, QuestionFrame, type Answer } from './question';

export function NameQuestion(props: { stream: string; question: Suggestion }) {
  const { stream, question } = props;
  const id = question.categories[0];
  const found = useResource<CategoryDetail>(streamPath(stream, `/categories/${id}`));
  const category = found.value;
  const [typed, setTyped] = useState<string | null>(null); // null: nothing yet
  const suggested = category?.suggested_name ?? '';
  const name = (typed ?? suggested).trim();
  const near = (category?.nearest ?? []).slice(0, 2);

  const rename = async () => {
    if (!name) return;
    const outcome = await perform(stream, { kind: 'rename', category: id, name });
    if (outcome) answer(stream, question, outcome.event, category?.size ?? 0);
  };
  const merge = async (into: number) => {
    const outcome = await perform(stream, { kind: 'merge', categories: [id], into });
    if (outcome) answer(stream, question, outcome.event, category?.size ?? 0);
  };
  const answers: Answer[] = [
    ...near.map((one, i) => ({
      key: String(i + 1),
      text: `It is ${one.name}`,
      run: () => merge(one.category),
    })),
    { key: 'n', text: 'Leave it without a name', run: () => decline(stream, question) },
    { key: ' ', text: 'Skip', run: () => skip(stream, question) },
  ];
  return (
    <QuestionFrame
      kind="name"
      title="What is this?"
      reason={category ? `${plural(category.size, 'sample')} without a name` : ''}
      answers={answers}
    >
      <LargeFaces stream={stream} id={id} count={9} texts={6} />
      <form
        class="name-it"
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
        <input
          class="field"
          aria-label="Name of the category"
          placeholder="Type a name"
          maxLength={200}
          value={typed ?? suggested}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onFocus={(event) => event.currentTarget.select()}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <button type="submit" class="primary" disabled={!name}>
          Name it
        </button>
        {category?.keywords?.length ? (
          <span class="note">common words: {category.keywords.join(', ')}</span>
        ) : null}
      </form>
      {near.length > 0 && (
        <>
          <p class="note">Or is it one of these?</p>
          <ul class="large-categories">
            {near.map((one, i) => (
              <LargeCategory
                key={one.category}
                stream={stream}
                id={one.category}
                name={one.name}
                choice={String(i + 1)}
                count={3}
              />
            ))}
          </ul>
        </>
      )}
    </QuestionFrame>
  );
}
