// The page of `paco serve` in a real browser, against the mock server: what people do, and the states that a healthy server
// seldom shows.
//   node page_test.mjs NODE_MODULES DASHBOARD.html
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { birds } from './mock_server.mjs';
import { cases, leave, notice, visit } from './page_cases.mjs';
import { ToyStream } from './toy_stream.mjs';
import { browser, serve } from './world.mjs';

const main = await serve();
const stream = main.add(birds({ samples: 300 }));
cases({
  browser,
  url: main.url,
  stream: 'birds',
  stop: () => main.stop(),
  start: () => main.start(main.port),
  send: async (count) => {
    for (let i = 0; i < count; ++i) stream.next();
  },
  api: async (method, path, body) => {
    const request = { method, body: body && JSON.stringify(body) };
    return (await fetch(`${main.url}/v1/streams/birds${path}`, request)).json();
  },
});

test('an operation whose answer got lost is sent again and done once', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 60 }));
  const { id } = one.categories.find(({ kind }) => kind === 'discovered');
  let lost = 0;
  server.loses = (call) => call.startsWith('POST') && call.endsWith('/operations') && ++lost === 1;
  const page = await visit(browser, `${server.url}/s/birds/categories/${id}`);
  await page.locator('h1').waitFor();
  await page.keyboard.press('r');
  await page.locator('h1 input').fill('osprey');
  await page.keyboard.press('Enter');
  await notice(page, 'osprey').waitFor();
  assert.equal(lost, 2);
  assert.equal(one.operations.length, 1);
  await leave(page);
});

test('Back leads to the place in a long list where the reader was', async () => {
  const server = await serve();
  const many = server.add(new ToyStream('many', { pictures: false }));
  for (let i = 0; i < 5000; ++i) many.open([1, 0, 0, 0], i);
  const page = await visit(browser, `${server.url}/s/many/categories#order=id-asc`);
  await page.locator('.category-card[data-id="0"]').waitFor();
  await page.evaluate(() => window.scrollTo(0, 60_000));
  await page.waitForFunction(() => document.querySelector('.category-card[data-id]:not([data-id="0"])'));
  const seen = page.locator('.category-card[data-id]').nth(8);
  await seen.waitFor();
  const before = await page.evaluate(() => window.scrollY);
  assert.ok(before > 50_000, `${before}`);
  await seen.locator('.card-cover').evaluate((link) => link.click()); // without scrolling to it
  await page.locator('.item-head').waitFor();
  await page.goBack();
  await page.waitForFunction((y) => Math.abs(window.scrollY - y) < 2, before);
  await leave(page);
});

test('a server with tokens is entered with a token, and a reader is offered nothing that it may not do', async () => {
  const server = await serve({ tokens: { secret: { name: 'rita', role: 'read' } } });
  server.add(birds({ samples: 40 }));
  const page = await visit(browser, `${server.url}/s/birds/categories`);
  const field = page.locator('input[type=password]');
  await field.fill('wrong');
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByText('does not know this token').waitFor();
  await field.fill('secret');
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.locator('.category-card .picture[src]').first().waitFor();
  await page.locator('.connection.live').waitFor();
  assert.equal(await page.locator('.tick').count(), 0);
  assert.equal(await page.locator('.rename').count(), 0);
  assert.ok(await page.getByText('rita, read').isVisible());
  assert.ok(!page.url().includes('secret'));
  await leave(page);
});

test('10,000 categories scroll with a bounded document and only the pages in sight are asked for', async () => {
  const server = await serve();
  const many = server.add(new ToyStream('many', { pictures: false }));
  for (let i = 0; i < 10_000; ++i) many.open([1, 0, 0, 0], i);
  const page = await visit(browser, `${server.url}/s/many/categories#order=id-asc`);
  await page.locator('.category-card[data-id="0"]').waitFor();
  const count = () => page.locator('.category-card').count();
  assert.ok((await count()) < 80, `${await count()} cards`);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await page.locator('.category-card[data-id="9999"]').waitFor();
  assert.ok((await count()) < 80);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight / 2));
  await page.waitForFunction(() => {
    const ids = [...document.querySelectorAll('.category-card')].map((card) =>
      Number(card.dataset.id),
    );
    return ids.length > 10 && ids.every((id) => id > 4000 && id < 6000);
  });
  const asked = server.calls.filter((call) => call.includes('/categories?'));
  assert.ok(asked.length < 12, `${asked.length} pages were asked for`);
  await page.locator('[data-search]').fill('category 7123');
  await page.locator('.category-card[data-id="7123"]').waitFor();
  assert.equal(await count(), 1);
  await leave(page);
});

