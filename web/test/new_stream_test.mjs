// New streams on the page of `paco serve`, in a real browser against the mock server: from a model, from embeddings, from folders of
// photos.
//   node new_stream_test.mjs NODE_MODULES DASHBOARD.html
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { leave, visit } from './page_cases.mjs';
import { browser, serve } from './world.mjs';

test('without a stream the page says how to begin, and a model file begins one', async () => {
  const server = await serve();
  const page = await visit(browser, `${server.url}/`);
  await page.getByText('No streams yet').waitFor();
  await page.getByRole('button', { name: 'New stream' }).click();
  await page.getByPlaceholder('birds').fill('not a/name');
  await page.getByText('Letters, digits').waitFor();
  await page.getByPlaceholder('birds').fill('gulls');
  const model = JSON.stringify({
    dimension: 4,
    classes: [{ name: 'gull', direction: [1, 0, 0, 0] }],
  });
  await page.locator('input[type=file]').setInputFiles({
    name: 'm.paco',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(model),
  });
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Waiting for the first sample').waitFor();
  assert.equal(new URL(page.url()).pathname, '/s/gulls');
  await leave(page);
});

test('a support set with labels is uploaded and calibrated while the page shows how far it is', async () => {
  const server = await serve();
  const page = await visit(browser, `${server.url}/`);
  await page.getByRole('button', { name: 'New stream' }).click();
  await page.getByPlaceholder('birds').fill('terns');
  await page.getByRole('button', { name: 'From embeddings' }).click();
  const files = page.locator('input[type=file]');
  await files.nth(0).setInputFiles({
    name: 's.npy',
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(5000),
  });
  assert.ok(await page.getByRole('button', { name: 'Create', exact: true }).isDisabled());
  await files.nth(1).setInputFiles({
    name: 'l.npy',
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(500),
  });
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Calibrating').first().waitFor();
  await page.getByText('Waiting for the first sample').waitFor();
  assert.deepEqual(server.uploads, { embeddings: 5000, labels: 500 });
  await leave(page);
});

test('folders of photos become a stream, a broken one is named, and photos of no class are its samples', async () => {
  const server = await serve();
  server.encoder = { kind: 'images', encoder: 'toy', dimension: 4 };
  const folder = mkdtempSync(join(tmpdir(), 'paco-photos-'));
  const photo = (path, text = path) => {
    mkdirSync(dirname(join(folder, 'birds', path)), { recursive: true });
    writeFileSync(join(folder, 'birds', path), text);
  };
  for (const name of ['wren', 'robin', 'heron'])
    for (const i of [1, 2, 3]) photo(`${name}/${i}.jpg`);
  photo('wren/4.jpg', 'broken');
  photo('wren/notes.doc');
  photo('a.jpg');
  photo('stream/b.jpg');
  const page = await visit(browser, `${server.url}/`);
  await page.getByRole('button', { name: 'New stream' }).click();
  await page.getByPlaceholder('birds').fill('birds');
  await page.getByLabel('A folder').setInputFiles(join(folder, 'birds'));
  await page.getByText('3 classes with 10 photos · 2 photos of no class').waitFor();
  await page.getByLabel('Known samples called new').selectOption('at most 5%');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('2 samples sent').waitFor();
  assert.deepEqual(server.calibration, { false_new: 0.05 });
  assert.equal(server.examples.length, 9);
  assert.deepEqual(server.streams.get('birds').samples.map(({ key }) => key), ['a.jpg', 'stream/b.jpg']);
  await page.getByText('2 files left out').click();
  await page.getByText('wren/4.jpg: the image: not an image').waitFor();
  await page.getByText('wren/notes.doc: it is no JPEG').waitFor();
  await leave(page);
  rmSync(folder, { recursive: true });
});

test('fewer than three classes are refused in words before anything is sent', async () => {
  const server = await serve();
  server.encoder = { kind: 'texts', encoder: 'toy', dimension: 4 };
  const page = await visit(browser, `${server.url}/`);
  await page.getByRole('button', { name: 'New stream' }).click();
  await page.getByPlaceholder('birds').fill('tickets');
  await page.getByLabel('Files').setInputFiles({
    name: 'texts.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('text,label\n"a, b",one\nc,one\nd,two\n'),
  });
  await page.getByText('Two classes were found, and at least three are needed').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Create', exact: true }).isDisabled());
  await leave(page);
});
