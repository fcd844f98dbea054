// Small pieces that every screen uses: links, pictures, marks, and the states in which there is nothing to show.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { integer } from '../../shared/format';
import { cachedPicture, picturePath, wantPicture } from '../api/pictures';
import type { Face, Problem, Verdict } from '../api/generated';
import { go } from '../state/route';

export function Link(props: {
  to: string;
  class?: string;
  label?: string;
  current?: boolean;
  children: ComponentChildren;
}) {
  return (
    <a
      href={props.to}
      class={props.class}
      aria-label={props.label}
      aria-current={props.current ? 'page' : undefined}
      onClick={(event) => {
        // New tabs and windows are the browser's.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
        event.preventDefault();
        go(props.to);
      }}
    >
      {props.children}
    </a>
  );
}

// Colours as the branches of the report: known, found before, in between, new.
const marks: Record<Verdict, string> = {
  known: 'circle b0',
  existing: 'circle b1',
  tentative: 'triangle b2',
  created: 'diamond b3',
};
export const verdictWords: Record<Verdict, string> = {
  known: 'known class',
  existing: 'found before',
  created: 'new category',
  tentative: 'tentative',
};
export const Mark = (props: { verdict: Verdict }) => (
  <i class={`mark ${marks[props.verdict] ?? 'circle'}`} title={verdictWords[props.verdict]} />
);

export const KindChip = (props: { kind: string; retired?: boolean }) => (
  <>
    <span class={`chip ${props.kind === 'known' ? 'b0' : 'b1'}`}>{props.kind}</span>
    {props.retired && <span class="chip retired">retired</span>}
  </>
);

// How a sample is called: by its key, its id in the input, or its number.
export const sampleTitle = (sample: {
  sequence: number;
  key?: string | null;
  id?: string | null;
}): string => sample.key || sample.id || `sample ${sample.sequence}`;

export type Attributes = Face['attributes'];

// What a text stream is made of; samples of other streams have none.
export const sampleText = (sample: { attributes?: Attributes }): string | null => {
  const text = sample.attributes?.text;
  return typeof text === 'string' && text ? text : null;
};

// When a sample came, as the reader's clock has it.
export const timeText = (seconds: number | null): string =>
  seconds === null
    ? ''
    : new Date(1000 * seconds).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

export const Picture = (props: {
  stream: string;
  sequence: number;
  alt: string;
  class?: string;
}) => (
  <PictureAt path={picturePath(props.stream, props.sequence)} alt={props.alt} class={props.class} />
);

export function PictureAt(props: { path: string; alt: string; class?: string }) {
  const { path } = props;
  const [url, setUrl] = useState<string | null | undefined>(cachedPicture(path));
  const [pixels, setPixels] = useState(false);
  useEffect(() => {
    const cached = cachedPicture(path);
    setUrl(cached);
    if (cached) return;
    const abort = new AbortController();
    void wantPicture(path, abort.signal).then((found) => {
      if (!abort.signal.aborted) setUrl(found);
    });
    return () => abort.abort();
  }, [path]);
  if (!url) return <span class={`picture blank ${props.class ?? ''}`} aria-hidden="true" />;
  return (
    <img
      class={`picture ${pixels ? 'pixels' : ''} ${props.class ?? ''}`}
      src={url}
      alt={props.alt}
      draggable={false}
      onLoad={(event) => {
        const { naturalWidth, naturalHeight } = event.currentTarget;
        setPixels(Math.max(naturalWidth, naturalHeight) <= 40);
      }}
    />
  );
}

export function AttributeList(props: { attributes: Attributes; limit?: number }) {
  const entries = Object.entries(props.attributes ?? {});
  if (!entries.length) return null;
  const shown = entries.slice(0, props.limit ?? entries.length);
  return (
    <dl class="attributes">
      {shown.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

export const Loading = (props: { what: string; lines?: number }) => (
  <div class="loading" role="status" aria-label={`Loading ${props.what}`}>
    {Array.from({ length: props.lines ?? 3 }, (_, i) => (
      <span key={i} class="bone" />
    ))}
  </div>
);

export const Empty = (props: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <svg viewBox="0 0 48 32" aria-hidden="true">
      <circle cx="13" cy="13" r="9" class="b0" />
      <circle cx="32" cy="11" r="6" class="b1" />
      <circle cx="25" cy="25" r="4.5" class="b3" />
    </svg>
    <h3>{props.title}</h3>
    {props.children}
  </div>
);

export const Failed = (props: { problem: Problem; retry?: () => void }) => (
  <div class="failed" role="alert">
    <h3>{sentenceOf(props.problem.message)}</h3>
    {props.problem.hint && <p>{sentenceOf(props.problem.hint)}</p>}
    {props.retry && (
      <button type="button" class="quiet" onClick={props.retry}>
        Try again
      </button>
    )}
  </div>
);

export const sentenceOf = (text: string): string =>
  text.replace(/^./, (first) => first.toUpperCase()).replace(/([^.!?])$/, '$1.');

// Cosines beside each other.
export const Level = (props: { value: number }) => (
  <span class="level" aria-hidden="true">
    <i style={{ width: `${100 * Math.min(1, Math.max(0, props.value))}%` }} />
  </span>
);

export const Choice = <T extends string>(props: {
  label: string;
  value: T;
  options: [T, string][];
  onChange: (value: T) => void;
}) => (
  <label class="choice">
    <span>{props.label}</span>
    <select
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value as T)}
    >
      {props.options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

// The field that the key "/" leads to.
export const SearchField = (props: {
  of: string;
  hint: string;
  value: string;
  onChange: (text: string) => void;
}) => (
  <input
    type="search"
    class="field"
    data-search
    placeholder={`${props.hint} ( / )`}
    aria-label={`Search ${props.of}`}
    value={props.value}
    onInput={(event) => props.onChange(event.currentTarget.value)}
  />
);

// Through a list of pages: where each page so far began, and where the next one begins (null: there is none).
export function Pager(props: {
  starts: (number | undefined)[];
  next: number | null;
  pages?: number;
  words?: [back: string, on: string];
  onChange: (starts: (number | undefined)[]) => void;
}) {
  const { starts, next } = props;
  const [back, on] = props.words ?? ['Back', 'Next'];
  if (starts.length < 2 && next === null) return null;
  return (
    <div class="pager">
      <button
        type="button"
        class="quiet"
        disabled={starts.length < 2}
        onClick={() => props.onChange(starts.slice(0, -1))}
      >
        ← {back}
      </button>
      <span class="note">
        page {integer(starts.length)}
        {props.pages !== undefined && ` of ${integer(props.pages)}`}
      </span>
      <button
        type="button"
        class="quiet"
        disabled={next === null}
        onClick={() => props.onChange([...starts, next!])}
      >
        {on} →
      </button>
    </div>
  );
}