test('an undo that something builds on is refused and names it', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  const first = one.operate({ kind: 'merge', categories: [5], into: 4 }, 'ann');
  const second = one.operate({ kind: 'rename', category: 4, name: 'osprey' }, 'ann');
  const page = await visit(browser, `${server.url}/s/birds/history`);
  await page
    .locator(`.entry[data-event="${first.event}"]`)
    .getByRole('button', { name: 'Undo' })
    .click();
  await page.locator('.notice.bad', { hasText: `Undo event ${second.event} first` }).waitFor();
  await leave(page);
});

test('what is not there says so: a stream, a category, an address', async () => {
  for (const [path, text] of [
    ['/s/nobody', "There is no stream 'nobody'."],
    ['/s/birds/categories/4711', 'There is no category 4711.'],
    ['/s/birds/elsewhere', 'There is nothing at /s/birds/elsewhere.'],
  ]) {
    const page = await visit(browser, main.url + path);
    await page.getByText(text).waitFor();
    await leave(page);
  }
});

test('dark follows the system, the button switches, and the choice is kept', async () => {
  const page = await visit(browser, `${main.url}/s/birds`, { colorScheme: 'dark' });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await page.locator('.bar').waitFor();
  assert.equal(await theme(), 'dark');
  await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  assert.equal(await theme(), 'light');
  await page.reload();
  await page.locator('.bar').waitFor();
  assert.equal(await theme(), 'light');
  await page.evaluate(() => window.localStorage.clear());
  await leave(page);
});

test('a name field and a dialog have the focus before the next frame: no key is lost under load', async () => {
  const page = await visit(browser, `${main.url}/s/birds/categories#kind=discovered`);
  await page.locator('.category-card .rename').first().waitFor();
  // Only microtasks run between the click and the answer, as when keys wait in a busy browser.
  const focused = (button) =>
    page.evaluate(async (name) => {
      [...document.querySelectorAll('button')]
        .find((one) => one.className.includes(name) || one.textContent.startsWith(name))
        .click();
      for (let i = 0; i < 20; ++i) await null;
      const { tagName, className } = document.activeElement;
      const dialog = document.querySelector('dialog:modal') !== null;
      return { field: `${tagName} ${className}`, dialog };
    }, button);
  assert.equal((await focused('rename')).field, 'INPUT name-field');
  await page.keyboard.press('Escape');
  for (const i of [0, 1]) await page.locator('.category-card .tick').nth(i).check();
  await page.locator('.selection').getByRole('button', { name: 'Merge' }).waitFor();
  assert.ok((await focused('Merge')).dialog);
  await leave(page);
});

test('a name that was changed elsewhere meanwhile is selected as it is now', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  const page = await visit(browser, `${server.url}/s/birds/categories/4`);
  const rename = page.locator('.item-title .rename');
  const first = await rename.innerText();
  await rename.click();
  await page.keyboard.type('osprey');
  await page.keyboard.press('Enter');
  await rename.getByText('osprey').waitFor();
  const [{ outcome }] = one.operations;
  one.undo(outcome.event, 'ann');
  await rename.getByText(first).waitFor();
  await rename.click();
  await page.keyboard.type('kite');
  await page.keyboard.press('Enter');
  await rename.getByText('kite', { exact: true }).waitFor();
  assert.equal(one.categories[4].name, 'kite');
  await leave(page);
});

