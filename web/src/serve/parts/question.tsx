// The frame of every question in a review: what is asked, what it is about, and the answers, each with its key.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { query, streamPath } from '../api/client';
import type { Category, CategoryDetail, MemberPage } from '../api/generated';
import { plural } from '../../shared/format';
import { useResource } from '../state/resource';
import { toCategory } from '../state/route';
import { KindChip, Link, Loading, Picture, sampleText, sampleTitle, sentenceOf } from './basics';
import { hintOf } from './category_card';
import { Examples } from './faces';

export interface Answer {
  key: string; // on the keyboard
  text: string;
  primary?: boolean;
  run: () => void | Promise<void>;
}

const keyNames: Record<string, string> = { ' ': 'space' };

export function QuestionFrame(props: {
  kind: string;
  title: string;
  reason: string;
  answers: Answer[];
  children: ComponentChildren;
}) {
  const { answers } = props;
  const [busy, setBusy] = useState(false);
  const run = async (answer: Answer) => {
    if (busy) return;
    setBusy(true);
    await answer.run();
    setBusy(false);
  };
  // Before the next frame: a key that comes with the question is meant for it.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.closest('dialog')) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const answer = answers.find(({ key }) => key === event.key);
      if (!answer) return;
      event.preventDefault();
      event.stopPropagation(); // elsewhere the numbers change the screen
      void run(answer);
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  });
  return (
    <section class="question panel" data-kind={props.kind} aria-label={props.title}>
      <div class="question-head">
        <h2>{props.title}</h2>
        {props.reason && <p class="note">{sentenceOf(props.reason)}</p>}
      </div>
      {props.children}
      <div class="answers">
        {answers.map((answer) => (
          <button
            key={answer.key}
            type="button"
            class={answer.primary ? 'primary' : 'quiet'}
            disabled={busy}
            onClick={() => void run(answer)}
          >
            <kbd>{keyNames[answer.key] ?? answer.key}</kbd> {answer.text}
          </button>
        ))}
      </div>
    </section>
  );
}

// Members of a category, large: pictures, texts, or what they are called.
export function LargeFaces(props: {
  stream: string;
  id: number;
  count: number;
  category?: Category | null;
  texts?: number;
}) {
  const members = useResource<MemberPage>(
    streamPath(props.stream, `/categories/${props.id}/members`) +
      query({ order: 'middle', limit: props.count }),
  );
  const list = members.value?.members;
  if (!list) return <Loading what="members" lines={2} />;
  const examples = props.category?.support_pictures ?? 0;
  if (examples || list.some((one) => one.picture))
    return (
      <div class="large-faces">
        {examples > 0 && (
          <Examples
            stream={props.stream}
            category={props.category!}
            count={Math.max(1, props.count - list.length)}
          />
        )}
        {list.slice(0, props.count - Math.min(examples, 1)).map((one) => (
          <Picture
            key={one.sequence}
            stream={props.stream}
            sequence={one.sequence}
            alt={sampleTitle(one)}
          />
        ))}
      </div>
    );
  return (
    <ul class="large-texts">
      {list.slice(0, props.texts).map((one) => (
        <li key={one.sequence}>{sampleText(one) ?? sampleTitle(one)}</li>
      ))}
      {!list.length && <li class="note">No sample of the stream yet.</li>}
    </ul>
  );
}

// One of the categories in question, with the key that chooses it.
export function LargeCategory(props: {
  stream: string;
  id: number;
  name: string;
  choice?: string;
  count: number;
  onChoose?: () => void;
}) {
  const { stream, id } = props;
  const answer = useResource<CategoryDetail>(streamPath(stream, `/categories/${id}`));
  const category = answer.value;
  const hint = category ? hintOf(category) : null;
  return (
    <li class="large-category">
      <div class="large-name">
        {props.choice && <kbd>{props.choice}</kbd>}
        <Link to={toCategory(stream, id)}>{category?.name ?? props.name}</Link>
        {category && <KindChip kind={category.kind} retired={category.retired} />}
      </div>
      <LargeFaces stream={stream} id={id} count={props.count} category={category} />
      <p class="aside">
        {category ? plural(category.size, 'sample') : ''}
        {hint && ` · ${hint}`}
      </p>
      {props.onChoose && (
        <button type="button" class="quiet" onClick={props.onChoose}>
          It is this one
        </button>
      )}
    </li>
  );
}
