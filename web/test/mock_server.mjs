// The HTTP contract over toy streams, for the page's own tests and for working on it without the program. It can be stopped and
// started again on its port with its streams kept, as the real one does with its journals.
//   node mock_server.mjs PAGE.html [PORT]       serves a stream that flows
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { answerTo } from './mock_answers.mjs';
import { refusal, ToyStream, unit } from './toy_stream.mjs';

export class MockServer {
  constructor(html, { tokens = null } = {}) {
    Object.assign(this, { html, tokens, streams: new Map(), sockets: new Set(), calls: [] });
    this.gates = new Set();
  }

  // Holds back the first message for which `match` is true: the answer to a call ("GET /v1/..."), made from the streams as they
  // are when it is asked, or an event ("event operation"). `arrived` resolves when there is one; release() lets it go.
  hold(match) {
    const gate = { match };
    gate.arrived = new Promise((resolve) => (gate.take = resolve));
    gate.released = new Promise((resolve) => (gate.release = resolve));
    this.gates.add(gate);
    return gate;
  }

  async pass(message) {
    const gate = [...this.gates].find(({ match }) => match(message));
    if (!gate) return;
    this.gates.delete(gate);
    gate.take();
    await gate.released;
  }

  add(stream) {
    this.streams.set(stream.name, stream);
    return stream;
  }

  start(port = 0) {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    return new Promise((resolve) =>
      this.server.listen(port, '127.0.0.1', () => {
        this.port = this.server.address().port;
        this.url = `http://127.0.0.1:${this.port}`;
        resolve(this.url);
      }),
    );
  }

  stop() {
    this.sockets.forEach((socket) => socket.destroy());
    return new Promise((resolve) => this.server.close(resolve));
  }

  async answer(request, response) {
    const url = new URL(request.url, 'http://x');
    const parts = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
    const reply = (status, body, type = 'application/json') => {
      response.writeHead(status, { 'Content-Type': type });
      response.end(type === 'application/json' ? JSON.stringify(body) : body);
    };
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      if (parts.length === 0 || parts[0] === 's') {
        const policy = /Content-Security-Policy" content="([^"]*)"/.exec(this.html)[1];
        response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors 'none'`);
        return reply(200, this.html, 'text/html; charset=utf-8');
      }
      this.calls.push(`${request.method} ${request.url}`);
      const who = this.tokens
        ? this.tokens[request.headers.authorization?.replace('Bearer ', '')]
        : { name: 'local', role: 'operate' };
      if (!who)
        throw refusal(
          401,
          'unauthorized',
          'this server needs a token',
          'send Authorization: Bearer TOKEN',
        );
      if (request.method !== 'GET' && who.role !== 'operate')
        throw refusal(403, 'forbidden', `the role ${who.role} does not allow this`);
      const body = Buffer.concat(chunks);
      const live = url.pathname.endsWith('/events') && this.streams.get(parts[2]);
      if (live && live.state === 'ready')
        return this.live(this.streams.get(parts[2]), url, response);
      const {
        status = 200,
        value,
        type,
      } = answerTo(this, request.method, parts.slice(1), url.searchParams, body, who);
      await this.pass(`${request.method} ${request.url}`);
      if (this.loses?.(`${request.method} ${request.url}`)) return response.socket.destroy();
      return reply(status, value, type);
    } catch (error) {
      if (!error.problem) console.error(error);
      if (error.status === 503) response.setHeader('Retry-After', '1');
      return reply(error.status ?? 500, {
        error: error.problem ?? { code: 'internal', message: String(error), hint: '' },
      });
    }
  }

  live(stream, url, response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 1000\n\n');
    const kinds = new Set((url.searchParams.get('kinds') ?? 'sample,operation,status').split(','));
    let last = Promise.resolve(); // events keep their order
    const write = ({ event, kind, data }) => {
      if (!kinds.has(kind) && !(kinds.has('created') && data.verdict === 'created')) return;
      const text = `id: ${event}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
      last = last.then(() => this.pass(`event ${kind}`)).then(() => response.write(text));
    };
    const from = url.searchParams.get('from');
    if (from !== null) stream.events.slice(Number(from)).forEach(write);
    const status = () =>
      response.write(`event: status\ndata: ${JSON.stringify(stream.brief())}\n\n`);
    status();
    const timer = setInterval(status, 500);
    stream.listeners.add(write);
    response.on('close', () => {
      clearInterval(timer);
      stream.listeners.delete(write);
    });
  }
}

// A stream with a few classes and samples around them and around new directions.
export function birds({ samples = 400, pictures = true, seed = 1 } = {}) {
  let state = seed;
  const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648 - 0.5;
  const classes = ['wren', 'robin', 'heron'].map((name, i) => ({
    name,
    direction: [0, 1, 2, 3].map((k) => (k === i ? 1 : 0.1)),
  }));
  const stream = new ToyStream('birds', { classes, threshold: 0.93, pictures });
  const centres = [
    ...classes.map((c) => c.direction),
    ...Array.from({ length: 9 }, () => [0, 0, 0, 0].map(() => random())),
  ].map(unit);
  const next = () => {
    const i = stream.samples.length;
    const centre = centres[Math.floor((random() + 0.5) * Math.min(centres.length, 3 + i / 30))];
    const names = { camera: ['north', 'pond'][i % 2], hour: i % 24 };
    stream.send({
      embedding: centre.map((x) => x + random() * 0.25),
      key: `img_${String(i).padStart(4, '0')}`,
      attributes: names,
    });
  };
  for (let i = 0; i < samples; ++i) next();
  stream.next = next;
  return stream;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = new MockServer(readFileSync(process.argv[2], 'utf8'));
  const stream = server.add(birds());
  stream.rate = 4;
  setInterval(stream.next, 250);
  console.log(await server.start(Number(process.argv[3] ?? 8600)));
}
