// The parts of the page that need no browser: types hold, events are parsed, addresses and windows are computed, bundles are
// what the policy says.
//   node parts_test.mjs BUILD_FOLDER       (holds node_modules and the built pages)
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const build = resolve(process.argv[2]);
const web = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(build, 'node_modules');
const folder = mkdtempSync(join(build, 'parts-'));
after(() => rmSync(folder, { recursive: true }));
const require = createRequire(join(modules, 'x.js'));

// One module of web/src as node can import it, with stand-ins for what a browser has.
globalThis.window = { location: { pathname: '/', hash: '' }, history: {} };
globalThis.sessionStorage = { getItem: () => null };
async function load(file) {
  const output = join(folder, `${file.replaceAll('/', '_')}.mjs`);
  await require('esbuild').build({
    entryPoints: [join(web, 'src', file)],
    bundle: true,
    format: 'esm',
    outfile: output,
    nodePaths: [modules],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'error',
  });
  return import(pathToFileURL(output));
}

test('the types of the pages hold', () => {
  // Packages are looked for beside the sources, and stand in the build folder.
  const check = join(folder, 'types');
  mkdirSync(check);
  symlinkSync(join(web, 'src'), join(check, 'src'));
  symlinkSync(modules, join(check, 'node_modules'));
  const config = JSON.parse(readFileSync(join(web, 'tsconfig.json'), 'utf8'));
  config.compilerOptions.preserveSymlinks = true;
  writeFileSync(join(check, 'tsconfig.json'), JSON.stringify(config));
  try {
    execFileSync(process.execPath, [join(modules, 'typescript', 'bin', 'tsc'), '-p', check], {
      encoding: 'utf8',
    });
  } catch (error) {
    assert.fail(error.stdout);
  }
});

test('events are the same however their text is cut', async () => {
  const { EventParser } = await load('serve/api/event_parser.ts');
  const text =
    'retry: 1000\n\n: alive\n\nid: 7\nevent: sample\ndata: {"a": "ü"}\n\ndata: one\r\ndata: two\r\n\r\nevent: none\n\nid: 9\ndata:x\n\nid: 10\ndata: unfinished\n';
  const whole = new EventParser().push(text);
  assert.deepEqual(whole, [
    { id: '7', kind: 'sample', data: '{"a": "ü"}' },
    { id: null, kind: 'message', data: 'one\ntwo' },
    { id: '9', kind: 'message', data: 'x' },
  ]);
  for (let size = 1; size < text.length; ++size) {
    const parser = new EventParser();
    const events = [];
    for (let i = 0; i < text.length; i += size)
      events.push(...parser.push(text.slice(i, i + size)));
    assert.deepEqual(events, whole, `pieces of ${size}`);
  }
});

test('addresses lead where they say, and nonsense leads nowhere', async () => {
  const { parseRoute, toCategory, toSample, toStream } = await load('serve/state/route.ts');
  assert.equal(parseRoute('/').at, 'streams');
  assert.deepEqual(parseRoute(toCategory('a.b-c', 12)), {
    at: 'category',
    stream: 'a.b-c',
    id: 12,
  });
  assert.deepEqual(parseRoute(toSample('birds', 0)), {
    at: 'sample',
    stream: 'birds',
    sequence: 0,
  });
  assert.equal(parseRoute(toStream('birds')).tab, 'live');
  assert.equal(parseRoute(toStream('birds', 'map')).tab, 'map');
  for (const path of [
    '/x',
    '/s',
    '/s/birds/map/3',
    '/s/birds/categories/-1',
    '/s/birds/categories/1e3',
    '/s/birds/samples/1/2',
    '/s/%zz',
    '/s/birds/else',
  ])
    assert.equal(parseRoute(path).at, 'nowhere', path);
});

test('the window of a grid covers what is in sight and stays within the list', async () => {
  const { shapeOf } = await load('serve/parts/windowed.tsx');
  const cell = { width: 200, height: 100, gap: 10 };
  for (let seed = 0; seed < 2000; ++seed) {
    const at = (k) => ((seed + 1) * [7919, 104729, 1299709, 15485863][k]) % 100_003;
    const total = at(0) % 12_000;
    const width = 100 + (at(1) % 2000);
    const top = (at(2) % 300_000) - 2000;
    const height = 300 + (at(3) % 1200);
    const { columns, first, last } = shapeOf(total, width, cell, top, height);
    assert.ok(columns >= 1 && first >= 0 && first <= last && last <= total, `seed ${seed}`);
    assert.equal(first % columns, 0);
    assert.ok(
      last - first <= columns * (Math.ceil(height / 110) + 6),
      `seed ${seed}: ${last - first} cells`,
    );
    for (const y of [top, top + height / 2, top + height]) {
      const row = Math.floor(y / 110);
      if (row < 0 || row * columns >= total) continue;
      assert.ok(
        row * columns >= first && row * columns < last,
        `seed ${seed}: row ${row} is in sight`,
      );
    }
  }
});

