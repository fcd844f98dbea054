// What stands around every screen: the bar with the way home and the state of the connection, the notices, and what is shown
// in place of a screen if the server is silent or asks for a token.
import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toggleTheme } from '../../shared/theme';
import { greet, needsToken, server, silentSince, token, useToken } from '../api/client';
import { dismiss, notices } from '../state/actions';
import { liveState, name, reopening } from '../state/stream';
import { Failed, Link, sentenceOf } from './basics';
import { Dialog } from './dialog';

function Connection() {
  if (name.value === null) return null;
  const opening = reopening.value;
  const lost = !opening && (silentSince.value !== null || liveState.value === 'lost');
  const live = !lost && liveState.value === 'live';
  return (
    <span class={`connection ${live ? 'live' : lost ? 'lost' : ''}`} role="status">
      <i class="mark circle" />{' '}
      {opening ? 'opening' : live ? 'live' : lost ? 'not connected' : 'connecting'}
    </span>
  );
}

export function Bar(props: { onHelp: () => void }) {
  const user = server.value?.user;
  return (
    <div class="bar">
      <Link to="/" class="brand" label="All streams">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="5" cy="5" r="3.6" class="b0" />
          <circle cx="11.6" cy="6.4" r="2.6" class="b1" />
          <circle cx="8.4" cy="12" r="2.8" class="b3" />
        </svg>
        paco
      </Link>
      {name.value !== null && (
        <>
          <span class="crumb" aria-hidden="true">
            /
          </span>
          <Link to={`/s/${encodeURIComponent(name.value)}`} class="crumb-name">
            {name.value}
          </Link>
        </>
      )}
      <Connection />
      <span class="bar-end">
        {server.value?.tokens && user && (
          <span class="aside who" title={`This token may ${user.role}`}>
            {user.name}, {user.role}{' '}
            <button
              type="button"
              class="plain"
              onClick={() => {
                useToken('');
                needsToken.value = true;
              }}
            >
              sign out
            </button>
          </span>
        )}
        <button
          type="button"
          class="quiet"
          aria-label="Keyboard help"
          title="Keyboard ( ? )"
          onClick={props.onHelp}
        >
          ?
        </button>
        <button
          type="button"
          class="quiet"
          aria-label="Switch between light and dark"
          onClick={toggleTheme}
        >
          Light / dark
        </button>
      </span>
    </div>
  );
}

// While the server is silent: what is in sight stays, says how old it is, and comes back by itself.
export function SilentBanner() {
  const since = silentSince.value;
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (since === null) return;
    const timer = window.setInterval(() => {
      setTries((count) => count + 1);
      void greet().catch(() => undefined);
    }, 1500);
    return () => window.clearInterval(timer);
  }, [since]);
  if (since === null) return null;
  return (
    <div class="banner lost" role="alert" data-tries={tries}>
      <b>The server does not answer.</b> What you see is from{' '}
      {new Date(since * 1000).toLocaleTimeString()}. It comes back by itself as soon as the server
      does.
    </div>
  );
}

// After a restart of the server, until the stream is open again.
export const OpeningBanner = () =>
  reopening.value && silentSince.value === null ? (
    <div class="banner" role="status">
      <b>The server was started anew and opens the journal.</b> What you see is from before; it is
      brought up to date by itself.
    </div>
  ) : null;

export function Notices() {
  return (
    <div class="notices" aria-live="polite">
      {notices.value.map((notice) => (
        <div key={notice.id} class={`notice ${notice.problem ? 'bad' : ''}`}>
          <div>
            <b>{notice.text}</b>
            {notice.problem && (
              <p>
                {sentenceOf(notice.problem.message)}
                {notice.problem.hint && ` ${sentenceOf(notice.problem.hint)}`}
              </p>
            )}
          </div>
          {notice.undo && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                dismiss(notice.id);
                notice.undo!();
              }}
            >
              {notice.again ? 'Redo' : 'Undo'}
            </button>
          )}
          <button
            type="button"
            class="plain"
            aria-label="Dismiss"
            onClick={() => dismiss(notice.id)}
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}

export function TokenForm() {
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState(token.value !== '');
  const [busy, setBusy] = useState(false);
  return (
    <main class="gate">
      <form
        class="panel"
        onSubmit={async (event) => {
          event.preventDefault();
          setBusy(true);
          useToken(text.trim());
          const good = await greet().catch(() => false);
          setBusy(false);
          setWrong(!good);
        }}
      >
        <h1>This server asks for a token</h1>
        <p class="note">
          Whoever runs it has one for you. It is kept until this tab is closed and sent to this
          server only.
        </p>
        <label class="labelled">
          <span>Token</span>
          <input
            class="field"
            type="password"
            autocomplete="off"
            autofocus
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setWrong(false);
            }}
          />
        </label>
        {wrong && (
          <p class="note bad" role="alert">
            The server does not know this token.
          </p>
        )}
        <div class="dialog-foot">
          <button type="submit" class="primary" disabled={!text.trim() || busy}>
            Enter
          </button>
        </div>
      </form>
    </main>
  );
}

const keys: [string, string][] = [
  ['/', 'search'],
  ['← → ↑ ↓', 'move among categories'],
  ['Enter', 'open'],
  ['Space or x', 'pick'],
  ['m', 'merge what is picked'],
  ['r or F2', 'rename'],
  ['1 2 3', 'in a review: this one, the next, the third'],
  ['n, space', 'in a review: no or a new one, skip'],
  ['1 … 6', 'live, review, categories, samples, map, history'],
  ['Esc', 'clear, close, back to the list'],
  ['?', 'this list'],
];

export const Help = (props: { onClose: () => void }) => (
  <Dialog title="Keyboard" onClose={props.onClose}>
    <dl class="terms keys">
      {keys.map(([key, text]) => (
        <Fragment key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </Fragment>
      ))}
    </dl>
  </Dialog>
);

export const NoAnswer = (props: { retry: () => void }) => (
  <main class="gate">
    <Failed
      problem={{
        code: 'unreachable',
        message: 'The server does not answer',
        hint: 'Is paco serve running? This page tries again by itself',
      }}
      retry={props.retry}
    />
  </main>
);
