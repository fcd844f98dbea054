// What the mock server answers to each call of the contract, from toy streams. Streams of events are not here.
import { stripes } from './pictures.mjs';
import { dot, refusal, ToyStream } from './toy_stream.mjs';

const evidence = [
  {
    name: 'branch',
    unit: '',
    meaning: 'which step decided',
    choices: ['known_only', 'explained', 'attach', 'create'],
  },
  {
    name: 'top_cosine',
    unit: 'cosine',
    meaning: 'cosine with the nearest known class',
    choices: [],
  },
  {
    name: 'tau_birth',
    unit: 'score',
    meaning: 'the boundary of births when it was decided',
    choices: [],
  },
];
const branchOf = {
  known: 'known_only',
  existing: 'explained',
  created: 'create',
  tentative: 'attach',
};

function series(stream) {
  const width = Math.max(1, Math.ceil(stream.samples.length / 64));
  const steps = [];
  let categories = 0;
  for (let from = 0; from < stream.samples.length; from += width) {
    const part = stream.samples.slice(from, from + width);
    const verdicts = { known: 0, existing: 0, created: 0, tentative: 0 };
    const branch = {};
    for (const { verdict } of part) {
      ++verdicts[verdict];
      branch[branchOf[verdict]] = (branch[branchOf[verdict]] ?? 0) + 1;
    }
    categories += verdicts.created;
    steps.push({
      from,
      count: part.length,
      verdicts,
      choices: { branch },
      categories,
      means: { tau_birth: stream.threshold - from * 1e-5 },
    });
  }
  return { width, samples: stream.samples.length, steps };
}

function categories(stream, q) {
  const wish = (key, or) => q.get(key) ?? or;
  const search = wish('search', '').toLowerCase();
  const faces = Number(wish('faces', 0));
  const retired = wish('retired', 'yes');
  let list = stream.categories.filter(
    (c) =>
      c.now === c.id &&
      (wish('kind', 'all') === 'all' || c.kind === q.get('kind')) &&
      (retired === 'yes' || c.retired === (retired === 'only')) &&
      (!search || c.name.toLowerCase().includes(search) || String(c.id) === search),
  );
  const sort = wish('sort', 'id');
  const sizes = new Map();
  for (const sample of stream.samples) {
    const id = stream.memberOf(sample);
    sizes.set(id, (sizes.get(id) ?? 0) + 1);
  }
  const value = (c) => (sort === 'size' ? (sizes.get(c.id) ?? 0) : (c[sort] ?? 0));
  const sign = wish('order', 'asc') === 'desc' ? -1 : 1;
  list = list.sort(
    (x, y) => sign * (value(x) < value(y) ? -1 : value(x) > value(y) ? 1 : 0) || x.id - y.id,
  );
  const offset = Number(wish('offset', 0));
  const shown = list.slice(offset, offset + Number(wish('limit', 100)));
  return {
    total: list.length,
    offset,
    event: stream.events.length,
    categories: shown.map(({ id }) => stream.category(id, faces)),
  };
}

// Newest first or oldest first, a page at a time.
function page(all, q, name, view) {
  const newest = (q.get('order') ?? 'newest') !== 'oldest';
  const list = newest ? [...all].reverse() : all;
  const from = q.has('from') ? list.findIndex((s) => s.sequence === Number(q.get('from'))) : 0;
  const limit = Number(q.get('limit') ?? 100);
  return {
    total: all.length,
    [name]: list.slice(from, from + limit).map(view),
    next: list[from + limit]?.sequence ?? null,
  };
}

// A question is there until what it asks is settled.
function open(stream, { kind, categories: ids, samples }) {
  if (kind === 'merge') return ids.every((id) => stream.now(id) === id);
  if (kind === 'name') return /^category/.test(stream.categories[ids[0]].name);
  return !samples.every((sequence) => stream.verified.has(sequence));
}