test('the picker highlights what is called so, else what begins so, else a new one', async () => {
  const { offers } = await load('serve/parts/category_picker.tsx');
  const one = (id, name) => ({ id, name, kind: 'known', size: 9 - id });
  const all = [one(1, 'night heron'), one(2, 'heron'), one(3, 'wren')];
  const near = [{ category: 3, name: 'wren', cosine: 0.9 }];
  const taken = (search, found = all, allowNew = true) => {
    const { list, first } = offers(search, found, near, [9], allowNew);
    return list[first]?.id;
  };
  assert.equal(taken(''), 3, 'the nearest');
  assert.equal(taken('heron', all.slice(0, 2)), 2);
  assert.equal(taken('her', all.slice(0, 2)), 2);
  assert.equal(taken('1', all.slice(0, 1)), 1, 'by number');
  assert.equal(taken('grey heron', []), 'new');
  assert.equal(taken('ero', all.slice(0, 2)), 'new', 'what only contains it has to be chosen');
  assert.equal(taken('ero', all.slice(0, 2), false), 1);
  assert.equal(taken('none', [], false), undefined);
  const { list } = offers('', [...all, one(9, 'itself')], near, [9], true);
  assert.deepEqual(
    list.map(({ id }) => id),
    [3, 1, 2, 'new'],
  );
});

test('marks of an axis never read the same twice', async () => {
  const { axisNumbers, duration } = await load('shared/format.ts');
  for (const [low, high] of [
    [-126.55, -126.45],
    [0.1, 0.2],
    [-300, 10],
    [1e-7, 3e-7],
    [5, 5.000001],
  ]) {
    const text = axisNumbers(low, high);
    const marks = Array.from({ length: 7 }, (_, i) => text(low + ((high - low) * i) / 6));
    assert.equal(new Set(marks).size, 7, marks.join(' '));
  }
  assert.equal(duration(0), '0');
  assert.equal(duration(0.01), 'under 0.1 µs');
});

test('the words about births, undoing and sending are true', async () => {
  const { beganWords, sendCommand, sentence, tookBack } = await load('serve/state/words.ts');
  assert.equal(beganWords(27, 27), 'all began in the stream');
  assert.equal(beganWords(24, 27), '24 began with a sample that was called new');
  assert.equal(beganWords(27, 24), '27 began, 3 since merged or made known');
  assert.equal(sentence("renamed 'a' to 'b'"), "Renamed 'a' to 'b'");
  assert.equal(sentence('took back event 5: renamed'), 'Undone: renamed');
  assert.equal(sentence('took back event 6: took back event 5: renamed'), 'Done again: renamed');
  assert.deepEqual(
    ['renamed', 'took back event 5: x', 'took back event 6: took back event 5: x'].map(tookBack),
    [0, 1, 2],
  );
  const command = sendCommand('http://h:1', 'birds', false);
  assert.equal(command, 'paco send --server http://h:1 --stream birds --input stream.npy');
});

test('a server that is busy says when to ask again, and an odd answer does not stop asking', async () => {
  const { retryAfter } = await load('serve/api/client.ts');
  assert.equal(retryAfter(503, '3'), 3);
  assert.equal(retryAfter(429, null), 1);
  assert.equal(retryAfter(503, 'Wed, 21 Oct 2026 07:28:00 GMT'), 1);
  assert.equal(retryAfter(503, '9999'), 30);
  assert.equal(retryAfter(404, '3'), null);
});

test('of merged categories a known class stays, then the larger, then the older', async () => {
  const { survivor } = await load('serve/parts/merge_dialog.tsx');
  const one = (id, size, kind = 'discovered') => ({ id, size, kind, name: '' });
  assert.equal(survivor([one(9, 50), one(3, 1, 'known')]), 3);
  assert.equal(survivor([one(9, 50), one(3, 1)]), 9);
  assert.equal(survivor([one(9, 5), one(3, 5)]), 3);
});

test('errors that are not ours still become a sentence', async () => {
  const { problemOf, query } = await load('serve/api/client.ts');
  assert.equal(problemOf(502, '<html>').message, 'the server answered 502 without a reason');
  assert.deepEqual(
    problemOf(409, '{"error": {"code": "conflict", "message": "no", "hint": "why"}}'),
    { code: 'conflict', message: 'no', hint: 'why' },
  );
  assert.equal(query({ a: 1, b: undefined, c: '', d: 'x y&z' }), '?a=1&d=x+y%26z');
});

test('the dashboard allows its own script and style and no other, and names no other place', () => {
  const html = readFileSync(join(build, 'dashboard.html'), 'utf8');
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
  for (const tag of ['script', 'style']) {
    const text = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html)[1];
    const hash = createHash('sha256').update(text).digest('base64');
    assert.ok(policy.includes(`${tag}-src 'sha256-${hash}';`), tag);
  }
  assert.ok(policy.startsWith("default-src 'none'"));
  assert.ok(!policy.includes('unsafe'));
  assert.doesNotMatch(html, /<[^>]+\son\w+=/);
  assert.doesNotMatch(html, /<(script|link|img|iframe)[^>]+(src|href)="https?:/);
});

test('photos belong to the class of their folder, and those beside the folders of classes to none', async () => {
  const { labelsOf, rowsOf } = await load('serve/state/examples.ts');
  assert.deepEqual(
    labelsOf(['birds/wren/1.jpg', 'birds/x.jpg', 'birds/stream/y.jpg', 'birds/tits/blue/2.jpg']),
    ['wren', '', '', 'blue'],
  );
  assert.deepEqual(labelsOf(['wren/1.jpg', 'robin/1.jpg', 'a.jpg']), ['wren', 'robin', '']);
  assert.deepEqual(rowsOf('text,label\r\n"a ""b"", c",one\n\nd,\n', ','), [
    ['text', 'label'],
    ['a "b", c', 'one'],
    ['d', ''],
  ]);
});
