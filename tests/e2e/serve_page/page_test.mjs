// The page of `paco serve`, looked at in a real browser, with the real program behind it.
//   node page_test.mjs PROGRAM NODE_MODULES GOLDEN_CASE
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cases, leave, visit } from '../../../web/test/page_cases.mjs';
import { stripes } from '../../../web/test/pictures.mjs';
import { openBrowser } from '../report/browser.mjs';
import { makeMany } from './many.mjs';
import { readRows, Served } from './server.mjs';

const [program, modules, golden] = process.argv.slice(2);
const browser = await openBrowser(modules);
const folder = mkdtempSync(join(tmpdir(), 'paco-page-'));
const journals = join(folder, 'journals');
mkdirSync(journals);
const server = new Served(program, journals);
await server.start();
after(async () => {
  await browser.close();
  await server.kill();
  rmSync(folder, { recursive: true });
});

const model = join(folder, 'model.paco');
const support = join(golden, 'support.npy');
const labels = join(golden, 'support_labels.npy');
execFileSync(program, ['calibrate', '--support', support, '--labels', labels, '--out', model], {
  stdio: 'ignore',
});
const rows = readRows(join(golden, 'stream.npy'));
const api = (method, path, body) => server.call(method, `/v1/streams/birds${path}`, body);

let sent = 0;
async function send(count) {
  const samples = Array.from({ length: count }, (_, i) => {
    const embedding = rows[(sent + i) % rows.length];
    const place = { camera: ['north', 'pond'][(sent + i) % 2], hour: (sent + i) % 24 };
    return {
      embedding,
      key: `img_${sent + i}`,
      attributes: place,
      picture: stripes(embedding, i).toString('base64'),
    };
  });
  sent += count;
  return (await api('POST', '/samples', { samples })).decisions;
}

test('a stream is created from a model on the page, and its first samples arrive there', async () => {
  const page = await visit(browser, `${server.url}/`);
  await page.getByText('No streams yet').waitFor();
  await page.getByRole('button', { name: 'New stream' }).click();
  await page.getByPlaceholder('birds').fill('birds');
  await page.locator('input[type=file]').setInputFiles(model);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Waiting for the first sample').waitFor();
  await send(200);
  await page.locator('.feed li').first().waitFor();
  await page.locator('.feed .picture[src]').first().waitFor();
  await leave(page);
});

test('a stream is created from labelled examples and calibrated in the background', async () => {
  const page = await visit(browser, `${server.url}/`);
  await page.getByRole('button', { name: 'New stream' }).click();
  await page.getByPlaceholder('birds').fill('learned');
  await page.getByRole('button', { name: 'From embeddings' }).click();
  await page.locator('input[type=file]').nth(0).setInputFiles(support);
  await page.locator('input[type=file]').nth(1).setInputFiles(labels);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Waiting for the first sample').waitFor();
  assert.equal((await server.call('GET', '/v1/streams/learned')).state, 'ready');
  await leave(page);
});

cases({
  browser,
  get url() {
    return server.url;
  },
  stream: 'birds',
  stop: () => server.kill(),
  start: () => server.start(),
  send,
  api,
});

test('10,000 categories of the program scroll with a bounded document', async () => {
  const made = join(folder, 'many');
  mkdirSync(made);
  const stream = makeMany(made, 10_200);
  const own = join(made, 'model.paco');
  const given = ['--support', join(made, 'support.npy'), '--labels', join(made, 'labels.txt')];
  execFileSync(program, ['calibrate', ...given, '--method', 'leader', '--out', own], {
    stdio: 'ignore',
  });
  await server.call('PUT', '/v1/streams/many', readFileSync(own), 'application/octet-stream');
  await server.call('POST', '/v1/streams/many/samples?brief=1', stream, 'application/x-npy');
  const { discovered, known } = await server.call('GET', '/v1/streams/many');
  assert.ok(discovered >= 10_000, `${discovered} categories`);
  const page = await visit(browser, `${server.url}/s/many/categories#order=id-asc`);
  const count = () => page.locator('.category-card').count();
  await page.locator('.category-card[data-id="0"]').waitFor();
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await page.locator(`.category-card[data-id="${known + discovered - 1}"]`).waitFor();
  assert.ok((await count()) < 80, `${await count()} cards`);
  await page.keyboard.press('5');
  await page.locator('.map canvas').first().waitFor();
  const drawn = await page.evaluate(
    () => window.paco.charts.get('map').getOption().series[0].data.length,
  );
  assert.ok(drawn >= 5000, `${drawn} points`);
  await leave(page);
});
