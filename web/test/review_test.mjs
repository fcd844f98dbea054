// Reviewing a stream on the page of `paco serve`, in a real browser against the mock server: questions one after the other, members
// that are checked, pictures and texts looked at, results taken away.
//   node review_test.mjs NODE_MODULES DASHBOARD.html
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { birds } from './mock_server.mjs';
import { leave, visit } from './page_cases.mjs';
import { ToyStream } from './toy_stream.mjs';
import { browser, serve } from './world.mjs';

const questions = [
  {
    id: 'look:17',
    kind: 'look',
    reason: 'its score is close to the boundary',
    strength: 0.6,
    operation: null,
    categories: [],
    samples: [17],
  },
  {
    id: 'name:6',
    kind: 'name',
    reason: 'it has no name',
    strength: 0.5,
    operation: null,
    categories: [6],
    samples: [],
  },
  {
    id: 'merge:4:5',
    kind: 'merge',
    reason: 'their middles are close',
    strength: 0.9,
    operation: { kind: 'merge', categories: [5], into: 4 },
    categories: [4, 5],
    samples: [],
  },
];
const warnings = [
  { id: 'w', kind: 'births_rise', text: 'births rise again', category: null, since: 100 },
];

test('a review asks merges, names and samples in this order, and single keys answer', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  one.advice = { suggestions: questions, warnings };
  const page = await visit(browser, `${server.url}/s/birds/review`);
  const question = (kind) => page.locator(`.question[data-kind="${kind}"]`);
  await page.getByText('Births rise again.').waitFor();
  await question('merge').getByText('Their middles are close.').waitFor();
  await page.getByText('3 questions left').waitFor();
  await page.keyboard.press('1');
  await question('name').waitFor();
  assert.equal(one.now(5), 4);
  await page.getByLabel('Name of the category').fill('osprey');
  await page.keyboard.press('Enter');
  await question('look').waitFor();
  assert.equal(one.categories[6].name, 'osprey');
  await question('look').locator('.large-category').nth(2).waitFor();
  await page.keyboard.press('1');
  await page.getByText('No questions').waitFor();
  assert.ok(one.verified.has(17), 'the first choice is where it is, which confirms it');
  await page.locator('.review-progress', { hasText: '3 answers' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/s/birds/review', 'numbers do not change the screen');
  await leave(page);
});

test('a question answered with no is not asked again, a skipped one is, and undo brings one back', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  one.advice = { suggestions: questions, warnings: [] };
  const page = await visit(browser, `${server.url}/s/birds/review`);
  const question = (kind) => page.locator(`.question[data-kind="${kind}"]`);
  await question('merge').waitFor();
  await page.keyboard.press('n');
  await question('name').waitFor();
  await page.keyboard.press(' ');
  await question('look').waitFor();
  await page.reload();
  await question('name').waitFor();
  await page.getByLabel('Name of the category').fill('osprey');
  await page.keyboard.press('Enter');
  await question('look').waitFor();
  await page.locator('.notice').getByRole('button', { name: 'Undo' }).click();
  await question('name').waitFor();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await question('merge').waitFor();
  await leave(page);
});

test('members are checked twenty at a time: the wrong ones move, the others are confirmed', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 300 }));
  const members = one.members(4).map(({ sequence }) => sequence);
  assert.ok(members.length > 20);
  const page = await visit(browser, `${server.url}/s/birds/categories/4`);
  await page.getByRole('button', { name: 'Check 20 at a time' }).click();
  await page.locator('.samples.striking').waitFor();
  const ticks = page.locator('.members .tick');
  await page.waitForFunction(() => document.querySelectorAll('.members .tick').length === 20);
  await ticks.nth(1).click();
  await ticks.nth(3).click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Confirm 17, move 3' }).click();
  await page.locator('dialog input[type=search]').fill('wrong here');
  await page.keyboard.press('Enter');
  await page.locator('.notice', { hasText: 'moved 3 samples' }).waitFor({ state: 'attached' });
  const newest = members.slice(-20).reverse();
  assert.deepEqual([...one.verified].sort(), newest.filter((_, i) => i < 1 || i > 3).sort());
  assert.equal(one.members(4).length, members.length - 3);
  await leave(page);
});

