// The samples of a stream a page at a time, as a table or as pictures: found by what they are called or carry, by category, verdict,
// attribute and time, and put in order.
import { useMemo, useState } from 'preact/hooks';
import { compact, integer, plural } from '../../shared/format';
import { query, streamPath } from '../api/client';
import type { CategoryDetail, SamplePage, SampleView, Verdict } from '../api/generated';
import {
  Choice,
  Empty,
  Failed,
  Link,
  Loading,
  Mark,
  Pager,
  Picture,
  SearchField,
  sampleText,
  sampleTitle,
  timeText,
  verdictWords,
} from '../parts/basics';
import { CategoryPicker } from '../parts/category_picker';
import { SampleGrid } from '../parts/sample_grid';
import { usePages } from '../state/pages';
import { useResource } from '../state/resource';
import { refine, toCategory, toSample } from '../state/route';
import { version } from '../state/stream';

const pageSize = 60;
const verdictChoices: [string, string][] = [
  ['', 'all'],
  ...(Object.entries(verdictWords) as [Verdict, string][]),
];
const orders: [string, string][] = [
  ['', 'newest first'],
  ['oldest', 'oldest first'],
  ['score-asc', 'lowest score first'],
  ['score-desc', 'highest score first'],
];
// As the server has it.
const orderQuery = (order: string): Record<string, string> =>
  order.startsWith('score-')
    ? { sort: 'score', order: order.slice('score-'.length) }
    : { order: order || 'newest' };

// When samples came: a span up to now in seconds, or two days "2026-05-01/2026-05-31" of the reader's calendar.
const spans: [string, string][] = [
  ['', 'any time'],
  ['3600', 'in the last hour'],
  ['86400', 'in the last day'],
  ['604800', 'in the last week'],
];
const day = (offset = 0): string => {
  const date = new Date(Date.now() + 86_400_000 * offset);
  date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
  return date.toISOString().slice(0, 10);
};
export function timesOf(came: string): { time_from?: number; time_to?: number } {
  if (!came) return {};
  if (!came.includes('/')) return { time_from: Math.floor(Date.now() / 1000) - Number(came) };
  const [first, last] = came.split('/').map((text) => new Date(`${text}T00:00`).getTime() / 1000);
  return {
    time_from: Number.isFinite(first) ? Math.max(0, first) : undefined,
    time_to: Number.isFinite(last) ? Math.max(0, last + 86_399) : undefined,
  };
}

function CameFilter(props: { came: string }) {
  const { came } = props;
  const between = came.includes('/');
  const [first, last] = came.split('/');
  const set = (from: string, to: string) => refine({ came: `${from}/${to}` });
  return (
    <>
      <Choice
        label="Came"
        value={between ? 'between' : came}
        options={[...spans, ['between', 'between …']]}
        onChange={(value) =>
          value === 'between' ? set(day(-7), day()) : refine({ came: value })
        }
      />
      {between && (
        <span class="between">
          <input
            type="date"
            class="field"
            aria-label="From this day"
            value={first}
            onChange={(event) => set(event.currentTarget.value, last)}
          />
          –
          <input
            type="date"
            class="field"
            aria-label="To this day"
            value={last}
            onChange={(event) => set(first, event.currentTarget.value)}
          />
        </span>
      )}
    </>
  );
}

// One filter that is on, with the way to take it off.
const Filter = (props: { text: string; onClear: () => void }) => (
  <span class="filter chip">
    {props.text}{' '}
    <button
      type="button"
      class="plain"
      aria-label={`Without ${props.text}`}
      onClick={props.onClear}
    >
      ✕
    </button>
  </span>
);