export function answerTo(server, method, [first, name, ...rest], q, body, who) {
  const ok = (value, status = 200) => ({ value, status });
  if (!first)
    return ok({
      version: '0',
      page: true,
      user: who,
      tokens: Boolean(server.tokens),
      streams: server.streams.size,
      limits: { body: 1e8, upload: 1e9, image: 16 * 2 ** 20 },
      encoder: server.encoder ?? null,
      methods: [{ name: 'paco', summary: 'the method of the paper' }],
    });
  if (!name) return ok({ streams: [...server.streams.values()].map((s) => s.brief()) });
  const json = () => JSON.parse(body.toString() || '{}');
  let stream = server.streams.get(name);
  const path = rest.map((part) => (/^\d+$/.test(part) ? '#' : part)).join('/');
  const number = Number(rest.find((part) => /^\d+$/.test(part)));
  if (method === 'PUT' && path === '') {
    stream ??= server.add(new ToyStream(name, JSON.parse(body.toString())));
    return ok(stream.brief(), 201);
  }
  if (method === 'PUT') {
    server.uploads = { ...server.uploads, [rest[1]]: body.length };
    return ok({ rows: 3 });
  }
  // Photos of which the file is a text "broken" cannot be read.
  if (method === 'POST' && path === 'support/samples') {
    const { samples } = json();
    const bad = samples.findIndex(({ image }) => atob(image) === 'broken');
    if (bad >= 0) {
      const error = refusal(400, 'bad_format', `sample ${bad}: the image: not an image`);
      error.problem.row = bad;
      throw error;
    }
    if (q.get('anew')) server.examples = [];
    server.examples.push(...samples);
    return ok({ rows: server.examples.length, classes: 3 });
  }
  if (method === 'POST' && path === 'calibrate') {
    server.calibration = json();
    const labels = [...new Set((server.examples ?? []).map(({ label }) => label))];
    stream = server.add(
      new ToyStream(name, {
        classes: (labels.length ? labels : ['one', 'two']).map((label, i) => ({
          name: label,
          direction: [0, 1, 2, 3].map((k) => (k === i ? 1 : 0)),
        })),
      }),
    );
    stream.state = 'calibrating';
    setTimeout(() => (stream.state = 'ready'), 1500);
    return ok(stream.brief(), 202);
  }
  if (!stream)
    throw refusal(404, 'not_found', `there is no stream '${name}'`, 'GET /v1/streams lists them');
  if (stream.state === 'opening' && path !== '')
    throw refusal(503, 'unavailable', `the stream '${name}' is being opened`, 'ask again soon');
  const sample = () => {
    const found = stream.samples[number];
    if (!found)
      throw refusal(
        404,
        'not_found',
        `there is no sample ${number}`,
        `the stream has ${stream.samples.length} samples`,
      );
    return found;
  };
  switch (`${method} ${path}`) {
    case 'GET ':
      return ok({
        ...stream.brief(),
        figures: {},
        evidence,
        embeddings_kept: true,
        operations: [
          'rename',
          'merge',
          'separate',
          'move',
          'verify',
          'promote',
          'demote',
          'retire',
          'revive',
        ],
        delays: stream.delays ?? { count: stream.samples.length, p50_ms: 1.2, p99_ms: 4.4 },
        journal: { bytes: 1e6, durability: 'full' },
      });
    case 'POST samples':
      return ok({
        decisions: json().samples.map((one) => stream.send({ embedding: [1, 0, 0, 0], ...one })),
      });
    case 'GET samples': {
      const search = q.get('search') ?? '';
      const carried = q.get('attribute')?.split('=');
      const list = stream.samples.filter(
        (s) =>
          (!q.get('verdict') || s.verdict === q.get('verdict')) &&
          (!q.get('category') || stream.memberOf(s) === Number(q.get('category'))) &&
          (!carried || String(s.attributes[carried[0]]) === carried[1]) &&
          `${s.key} ${s.id} ${Object.values(s.attributes)}`.includes(search),
      );
      if (q.get('sort') !== 'score') return ok(page(list, q, 'samples', (s) => stream.view(s)));
      const sign = q.get('order') === 'desc' ? -1 : 1;
      const sorted = list.sort((a, b) => sign * (a.score - b.score));
      const from = Number(q.get('from') ?? 0);
      const next = from + Number(q.get('limit') ?? 100);
      return ok({
        total: sorted.length,
        samples: sorted.slice(from, next).map((s) => stream.view(s)),
        next: next < sorted.length ? next : null,
      });
    }
    case 'GET samples/#': {
      const one = sample();
      const near = stream
        .near(one.direction)
        .slice(0, 8)
        .map(({ category, cosine }) => ({
          category,
          name: stream.categories[category].name,
          cosine,
        }));
      const neighbours = stream.samples
        .filter((s) => s !== one)
        .slice(-200)
        .map((s) => ({
          sequence: s.sequence,
          cosine: dot(s.direction, one.direction),
          category: s.category,
          name: s.name,
          key: s.key,
          id: s.id,
          picture: s.picture,
        }))
        .sort((a, b) => b.cosine - a.cosine)
        .slice(0, 8);
      return ok({
        ...stream.view(one),
        evidence: { branch: branchOf[one.verdict], top_cosine: one.score, tau_birth: 0.9 },
        explanation: `its cosine ${one.score?.toFixed(3)} was compared with ${one.threshold}`,
        runner_ups: near,
        neighbours,
      });
    }
    case 'GET samples/#/picture':
      return { value: stripes(sample().direction, sample().sequence), type: 'image/png' };
    case 'GET categories':
      return ok(categories(stream, q));
    case 'GET categories/#': {
      if (!stream.categories[number])
        throw refusal(404, 'not_found', `there is no category ${number}`);
      const one = stream.category(number);
      const parts = one.prototypes.map((id) => ({
        prototype: id,
        size: stream.samples.filter((s) => s.prototype === id).length,
        birth: one.birth,
        resultant_length: 0.9,
        reference: stream.prototypes[id].reference,
        competing: !one.retired,
      }));
      const direction = stream.prototypes[one.prototypes[0]]?.direction;
      const nearest = direction
        ? stream
            .near(direction)
            .filter((n) => n.category !== number)
            .slice(0, 8)
            .map(({ category, cosine }) => ({
              category,
              name: stream.categories[category].name,
              cosine,
            }))
        : [];
      return ok({ ...one, parts, nearest });
    }
    case 'GET categories/#/members':
      return ok(
        page(stream.members(number), q, 'members', (s) => ({
          ...stream.view(s),
          ...(['middle', 'edge'].includes(q.get('order')) ? { cosine: s.score } : {}),
        })),
      );
    case 'GET map':
      return ok({
        event: stream.events.length,
        explained: [0.4, 0.2],
        points: stream.prototypes.map((p) => ({
          prototype: p.id,
          category: stream.now(p.owner),
          name: stream.categories[stream.now(p.owner)].name,
          x: p.direction[0],
          y: p.direction[1],
          size:
            stream.samples.length < 5000
              ? stream.samples.filter((s) => s.prototype === p.id).length
              : 1,
          known: stream.categories[stream.now(p.owner)].kind === 'known',
          retired: false,
        })),
      });
    case 'GET map/samples':
      return ok({
        samples: stream.samples.length,
        points: stream.samples.slice(-Number(q.get('limit'))).map((s) => {
          const { direction, ...rest } = s;
          const category = stream.memberOf(s);
          const { name } = stream.categories[category];
          const [x, y] = direction;
          return { ...rest, category, name, verified: false, x, y };
        }),
      });
    case 'GET recent': {
      const now = Date.now() / 1000;
      const steps = Array.from({ length: 60 }, (_, i) => ({
        time: Math.floor(now / 5 - 59 + i) * 5,
        samples: 20 + (i % 7),
        births: i < 40 && i % 9 === 0 ? 1 : 0,
        p50_ms: 1.2,
        p99_ms: 4.4 + (i % 5),
      }));
      return ok({ now, width: 5, steps });
    }
    case 'GET series':
      return ok(series(stream));
    case 'GET suggestions': {
      const advice = stream.advice ?? { suggestions: [], warnings: [] };
      return ok({
        event: stream.events.length,
        warnings: advice.warnings,
        suggestions: advice.suggestions.filter((one) => open(stream, one)),
        names: Object.fromEntries(stream.categories.map((c) => [c.id, c.name])),
      });
    }
    case 'GET export': {
      const rows = stream.samples.map((s) => stream.view(s));
      return q.get('form') === 'manifest'
        ? ok({ categories: stream.categories.map((c) => ({ name: c.name, files: rows.filter((s) => s.now === c.id).map((s) => s.key) })) })
        : {
            value: ['file,name,category,verdict,score']
              .concat(rows.map((s) => [s.key, s.now_name, s.now, s.verdict, s.score].join(',')))
              .join('\n'),
            type: 'text/csv',
          };
    }
    case 'GET operations':
      return ok({
        operations: stream.operations
          .map((o) => o.outcome)
          .reverse()
          .slice(0, 100),
        next: null,
      });
    case 'POST operations': {
      const request = json();
      const before = request.key && stream.byKey.get(request.key);
      const outcome = before || stream.operate(request, who.name);
      stream.byKey.set(request.key, outcome);
      return ok(outcome);
    }
    case 'POST operations/#/undo':
      return ok(stream.undo(number, who.name));
    default:
      throw refusal(404, 'not_found', `there is nothing at ${path}`);
  }
}