// A rename ends in three messages: the answer to the call, its event, and the answer to a question that was asked before it and
// so holds the old name.
const orders = [
  ['stale', 'answer', 'event'],
  ['stale', 'event', 'answer'],
  ['answer', 'stale', 'event'],
  ['answer', 'event', 'stale'],
  ['event', 'stale', 'answer'],
  ['event', 'answer', 'stale'],
];
for (const [screen, path, place, question] of [
  ['list', '/categories#kind=discovered', '.category-card[data-id="4"]', '/categories?'],
  ['page', '/categories/4', '.item-title', '/categories/4'],
]) {
  test(`the new name is shown on the ${screen} in whatever order the server's messages come`, async () => {
    for (const order of orders) {
      const server = await serve();
      const one = server.add(birds({ samples: 200 }));
      const page = await visit(browser, `${server.url}/s/birds${path}`);
      await page.locator('.connection.live').waitFor();
      const rename = page.locator(`${place} .rename`);
      await rename.waitFor();
      const gates = { stale: server.hold((m) => m.startsWith('GET') && m.includes(question)) };
      one.operate({ kind: 'retire', category: 5 }, 'ann');
      await gates.stale.arrived;
      gates.answer = server.hold((m) => m.startsWith('POST') && m.endsWith('/operations'));
      gates.event = server.hold((m) => m === 'event operation');
      await rename.click();
      await page.keyboard.type('osprey');
      await page.keyboard.press('Enter');
      await Promise.all([gates.answer.arrived, gates.event.arrived]);
      for (const message of order) {
        gates[message].release();
        await page.evaluate(() => fetch('/v1').then((answer) => answer.text()));
      }
      await rename.getByText('osprey', { exact: true }).waitFor();
      await leave(page);
    }
  });
}

test('after a restart every screen waits for the journal, keeps what was in sight and recovers by itself', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  const screens = {
    '': '.feed li',
    '/categories': '.category-card',
    '/categories/4': '.members .samples li',
    '/samples': '.sample-cell',
    '/samples/7': '.explanation',
    '/map': '.map canvas',
    '/review': '.empty',
    '/history': '.empty',
  };
  const pages = [];
  for (const [path, content] of Object.entries(screens)) {
    const page = await visit(browser, `${server.url}/s/birds${path}`);
    await page.locator(content).first().waitFor();
    pages.push([page, content, path]);
  }
  const late = await visit(browser, `${server.url}/s/birds/categories`);
  await server.stop();
  one.state = 'opening';
  await server.start(server.port);
  for (const [page, content, path] of pages) {
    await page.locator('.banner', { hasText: 'opens the journal' }).waitFor();
    assert.ok(await page.locator(content).first().isVisible(), `${path} keeps what was in sight`);
    assert.equal(await page.locator('.failed').count(), 0, `${path} does not fail`);
  }
  await late.reload();
  await late.getByText('Opening the journal').waitFor();
  one.state = 'ready';
  const sent = one.samples.length;
  one.operate({ kind: 'rename', category: 4, name: 'after the restart' }, 'ann');
  one.next();
  for (const [page, content, path] of pages) {
    await page.locator('.connection.live').waitFor();
    await page.locator('.banner').waitFor({ state: 'detached' });
    await page
      .locator(content === '.empty' && path === '/history' ? '.entry' : content)
      .first()
      .waitFor();
    if (path === '') await page.locator(`.feed a[href$="/samples/${sent}"]`).first().waitFor();
    if (path === '/categories/4') await page.getByText('after the restart').first().waitFor();
    await leave(page);
  }
  await late.locator('.category-card').first().waitFor();
  await leave(late);
});

test('eight tabs share one connection for events, and another takes over when that one closes', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 60 }));
  const context = await browser.newContext();
  const tabs = [];
  for (let i = 0; i < 8; ++i) {
    tabs.push(await visit(context, `${server.url}/s/birds`));
    await tabs[i].locator('.connection.live').waitFor();
    await tabs[i].locator('.feed li').first().waitFor();
  }
  assert.equal(one.listeners.size, 1);
  const shown = async (page) => {
    const { sequence } = one.samples.at(-1);
    await page.locator(`.feed a[href$="/samples/${sequence}"]`).first().waitFor();
  };
  one.next();
  for (const page of tabs) await shown(page);
  await leave(tabs.shift()); // the first to come held the connection
  one.next();
  for (const page of tabs) await shown(page);
  assert.equal(one.listeners.size, 1);
  for (const page of tabs) await leave(page);
  await context.close();
});

test('a hidden tab holds no connection, and catches up when it is looked at', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 60 }));
  const page = await visit(browser, `${server.url}/s/birds`);
  await page.locator('.connection.live').waitFor();
  const hide = (hidden) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const closed = new Promise((resolve) => {
    const drop = one.listeners.delete.bind(one.listeners);
    one.listeners.delete = (listener) => (resolve(), drop(listener));
  });
  await hide(true);
  await closed;
  assert.equal(one.listeners.size, 0);
  for (let i = 0; i < 3; ++i) one.next();
  await hide(false);
  for (let i = 60; i < 63; ++i)
    await page.locator(`.feed a[href$="/samples/${i}"]`).first().waitFor();
  await leave(page);
});

