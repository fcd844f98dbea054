// `paco report` from end to end: calibrate, discover, evaluate and report run on a golden case, and the page is looked at
// in a real browser.
//   node report_test.mjs PROGRAM NODE_MODULES GOLDEN_CASE
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspectCharts, openBrowser, openPage, placeOnScreen } from './browser.mjs';
import { writeMadeStream } from './made_stream.mjs';

const [program, modules, golden] = process.argv.slice(2);
const browser = await openBrowser(modules);
const folder = mkdtempSync(join(tmpdir(), 'paco-report-'));
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

const paco = (...args) => JSON.parse(execFileSync(program, [...args, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] }));
const at = (name) => join(folder, name);

const known = 1 + Math.max(...readInts(join(golden, 'support_labels.npy')));
const model = paco('calibrate', '--support', join(golden, 'support.npy'), '--labels', join(golden, 'support_labels.npy'), '--out', at('model.paco'));
const discovered = paco('discover', '--model', at('model.paco'), '--input', join(golden, 'stream.npy'), '--out', at('decisions.csv'), '--trace', at('trace.csv'));
const truth = ['--truth', join(golden, 'stream_labels.npy'), '--known', String(known)];
const evaluated = paco('evaluate', '--decisions', at('decisions.csv'), '--model', at('model.paco'), ...truth);
const full = ['report', '--decisions', at('decisions.csv'), '--trace', at('trace.csv'), '--model', at('model.paco'), ...truth, '--title', 'Golden <case>'];
paco(...full, '--out', at('report.html'));

// int64 npy files, which is what the golden labels are.
function readInts(path) {
  const bytes = readFileSync(path);
  const start = 10 + bytes.readUInt16LE(8);
  return Array.from({ length: (bytes.length - start) / 8 }, (_, i) => Number(bytes.readBigInt64LE(start + 8 * i)));
}

const number = (text) => Number(text.replaceAll(',', '').replace('−', '-').replace('%', ''));

test('the page complains about nothing and loads nothing', async () => {
  const page = await openPage(browser, at('report.html'));
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.requests, [`file://${at('report.html')}`]);
  assert.equal(await page.title(), 'Golden <case>');
  await page.close();
});

test('every plot has marks', async () => {
  const page = await openPage(browser, at('report.html'));
  const charts = await inspectCharts(page);
  assert.deepEqual(Object.keys(charts).sort(),
    ['birth', 'boundary', 'categories', 'hist-birth', 'hist-create', 'hist-hi', 'latency', 'routing', 'shares', 'sizes']);
  for (const [name, { items, drawn, colours }] of Object.entries(charts)) {
    assert.ok(items > 0, `${name} holds no data`);
    assert.ok(drawn > 500 && colours > 2, `${name} shows ${drawn} pixels in ${colours} colours`);
  }
  assert.ok(charts.routing.items >= discovered.samples, 'a sample is missing from the routing plane');
  await page.close();
});

test('the headline numbers equal the JSON of discover and evaluate', async () => {
  const page = await openPage(browser, at('report.html'));
  const card = async (key) => number(await page.locator(`.card[data-key=${key}] .value`).innerText());
  assert.equal(await card('samples'), discovered.samples);
  assert.equal(await card('known_classes'), known);
  assert.equal(await card('categories'), discovered.categories);
  for (const split of ['all', 'old', 'new']) {
    assert.equal(await card(`strict-${split}`), Number((100 * evaluated.strict[split]).toFixed(1)), split);
  }
  const stream = await page.evaluate(() => window.paco.data.stream);
  for (const key of ['samples', 'categories', 'singletons', 'mature', 'branches', 'routes', 'tau_birth', 'eta']) {
    assert.deepEqual(stream[key], discovered[key], key);
  }
  const { evaluation, tables } = await page.evaluate(() => window.paco.data);
  for (const key of ['strict', 'greedy', 'known_accuracy', 'clusters_seen', 'nmi', 'ari', 'interval', 'coverage']) {
    assert.deepEqual(evaluation[key], evaluated[key], key);
  }
  const rows = ({ columns, rows: cells }) => cells.map((row) => Object.fromEntries(row.map((value, i) => [columns[i].key, value])));
  for (const key of ['per_class', 'confused']) assert.deepEqual(rows(tables.find((table) => table.key === key)), evaluated[key], key);
  await page.close();
});

