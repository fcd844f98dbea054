// Pages from less and from more than the usual input.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { inspectCharts, openPage } from './browser.mjs';
import { writeSyntheticStream } from './synthetic_stream.mjs';
import {
  at,
  browser,
  calibrated,
  discovered,
  folder,
  full,
  golden,
  known,
  number,
  paco,
  program,
} from './pipeline.mjs';

test('with decisions alone the page stands and says what is missing', async () => {
  paco('report', { decisions: at('decisions.csv'), out: at('bare.html') });
  const page = await openPage(browser, at('bare.html'));
  assert.deepEqual(page.complaints, []);
  const text = await page.locator('main').innerText();
  assert.ok(text.includes('--trace'));
  assert.ok(text.includes('--model'));
  assert.equal(
    number(await page.locator('.card[data-key=categories] .value').innerText()),
    discovered.categories,
  );
  await page.close();
});

test('a model of mirror shows the curve by which its threshold was chosen', async () => {
  const learned = paco('calibrate', {
    method: 'mirror',
    support: golden('support.npy'),
    labels: golden('support_labels.npy'),
    out: at('mirror.paco'),
  });
  paco('discover', {
    model: at('mirror.paco'),
    input: golden('stream.npy'),
    out: at('mirror.csv'),
  });
  paco('report', {
    decisions: at('mirror.csv'),
    model: at('mirror.paco'),
    out: at('mirror.html'),
  });
  const page = await openPage(browser, at('mirror.html'));
  assert.deepEqual(page.complaints, []);
  const chart = await page.evaluate(() => {
    const { series } = window.paco.charts.get('pseudo-streams').getOption();
    const mean = series.find(({ name }) => name === 'mean');
    return {
      mean: mean.data,
      plateau: mean.markArea.data[0].map(({ xAxis }) => xAxis),
      chosen: mean.markLine.data[0].xAxis,
    };
  });
  const { tau, strict_all: mean, deviation } = learned.pseudo_streams;
  assert.deepEqual(
    chart.mean,
    tau.map((x, i) => [x, mean[i]]),
  );
  assert.equal(deviation.length, tau.length);
  assert.ok(deviation.every((x) => x >= 0 && x < 1));
  assert.deepEqual(chart.plateau, learned.plateau);
  assert.equal(chart.chosen, learned.tau);
  const { items, colours } = (await inspectCharts(page))['pseudo-streams'];
  assert.ok(items > 0 && colours > 3, `${items} items, ${colours} colours`);
  await page.close();
});

test('45,000 samples stay under 3 MB, and the page says that points were thinned', async () => {
  const made = writeSyntheticStream(folder, {
    samples: 45000,
    known,
    tauHi: calibrated.tau_hi,
    tauBirth: calibrated.tau_birth_sup,
    tauCreate: calibrated.tau_create,
  });
  paco('report', {
    decisions: at('made.csv'),
    trace: at('made-trace.csv'),
    model: at('model.paco'),
    out: at('made.html'),
  });
  assert.ok(statSync(at('made.html')).size < 3e6, `${statSync(at('made.html')).size} bytes`);
  const page = await openPage(browser, at('made.html'));
  assert.deepEqual(page.complaints, []);
  const { stream, first } = await page.evaluate(() => ({
    stream: window.paco.data.stream,
    first: window.paco.data.points.first.reduce((a, b) => a + b, 0),
  }));
  assert.deepEqual(stream.branches, made.counts);
  assert.equal(first, made.categories);
  assert.ok((await page.locator('.thinned').innerText()).includes('45,000'));
  for (const [name, { items }] of Object.entries(await inspectCharts(page)))
    assert.ok(items > 0, name);
  await page.close();
});

test('with pictures every category has a gallery and every picture its sentence', async (context) => {
  if (!existsSync('/usr/share/datasets/fashion-mnist')) {
    context.skip('Fashion-MNIST is not installed (Debian package dataset-fashion-mnist)');
    return;
  }
  paco('report', { ...full, images: 'fashion-mnist', out: at('pictures.html') });
  const page = await openPage(browser, at('pictures.html'));
  assert.deepEqual(page.complaints, []);
  const shots = await page.locator('#pictures .shot').evaluateAll((list) =>
    list.map((shot) => ({
      loaded: shot.querySelector('img').complete && shot.querySelector('img').naturalWidth > 0,
      text: shot.querySelector('figcaption').innerText,
    })),
  );
  assert.ok(shots.length > 20);
  for (const { loaded, text } of shots) assert.ok(loaded && text.length > 30, text);
  const sizes = await page
    .locator('#pictures .galleries')
    .first()
    .locator('.gallery')
    .evaluateAll((list) =>
      list.map((g) => window.paco.data.entries.get(Number(g.dataset.id)).size),
    );
  assert.deepEqual(
    sizes,
    [...sizes].sort((a, b) => b - a),
  );
  await page.locator('[data-order=newest]').click();
  const ids = await page
    .locator('#pictures .galleries')
    .first()
    .locator('.gallery')
    .evaluateAll((list) => list.map((g) => Number(g.dataset.id)));
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => b - a),
  );
  await page.locator('.gallery-head').first().click();
  assert.equal(await page.evaluate(() => window.paco.selection()), ids[0]);
  await page.close();
});

test('a decisions file that is not one is refused with its name', () => {
  const result = spawnSync(
    program,
    ['report', '--decisions', golden('expected.json'), '--out', at('never.html')],
    { encoding: 'utf8' },
  );
  assert.equal(result.status, 1);
  assert.ok(result.stderr.includes('expected.json'));
  assert.ok(!existsSync(at('never.html')));
});