test('Enter in the picker takes what is highlighted, and a new name is created by Enter', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  const page = await visit(browser, `${server.url}/s/birds/samples/120`);
  const from = one.memberOf(one.samples[120]);
  const open = () => page.locator('.actions').getByRole('button', { name: 'Move to' }).click();
  const chosen = page.locator('dialog [aria-selected="true"]');
  await open();
  const near = one.near(one.samples[120].direction).map((n) => n.category);
  const [first, second] = [...new Set(near)].filter((id) => id !== from);
  await page.locator(`#offer-${first}[aria-selected="true"] .picture`).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator(`#offer-${second}[aria-selected="true"]`).waitFor();
  await page.keyboard.press('Enter');
  await notice(page, 'oved').waitFor();
  assert.equal(one.memberOf(one.samples[120]), second);
  await open();
  await page.keyboard.type('heron of the night'); // begins as a known class is called
  await chosen.getByText('New category “heron of the night”').waitFor();
  await page.keyboard.press('Enter');
  await notice(page, 'heron of the night').waitFor();
  assert.equal(one.categories[one.memberOf(one.samples[120])].name, 'heron of the night');
  await open();
  await page.keyboard.type('her');
  await chosen.getByText('heron', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await leave(page);
});

test('merging by keyboard asks first, with the faces of both', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  const page = await visit(browser, `${server.url}/s/birds/categories/4`);
  await page.getByRole('button', { name: 'Merge into' }).click();
  await page.locator('dialog [aria-selected="true"]').waitFor();
  await page.keyboard.type('category 5');
  await page.locator('#offer-5[aria-selected="true"]').waitFor();
  await page.keyboard.press('Enter');
  const question = page.locator('dialog', { hasText: 'Merge “category 4” into “category 5”?' });
  await question.locator('.picture[src]').first().waitFor();
  assert.equal(one.now(4), 4, 'nothing is merged yet');
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.equal(one.now(4), 4);
  await page.getByRole('button', { name: 'Merge into' }).click();
  await page.keyboard.type('category 5');
  await page.locator('#offer-5[aria-selected="true"]').waitFor();
  await page.keyboard.press('Enter');
  await question.waitFor();
  await page.keyboard.press('Enter');
  await notice(page, 'erged').waitFor();
  assert.equal(one.now(4), 5);
  await leave(page);
});

test('figures that were not measured are a dash, and an undo is called so and offers to do it again', async () => {
  const server = await serve();
  const one = server.add(birds({ samples: 200 }));
  one.delays = { count: 0, p50_ms: 0, p99_ms: 0 };
  one.operate({ kind: 'merge', categories: [5], into: 4 }, 'ann');
  const page = await visit(browser, `${server.url}/s/birds`);
  await page.locator('#card-discovered', { hasText: 'since merged' }).waitFor();
  assert.equal(await page.locator('#card-delay .value').innerText(), '–');
  await page.locator('.tabs').getByText('History').click();
  await page.locator('.entry').getByRole('button', { name: 'Undo' }).click();
  const undone = notice(page, 'Undone: merged 5 into 4');
  await undone.getByRole('button', { name: 'Redo' }).click();
  await notice(page, 'Done again: merged 5 into 4').getByRole('button', { name: 'Undo' }).waitFor();
  await undone.waitFor({ state: 'detached' });
  await leave(page);
});

test('no screen is wider than a narrow window', async () => {
  const page = await visit(browser, `${main.url}/`, { viewport: { width: 360, height: 740 } });
  for (const path of [
    '',
    '/s/birds',
    '/s/birds/categories',
    '/s/birds/categories/4',
    '/s/birds/samples',
    '/s/birds/samples/7',
    '/s/birds/map',
    '/s/birds/history',
    '/s/birds/review',
  ]) {
    await page.goto(main.url + path);
    await page.locator('main').waitFor();
    await page.waitForFunction(() => !document.querySelector('.loading'));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${path} is ${wide} wide`);
  }
  await leave(page);
});