function CategoryFilter(props: { stream: string; id: string }) {
  const { stream, id } = props;
  const [choosing, setChoosing] = useState(false);
  const chosen = useResource<CategoryDetail>(id ? streamPath(stream, `/categories/${id}`) : null);
  return (
    <>
      {id ? (
        <Filter
          text={`in ${chosen.value?.name ?? `category ${id}`}`}
          onClear={() => refine({ category: '' })}
        />
      ) : (
        <button type="button" class="quiet" onClick={() => setChoosing(true)}>
          Category …
        </button>
      )}
      {choosing && (
        <CategoryPicker
          stream={stream}
          title="Samples of which category?"
          note="As they belong today, with all corrections."
          without={[]}
          allowNew={false}
          onPick={(picked) => {
            setChoosing(false);
            refine({ category: String(picked) });
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}

// What the samples carry; a click shows all that carry the same.
const Attributes = (props: { sample: SampleView }) => (
  <span class="carried">
    {Object.entries(props.sample.attributes ?? {})
      .filter(([key]) => key !== 'text')
      .slice(0, 3)
      .map(([key, value]) => (
        <button
          key={key}
          type="button"
          class="plain"
          title={`All samples with ${key} ${value}`}
          onClick={() => refine({ attribute: `${key}=${value}` })}
        >
          {key} {String(value)}
        </button>
      ))}
  </span>
);

function Table(props: { stream: string; samples: SampleView[] }) {
  const { stream, samples } = props;
  return (
    <div class="scroll">
      <table class="sample-table">
        <thead>
          <tr>
            <th>sample</th>
            <th>decided as</th>
            <th>category</th>
            <th>came</th>
            <th class="number">score</th>
            <th class="number">threshold</th>
            <th>runner-up</th>
            <th>attributes</th>
          </tr>
        </thead>
        <tbody>
          {samples.map((sample) => (
            <tr key={sample.sequence}>
              <td>
                <Link to={toSample(stream, sample.sequence)} class="sample-cell">
                  {sample.picture && (
                    <Picture stream={stream} sequence={sample.sequence} alt="" class="tiny" />
                  )}
                  <span>
                    {sampleText(sample) ? (
                      <span class="sample-text">{sampleText(sample)}</span>
                    ) : (
                      sampleTitle(sample)
                    )}
                  </span>
                  {sample.verified && (
                    <i class="verified" title="Confirmed by a person">
                      ✓
                    </i>
                  )}
                  <span class="aside">#{integer(sample.sequence)}</span>
                </Link>
              </td>
              <td class="short">
                <Mark verdict={sample.verdict} />{' '}
                <span class="word">{verdictWords[sample.verdict]}</span>
              </td>
              <td>
                <Link to={toCategory(stream, sample.member_of)}>
                  {sample.now_name || sample.name}
                </Link>
              </td>
              <td class="short aside">{timeText(sample.time)}</td>
              <td class="number">{compact(sample.score)}</td>
              <td class="number">{compact(sample.threshold)}</td>
              <td>{sample.runner_up === sample.category ? '–' : sample.runner_up_name}</td>
              <td>
                <Attributes sample={sample} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Samples(props: { stream: string; filter: URLSearchParams }) {
  const { stream, filter } = props;
  const of = (key: string) => filter.get(key) ?? '';
  const [search, verdict, category, attribute] = ['search', 'verdict', 'category', 'attribute'].map(
    of,
  );
  const order = of('order');
  const grid = of('view') === 'pictures';
  const filters = { search, verdict, category, attribute };
  const came = of('came');
  const times = useMemo(() => timesOf(came), [came]);
  const filtered = came !== '' || Object.values(filters).some(Boolean);
  const wish = JSON.stringify([filters, came, order, stream]);
  const [starts, setStarts] = usePages(wish);
  const path =
    streamPath(stream, '/samples') +
    query({ ...orderQuery(order), limit: pageSize, from: starts.at(-1), ...filters, ...times });
  // Only the first page follows the stream.
  const page = useResource<SamplePage>(path, starts.length === 1 ? version.value : 0);
  const samples = page.value?.samples ?? [];
  return (
    <>
      <div class="toolbar">
        <SearchField
          of="samples"
          hint="Search names, texts, attributes"
          value={search}
          onChange={(text) => refine({ search: text })}
        />
        <Choice
          label="Decided as"
          value={verdict}
          options={verdictChoices}
          onChange={(value) => refine({ verdict: value })}
        />
        <Choice
          label="Order"
          value={order}
          options={orders}
          onChange={(value) => refine({ order: value })}
        />
        <CameFilter came={came} />
        <CategoryFilter stream={stream} id={category} />
        {attribute && (
          <Filter
            text={attribute.replace('=', ' ')}
            onClear={() => refine({ attribute: '' })}
          />
        )}
        <span class="note count" role="status">
          {page.value ? plural(page.value.total, 'sample') : ''}
        </span>
        <button
          type="button"
          class="quiet"
          aria-pressed={grid}
          onClick={() => refine({ view: grid ? '' : 'pictures' })}
        >
          Side by side
        </button>
      </div>
      {!page.value && page.problem && <Failed problem={page.problem} retry={page.reload} />}
      {!page.value && !page.problem && <Loading what="samples" lines={6} />}
      {page.value && !samples.length && (
        <Empty title={filtered ? 'Nothing fits' : 'No samples yet'}>
          {filtered && (
            <button
              type="button"
              class="quiet"
              onClick={() => refine({ search: '', verdict: '', category: '', attribute: '', came: '' })}
            >
              Show all
            </button>
          )}
        </Empty>
      )}
      {samples.length > 0 && (
        <div class="panel">
          {grid ? (
            <SampleGrid
              stream={stream}
              samples={samples.map((one) => ({ ...one, note: one.now_name || one.name }))}
            />
          ) : (
            <Table stream={stream} samples={samples} />
          )}
          <Pager
            starts={starts}
            next={page.value!.next}
            pages={Math.ceil(page.value!.total / pageSize)}
            words={['Before', 'Next']}
            onChange={setStarts}
          />
        </div>
      )}
    </>
  );
}
