// One connection for the events of a stream, however many tabs show it: browsers open six connections to a server, and a
// seventh tab would wait for ever. The tab that holds the browser's lock follows the stream and tells the others; when it goes,
// the next one takes over where the events stopped. Where the browser has no locks (pages over http from another machine) each
// tab has its own connection.
import { token } from './client';
import { follow, type Following, type LiveState } from './live';

type Message =
  | { what: 'event'; kind: string; data: unknown; id: number | null }
  | { what: 'state'; state: LiveState }
  | { what: 'hello' };

export function followShared(
  stream: string,
  options: { kinds: string; from: number | null },
  onEvent: (kind: string, data: unknown) => void,
  onState: (state: LiveState) => void,
): Following {
  const locks = typeof BroadcastChannel === 'undefined' ? undefined : window.navigator.locks;
  if (!locks) return follow(stream, options, onEvent, onState);

  // A reader with another token may see something else.
  const name = `paco events ${stream} ${token.peek()}`;
  const channel = new BroadcastChannel(name);
  const stopping = new AbortController();
  let next = options.from;
  let state: LiveState = 'connecting';
  let leading: Following | null = null;

  const tell = (message: Message) => channel.postMessage(message);
  const changed = (now: LiveState) => {
    state = now;
    onState(now);
  };
  channel.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if (stopping.signal.aborted) return;
    if (leading) {
      if (message.what === 'hello') tell({ what: 'state', state });
      return;
    }
    if (message.what === 'state') changed(message.state);
    if (message.what !== 'event') return;
    onEvent(message.kind, message.data);
    if (message.id !== null) next = message.id + 1;
  };

  const lead = () =>
    new Promise<void>((over) => {
      leading = follow(
        stream,
        { kinds: options.kinds, from: next },
        (kind, data, id) => {
          onEvent(kind, data);
          tell({ what: 'event', kind, data, id });
        },
        (now) => {
          changed(now);
          tell({ what: 'state', state: now });
        },
      );
      stopping.signal.addEventListener('abort', () => {
        leading?.stop();
        over();
      });
    });
  tell({ what: 'hello' });
  locks.request(name, { signal: stopping.signal }, lead).catch(() => undefined); // stopped while it waited

  return {
    get next() {
      return leading ? leading.next : next;
    },
    stop: () => {
      stopping.abort();
      channel.close();
    },
  };
}