test('the thresholds equal the JSON of calibrate', async () => {
  const page = await openPage(browser, at('report.html'));
  const shown = await page.evaluate(() => window.paco.data.model);
  assert.equal(shown.hi.value, model.tau_hi);
  assert.equal(shown.tau_lo, model.tau_lo);
  assert.equal(shown.birth.value, model.tau_birth);
  assert.equal(shown.tau_birth_sup, model.tau_birth_sup);
  assert.equal(shown.create.value, model.tau_create);
  const cells = await page.locator('#table-thresholds tbody tr').first().locator('td').allInnerTexts();
  assert.equal(number(cells[1]), Number(model.tau_hi.toFixed(4)));
  await page.close();
});

test('clicking a category highlights it everywhere, and Escape clears', async () => {
  const page = await openPage(browser, at('report.html'));
  const row = page.locator('#table-categories tbody tr').first();
  const id = Number(await row.getAttribute('data-id'));
  await row.click();
  assert.equal(await page.evaluate(() => window.paco.selection()), id);
  assert.ok((await row.getAttribute('class')).includes('chosen'));
  assert.ok(await page.locator('.selection').isVisible());
  const marks = await page.evaluate((chosen) => {
    const { data, charts } = window.paco;
    const members = [...data.points.category].filter((category) => category === chosen).length;
    const options = (name) => charts.get(name).getOption().series;
    return {
      members,
      routing: options('routing').find((s) => s.name === 'highlight').data.length,
      rug: options('categories').find((s) => s.id === 'rug').data.length,
      bar: options('sizes')[0].data.find((bar) => bar.id === chosen).itemStyle.color,
      other: options('sizes')[0].data.find((bar) => bar.id !== chosen).itemStyle.color,
    };
  }, id);
  assert.ok(marks.members > 0);
  assert.equal(marks.routing, marks.members);
  assert.equal(marks.rug, marks.members);
  assert.notEqual(marks.bar, marks.other);
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => window.paco.selection()), null);
  assert.ok(!(await page.locator('.selection').isVisible()));
  await page.close();
});

