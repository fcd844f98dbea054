// All samples of a stream, newest first, a page at a time; found by key or by what the input called them.
import { useEffect, useState } from 'preact/hooks';
import { compact, integer } from '../../shared/format';
import { query, streamPath } from '../api/client';
import type { SamplePage, Verdict } from '../api/types';
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
  sampleTitle,
  verdictWords,
} from '../parts/basics';
import { useResource } from '../state/resource';
import { refine, toCategory, toSample } from '../state/route';
import { version } from '../state/stream';

const pageSize = 60;
const verdictChoices: [string, string][] = [
  ['', 'all'],
  ...(Object.entries(verdictWords) as [Verdict, string][]),
];

export function Samples(props: { stream: string; filter: URLSearchParams }) {
  const { stream, filter } = props;
  const search = filter.get('search') ?? '';
  const verdict = filter.get('verdict') ?? '';
  const [starts, setStarts] = useState<(number | undefined)[]>([undefined]);
  useEffect(() => setStarts([undefined]), [search, verdict, stream]);
  const path =
    streamPath(stream, '/samples') +
    query({ order: 'newest', limit: pageSize, from: starts.at(-1), search, verdict });
  // Only the first page follows the stream.
  const page = useResource<SamplePage>(path, starts.length === 1 ? version.value : 0);
  const samples = page.value?.samples ?? [];
  return (
    <>
      <div class="toolbar">
        <SearchField
          of="samples"
          hint="Search key or id"
          value={search}
          onChange={(text) => refine({ search: text })}
        />
        <Choice
          label="Decided as"
          value={verdict}
          options={verdictChoices}
          onChange={(value) => refine({ verdict: value })}
        />
      </div>
      {!page.value && page.problem && <Failed problem={page.problem} retry={page.reload} />}
      {!page.value && !page.problem && <Loading what="samples" lines={6} />}
      {page.value && !samples.length && (
        <Empty title={search || verdict ? 'Nothing fits' : 'No samples yet'}>
          {search && <p>Keys and ids of the newest hundred thousand samples were looked at.</p>}
        </Empty>
      )}
      {samples.length > 0 && (
        <div class="panel">
          <div class="scroll">
            <table class="sample-table">
              <thead>
                <tr>
                  <th>sample</th>
                  <th>decided as</th>
                  <th>category</th>
                  <th class="number">score</th>
                  <th class="number">threshold</th>
                  <th>runner-up</th>
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
                        <span>{sampleTitle(sample)}</span>
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
                    <td class="number">{compact(sample.score)}</td>
                    <td class="number">{compact(sample.threshold)}</td>
                    <td>{sample.runner_up === sample.category ? '–' : sample.runner_up_name}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Pager
            starts={starts}
            next={page.value!.next}
            words={['Newer', 'Older']}
            onChange={setStarts}
          />
        </div>
      )}
    </>
  );
}
