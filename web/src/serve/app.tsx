// The page as a whole: who we are, which screen the address asks for, and the keys that work everywhere.
import { useEffect, useState } from 'preact/hooks';
import { percent } from '../shared/format';
import { greet, needsToken, server, silentSince } from './api/client';
import { SendingBanner } from './parts/add_samples';
import { Failed, Link, Loading, sentenceOf } from './parts/basics';
import {
  Bar,
  Help,
  NoAnswer,
  Notices,
  OpeningBanner,
  SilentBanner,
  TokenForm,
} from './parts/frame';
import { Categories } from './screens/categories';
import { CategoryScreen } from './screens/category';
import { History } from './screens/history';
import { Live } from './screens/live';
import { MapScreen } from './screens/map';
import { Overview } from './screens/overview';
import { Review } from './screens/review';
import { SampleScreen } from './screens/sample';
import { Samples } from './screens/samples';
import { go, route, tabs, toStream, type Route, type Tab } from './state/route';
import { detail, enterStream, leaveStream, problem, ready } from './state/stream';

const tabNames: Record<Tab, string> = {
  live: 'Live',
  review: 'Review',
  categories: 'Categories',
  samples: 'Samples',
  map: 'Map',
  history: 'History',
};

function Tabs(props: { stream: string; current: Tab }) {
  const advice = (detail.value?.suggestions ?? 0) + (detail.value?.warnings ?? 0);
  const alarming = (detail.value?.warnings ?? 0) > 0;
  return (
    <nav aria-label="Views of the stream" class="tabs">
      {tabs.map((tab) => (
        <Link key={tab} to={toStream(props.stream, tab)} current={tab === props.current}>
          {tabNames[tab]}
          {tab === 'review' && advice > 0 && (
            <span class={`badge ${alarming ? 'warn' : ''}`}>{advice}</span>
          )}
        </Link>
      ))}
    </nav>
  );
}

// A stream that is not ready yet says how far it is, or why it will not be.
function NotReady() {
  const stream = detail.value!;
  if (stream.state === 'failed' && stream.error) return <Failed problem={stream.error} />;
  const progress = stream.progress;
  const share = progress?.total ? progress.done / progress.total : undefined;
  return (
    <div class="empty" role="status">
      <h3>{stream.state === 'opening' ? 'Opening the journal' : 'Calibrating'}</h3>
      <p>
        {stream.state === 'opening'
          ? 'The events since the last snapshot are decided anew and compared.'
          : 'The thresholds are being learned from the labelled examples.'}
      </p>
      <progress value={share} max={1} />
      <p class="note">{share === undefined ? '' : percent(share, 0)}</p>
    </div>
  );
}

type Inside = Exclude<Route, { at: 'streams' } | { at: 'nowhere' }>;

const tabOf = (at: Inside): Tab =>
  at.at === 'category' ? 'categories' : at.at === 'sample' ? 'samples' : at.tab;

function Screen(props: { at: Inside }) {
  const { at } = props;
  if (at.at === 'category') return <CategoryScreen key={at.id} stream={at.stream} id={at.id} />;
  if (at.at === 'sample') return <SampleScreen stream={at.stream} sequence={at.sequence} />;
  switch (at.tab) {
    case 'live':
      return <Live stream={at.stream} />;
    case 'review':
      return <Review stream={at.stream} />;
    case 'categories':
      return <Categories stream={at.stream} filter={at.filter} />;
    case 'samples':
      return <Samples stream={at.stream} filter={at.filter} />;
    case 'map':
      return <MapScreen stream={at.stream} />;
    case 'history':
      return <History stream={at.stream} />;
  }
}

function StreamFrame(props: { at: Inside }) {
  const { at } = props;
  useEffect(() => enterStream(at.stream), [at.stream]);
  const title = `${at.stream} · ${tabNames[tabOf(at)].toLowerCase()}`;
  useEffect(() => {
    document.title = `${title} · paco`;
  }, [title]);
  return (
    <>
      <Tabs stream={at.stream} current={tabOf(at)} />
      <main>
        <SendingBanner stream={at.stream} />
        {problem.value && !detail.value && <Failed problem={problem.value} retry={() => go('/')} />}
        {!problem.value && !detail.value && <Loading what="the stream" />}
        {detail.value && (ready.value ? <Screen at={at} /> : <NotReady />)}
      </main>
    </>
  );
}

function Streams() {
  useEffect(() => {
    leaveStream();
    document.title = 'paco';
  }, []);
  return <Overview />;
}

export function App() {
  const [help, setHelp] = useState(false);
  const [tried, setTried] = useState(false);
  const hello = () =>
    void greet()
      .catch(() => undefined)
      .then(() => setTried(true));
  useEffect(hello, []);
  // Who we are may have changed while the server was away.
  const silent = silentSince.value !== null;
  useEffect(() => {
    if (!silent && tried && !server.value) hello();
  }, [silent]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const writing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
      if (writing && event.key === 'Escape' && target.hasAttribute('data-search')) target.blur();
      if (writing || target.closest('dialog') || event.ctrlKey || event.metaKey || event.altKey)
        return;
      if (event.key === '?') setHelp(true);
      if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('[data-search]');
        if (field) event.preventDefault();
        field?.focus();
        field?.select();
      }
      const at = route.value;
      const tab = tabs[Number(event.key) - 1];
      if (tab && at.at !== 'streams' && at.at !== 'nowhere') go(toStream(at.stream, tab));
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);

  const at = route.value;
  return (
    <>
      <Bar onHelp={() => setHelp(true)} />
      <SilentBanner />
      <OpeningBanner />
      {needsToken.value ? (
        <TokenForm />
      ) : !server.value ? (
        tried && <NoAnswer retry={hello} />
      ) : at.at === 'streams' ? (
        <Streams />
      ) : at.at === 'nowhere' ? (
        <main class="gate">
          <Failed
            problem={{
              code: 'not_found',
              message: sentenceOf(`there is nothing at ${at.path}`),
              hint: 'The streams are one click away',
            }}
            retry={() => go('/')}
          />
        </main>
      ) : (
        <StreamFrame at={at} />
      )}
      <Notices />
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}