test('hovering a point shows its explanation, clicking it highlights its category', async () => {
  const page = await openPage(browser, at('report.html'));
  // The point that stands furthest to the right lies alone.
  const row = await page.evaluate(() => {
    const cosine = window.paco.data.points.top_cosine;
    return cosine.indexOf(Math.max(...cosine));
  });
  const { x, y } = await placeOnScreen(page, 'routing', row);
  await page.mouse.move(x - 30, y - 30);
  await page.mouse.move(x, y);
  const tip = page.locator('.tip').first();
  await tip.waitFor();
  const expected = await page.evaluate((index) => window.paco.data.points.explanation[index], row);
  assert.ok((await tip.innerText()).includes(expected));
  await page.mouse.click(x, y);
  assert.equal(await page.evaluate(() => window.paco.selection()), await page.evaluate((index) => window.paco.data.points.category[index], row));
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('dark follows the system and the button switches', async () => {
  const page = await openPage(browser, at('report.html'), { colorScheme: 'dark' });
  const brightness = () => page.evaluate(() => {
    const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return (r + g + b) / 3;
  });
  assert.ok((await brightness()) < 60);
  await page.locator('button.theme').click();
  assert.ok((await brightness()) > 200);
  for (const [name, { colours }] of Object.entries(await inspectCharts(page))) assert.ok(colours > 2, name);
  await page.close();
});

test('nothing sticks out at any width', async () => {
  for (const width of [1280, 800, 390]) {
    const page = await openPage(browser, at('report.html'), { width });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    const wide = await page.evaluate(() => [...window.paco.charts].filter(([, chart]) => chart.getWidth() > chart.getDom().parentElement.clientWidth).map(([name]) => name));
    assert.deepEqual(wide, [], `at ${width} pixels`);
    await page.close();
  }
});

test('it prints in light, in a handful of pages', async () => {
  const page = await openPage(browser, at('report.html'), { colorScheme: 'dark' });
  await page.evaluate(() => window.addEventListener('beforeprint', () => { window.printedTheme = document.documentElement.dataset.theme; }));
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages >= 3 && pages <= 12, `${pages} pages`);
  assert.equal(await page.evaluate(() => window.printedTheme), 'light');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.close();
});

test('with decisions alone the page stands and says what is missing', async () => {
  paco('report', '--decisions', at('decisions.csv'), '--out', at('bare.html'));
  const page = await openPage(browser, at('bare.html'));
  assert.deepEqual(page.complaints, []);
  const text = await page.locator('main').innerText();
  assert.ok(text.includes('--trace'));
  assert.ok(text.includes('--model'));
  assert.equal(number(await page.locator('.card[data-key=categories] .value').innerText()), discovered.categories);
  await page.close();
});

test('45,000 samples stay under 3 MB, and the page says that points were thinned', async () => {
  const made = writeMadeStream(folder, { samples: 45000, known, tauHi: model.tau_hi, tauBirth: model.tau_birth_sup, tauCreate: model.tau_create });
  paco('report', '--decisions', at('made.csv'), '--trace', at('made-trace.csv'), '--model', at('model.paco'), '--out', at('made.html'));
  assert.ok(statSync(at('made.html')).size < 3e6, `${statSync(at('made.html')).size} bytes`);
  const page = await openPage(browser, at('made.html'));
  assert.deepEqual(page.complaints, []);
  const { stream, first } = await page.evaluate(() => ({ stream: window.paco.data.stream, first: window.paco.data.points.first.reduce((a, b) => a + b, 0) }));
  assert.deepEqual(stream.branches, made.counts);
  assert.equal(first, made.categories);
  assert.ok((await page.locator('.thinned').innerText()).includes('45,000'));
  for (const [name, { items }] of Object.entries(await inspectCharts(page))) assert.ok(items > 0, name);
  await page.close();
});

test('with pictures every category has a gallery and every picture its sentence', async (context) => {
  if (!existsSync('/usr/share/datasets/fashion-mnist') && !existsSync('/usr/share/dataset-fashion-mnist')) {
    context.skip('Fashion-MNIST is not installed (Debian package dataset-fashion-mnist)');
    return;
  }
  paco(...full, '--images', 'fashion-mnist', '--out', at('pictures.html'));
  const page = await openPage(browser, at('pictures.html'));
  assert.deepEqual(page.complaints, []);
  const shots = await page.locator('#pictures .shot').evaluateAll((list) => list.map((shot) => ({
    loaded: shot.querySelector('img').complete && shot.querySelector('img').naturalWidth > 0, text: shot.querySelector('figcaption').innerText,
  })));
  assert.ok(shots.length > 20);
  for (const { loaded, text } of shots) assert.ok(loaded && text.length > 30, text);
  const sizes = await page.locator('#pictures .galleries').first().locator('.gallery').evaluateAll((list) => list.map((g) => window.paco.data.entries.get(Number(g.dataset.id)).size));
  assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a));
  await page.locator('[data-order=newest]').click();
  const ids = await page.locator('#pictures .galleries').first().locator('.gallery').evaluateAll((list) => list.map((g) => Number(g.dataset.id)));
  assert.deepEqual(ids, [...ids].sort((a, b) => b - a));
  await page.locator('.gallery-head').first().click();
  assert.equal(await page.evaluate(() => window.paco.selection()), ids[0]);
  await page.close();
});

test('a decisions file that is not one is refused with its name', () => {
  const result = spawnSync(program, ['report', '--decisions', join(golden, 'expected.json'), '--out', at('never.html')], { encoding: 'utf8' });
  assert.equal(result.status, 1);
  assert.ok(result.stderr.includes('expected.json'));
  assert.ok(!existsSync(at('never.html')));
});
