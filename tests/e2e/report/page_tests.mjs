// The page as it opens: silent, complete, and with the numbers of the other verbs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectCharts, openPage } from './browser.mjs';
import { at, browser, calibrated, discovered, evaluated, known, number } from './pipeline.mjs';

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
  assert.deepEqual(Object.keys(charts).sort(), [
    'birth',
    'boundary',
    'categories',
    'hist-birth',
    'hist-create',
    'hist-hi',
    'latency',
    'routing',
    'shares',
    'sizes',
  ]);
  for (const [name, { items, drawn, colours }] of Object.entries(charts)) {
    assert.ok(items > 0, `${name} holds no data`);
    assert.ok(drawn > 500 && colours > 2, `${name} shows ${drawn} pixels in ${colours} colours`);
  }
  assert.ok(
    charts.routing.items >= discovered.samples,
    'a sample is missing from the routing plane',
  );
  await page.close();
});

test('the headline numbers equal the JSON of discover and evaluate', async () => {
  const page = await openPage(browser, at('report.html'));
  const card = async (key) =>
    number(await page.locator(`.card[data-key=${key}] .value`).innerText());
  assert.equal(await card('samples'), discovered.samples);
  assert.equal(await card('known_classes'), known);
  assert.equal(await card('categories'), discovered.categories);
  for (const split of ['all', 'old', 'new']) {
    assert.equal(
      await card(`strict-${split}`),
      Number((100 * evaluated.strict[split]).toFixed(1)),
      split,
    );
  }
  const stream = await page.evaluate(() => window.paco.data.stream);
  for (const key of [
    'samples',
    'categories',
    'singletons',
    'mature',
    'branches',
    'routes',
    'tau_birth',
    'eta',
  ]) {
    assert.deepEqual(stream[key], discovered[key], key);
  }
  const { evaluation, tables } = await page.evaluate(() => window.paco.data);
  for (const key of [
    'strict',
    'greedy',
    'known_accuracy',
    'clusters_seen',
    'nmi',
    'ari',
    'interval',
    'coverage',
  ]) {
    assert.deepEqual(evaluation[key], evaluated[key], key);
  }
  const rows = ({ columns, rows: cells }) =>
    cells.map((row) => Object.fromEntries(row.map((value, i) => [columns[i].key, value])));
  for (const key of ['per_class', 'confused'])
    assert.deepEqual(rows(tables.find((table) => table.key === key)), evaluated[key], key);
  await page.close();
});

test('the thresholds equal the JSON of calibrate', async () => {
  const page = await openPage(browser, at('report.html'));
  const shown = await page.evaluate(() => window.paco.data.model);
  assert.equal(shown.hi.value, calibrated.tau_hi);
  assert.equal(shown.tau_lo, calibrated.tau_lo);
  assert.equal(shown.birth.value, calibrated.tau_birth);
  assert.equal(shown.tau_birth_sup, calibrated.tau_birth_sup);
  assert.equal(shown.create.value, calibrated.tau_create);
  const cells = await page
    .locator('#table-thresholds tbody tr')
    .first()
    .locator('td')
    .allInnerTexts();
  assert.equal(number(cells[1]), Number(calibrated.tau_hi.toFixed(4)));
  await page.close();
});
