// The pages of `paco study`: complete, silent, light and dark, wide and narrow, and with the numbers of their JSON.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspectCharts, openPage } from './browser.mjs';
import { at, browser, golden, number, paco } from './pipeline.mjs';

// One study of each kind of chart.
const studies = {
  comparison: { methods: 'paco,mirror,closed', charts: 3 },
  ablation: { methods: 'paco', charts: 1 },
  'sensitivity-alpha': { methods: 'paco', seeds: 2, charts: 1 },
  order: { methods: 'paco,closed', charts: 1 },
  'birth-trace': { methods: 'paco,closed', charts: 1 },
  latency: { methods: 'paco,closed', charts: 1 },
  'calibration-time': { methods: 'paco,closed', charts: 1 },
  'calibration-regions': { methods: 'paco', charts: 3 },
};
for (const [name, { methods, seeds = 1 }] of Object.entries(studies))
  paco(['study', name], { data: golden('.'), methods, seeds, threads: 1, out: at('study') });
const page = (name) => at(`study/${name}.html`);

for (const [name, { charts }] of Object.entries(studies)) {
  test(`the page of ${name} draws every chart, complains about nothing and loads nothing`, async () => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ]) {
      const open = await openPage(browser, page(name), { width, colorScheme });
      const drawn = await inspectCharts(open);
      assert.equal(Object.keys(drawn).length, charts);
      for (const [chart, { items, drawn: pixels, colours }] of Object.entries(drawn)) {
        assert.ok(items > 0, `${chart} holds no data`);
        assert.ok(pixels > 400 && colours > 2, `${chart}: ${pixels} pixels, ${colours} colours`);
      }
      assert.equal(await open.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      const wide = await open.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} wide in a window of ${width}`);
      assert.deepEqual(open.complaints, []);
      assert.deepEqual(open.requests, [`file://${page(name)}`]);
      await open.close();
    }
  });
}

test('the table of a study has the numbers of its JSON', async () => {
  const { summary } = JSON.parse(readFileSync(at('study/comparison.json'), 'utf8'));
  const open = await openPage(browser, page('comparison'));
  const rows = await open.locator('#table-summary tbody tr').all();
  assert.equal(rows.length, summary.length);
  for (const [i, row] of rows.entries()) {
    const cells = await row.locator('td').allInnerTexts();
    assert.equal(cells[1], summary[i].method);
    assert.equal(number(cells[2]), Number((100 * summary[i].strict_all).toFixed(1)));
  }
  await open.close();
});

test('the default method and the default value are marked', async () => {
  const comparison = await openPage(browser, page('comparison'));
  await comparison.locator('.legend').getByText('paco (default)').first().waitFor();
  const rows = await comparison.evaluate(() => window.paco.data.sets[0].charts[0].rows);
  assert.deepEqual(rows.filter(({ preset }) => preset).map(({ label }) => label), ['paco']);
  for (const { value, low, high } of rows) assert.ok(low < value && value < high);
  await comparison.close();
  const alpha = await openPage(browser, page('sensitivity-alpha'));
  const [chart] = await alpha.evaluate(() => window.paco.data.sets[0].charts);
  assert.equal(chart.preset, '1e6');
  assert.match(chart.range, /over the seeds/);
  await alpha.close();
});

test('a table is sorted by the keyboard', async () => {
  const open = await openPage(browser, page('comparison'));
  const heading = open.locator('#table-summary th', { hasText: 'Strict all' });
  await heading.focus();
  await open.keyboard.press('Enter');
  assert.equal(await heading.getAttribute('aria-sort'), 'descending');
  const shown = await open.locator('#table-summary tbody tr td:nth-child(3)').allInnerTexts();
  const values = shown.map(number);
  assert.deepEqual(values, [...values].sort((a, b) => b - a));
  await open.close();
});