test('a picture opens large, and arrows go to the next', async () => {
  const server = await serve();
  server.add(birds({ samples: 200 }));
  const page = await visit(browser, `${server.url}/s/birds/categories/4`);
  const enlarge = page.locator('.samples .enlarge');
  await enlarge.nth(1).waitFor();
  const titles = await page.locator('.sample-title > span').allInnerTexts();
  await enlarge.first().click();
  const dialog = page.locator('dialog[open]');
  await dialog.getByText(titles[0]).waitFor();
  await page.keyboard.press('ArrowRight');
  await dialog.getByText(titles[1]).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await leave(page);
});

test('what the stream found is saved as a table, with a token too', async () => {
  const server = await serve({ tokens: { secret: { name: 'rita', role: 'read' } } });
  server.add(birds({ samples: 30 }));
  const page = await visit(browser, `${server.url}/s/birds/categories`);
  await page.locator('input[type=password]').fill('secret');
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save a table of samples' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'birds.csv');
  const table = readFileSync(await download.path(), 'utf8').split('\n');
  assert.equal(table[0], 'file,name,category,verdict,score');
  assert.equal(table.length, 31);
  await leave(page);
});

test('texts stand in place of pictures, with the words that a category shares', async () => {
  const server = await serve();
  const one = server.add(new ToyStream('tickets', { pictures: false }));
  for (let i = 0; i < 5; ++i)
    one.send({ embedding: [1, 0, 0, 0], key: `t${i}`, attributes: { text: `refund my card ${i}` } });
  const plain = one.category.bind(one);
  one.category = (id, faces) => ({ ...plain(id, faces), suggested_name: 'refund · card' });
  const page = await visit(browser, `${server.url}/s/tickets/categories`);
  await page.locator('.category-card', { hasText: 'refund my card 4' }).waitFor();
  await page.getByText('may be “refund · card”').waitFor();
  await page.goto(`${server.url}/s/tickets/categories/0`);
  await page.locator('.samples .sample-text', { hasText: 'refund my card 2' }).waitFor();
  await leave(page);
});


test('samples are found by category and attribute, put in order of score, and shown side by side', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  const page = await visit(browser, `${server.url}/s/birds/samples`);
  const count = (total) =>
    page.locator('.count').getByText(`${total} sample`, { exact: false }).waitFor();
  await page.getByRole('button', { name: 'camera pond' }).first().click();
  const pond = one.samples.filter(({ attributes }) => attributes.camera === 'pond');
  await count(pond.length);
  await page.getByRole('button', { name: 'Category …' }).click();
  await page.locator('dialog input[type=search]').fill('wren');
  await page.locator('#offer-0[aria-selected="true"]').waitFor();
  await page.keyboard.press('Enter');
  const both = pond.filter((sample) => one.memberOf(sample) === 0);
  await count(both.length);
  await page.getByLabel('Order').selectOption('lowest score first');
  const lowest = both.sort((a, b) => a.score - b.score)[0];
  await page.locator('tbody tr').first().getByText(lowest.key).waitFor();
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.locator('.samples li').first().getByText(lowest.key).waitFor();
  await page.getByRole('button', { name: 'Without camera pond' }).click();
  await count(one.members(0).length);
  await leave(page);
});

test('a lasso on the map picks the categories inside it; samples are drawn with their picture', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  const page = await visit(browser, `${server.url}/s/birds/map`);
  const canvas = page.locator('.map canvas').first();
  await canvas.waitFor();
  await page.getByRole('button', { name: 'Lasso' }).click();
  const { x, y, width, height } = await canvas.boundingBox();
  const corners = [
    [0.01, 0.01],
    [0.99, 0.01],
    [0.99, 0.99],
    [0.01, 0.99],
  ].map(([u, v]) => [x + u * width, y + v * height]);
  await page.mouse.move(...corners[0]);
  await page.mouse.down();
  for (const corner of corners.slice(1)) await page.mouse.move(...corner, { steps: 8 });
  await page.mouse.up();
  const all = one.categories.filter((c) => c.now === c.id).length;
  await page.locator('.selection', { hasText: `${all} categories` }).waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'Samples' }).click();
  await page.waitForFunction(() => window.paco.charts.has('samples'));
  const drawn = await page.evaluate(
    () => window.paco.charts.get('samples').getOption().series[0].data.length,
  );
  assert.equal(drawn, 200);
  await leave(page);
});
