// What a user does on the page, as tests that hold against any server with the contract: the mock and the real program.
//
//   cases({ browser, url, stream, stop, start, send, api })
// `stream` has pictures or keys, several discovered categories and at least two known classes; `send(n)` sends n more samples; `stop`
// and `start` end the server without warning and bring it back at the same address.
import assert from 'node:assert/strict';
import { test } from 'node:test';

// A page that remembers everything it complained about. A server that is away makes the browser complain: not the page.
export async function visit(browser, address, options = {}) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 900, ...options.viewport },
    colorScheme: options.colorScheme ?? 'light',
  });
  page.complaints = [];
  page.foreign = [];
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !/Failed to load resource|ERR_/.test(text))
      page.complaints.push(text);
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('request', (request) => {
    const target = request.url();
    if (!target.startsWith(new URL(address).origin) && !/^(data|blob):/.test(target))
      page.foreign.push(target);
  });
  await page.goto(address);
  return page;
}

export async function leave(page) {
  assert.deepEqual(page.complaints, [], 'the page complained');
  assert.deepEqual(page.foreign, [], 'the page asked elsewhere');
  await page.close();
}

const card = (page, id) => page.locator(`.category-card[data-id="${id}"]`);
export const notice = (page, text) => page.locator('.notice', { hasText: text }).last();

export function cases(world) {
  const at = (path = '') => `${world.url}/s/${world.stream}${path}`;
  const categories = async (wish = 'kind=discovered&sort=size&order=desc&retired=no') =>
    (await world.api('GET', `/categories?limit=1000&${wish}`)).categories;
  const category = (id) => world.api('GET', `/categories/${id}`);

  test('the overview shows the stream and leads to it', async () => {
    const page = await visit(world.browser, `${world.url}/`);
    await page.locator('.stream-card', { hasText: world.stream }).click();
    await page.locator('.tabs [aria-current="page"]', { hasText: 'Live' }).waitFor();
    await page.locator('.connection.live').waitFor();
    assert.equal(new URL(page.url()).pathname, `/s/${world.stream}`);
    await leave(page);
  });

  test('samples that are sent appear by themselves, and the figures follow', async () => {
    const page = await visit(world.browser, at());
    await page.locator('.connection.live').waitFor();
    await page.locator('.feed li').first().waitFor();
    const before = (await world.api('GET', '')).samples;
    await world.send(3);
    await page.waitForFunction(
      (wanted) =>
        document.querySelector('#card-samples .value')?.textContent.replaceAll(',', '') === wanted,
      String(before + 3),
    );
    const newest = (await world.api('GET', '/samples?order=newest&limit=1')).samples[0];
    await page.locator(`.feed a[href$="/samples/${newest.sequence}"]`).first().waitFor();
    await page.locator('.sharebar').waitFor({ state: 'attached' });
    await leave(page);
  });

  test('a category is renamed in place, and undone from the notice', async () => {
    const [one] = await categories();
    const page = await visit(world.browser, at('/categories#kind=discovered'));
    await card(page, one.id).locator('.rename').click();
    await page.keyboard.type('<b>night heron</b>');
    await page.keyboard.press('Enter');
    await card(page, one.id).getByText('<b>night heron</b>', { exact: true }).waitFor();
    assert.equal((await category(one.id)).name, '<b>night heron</b>');
    await notice(page, 'night heron').getByRole('button', { name: 'Undo' }).click();
    await card(page, one.id).getByText(one.name, { exact: true }).waitFor();
    assert.equal((await category(one.id)).name, one.name);
    await leave(page);
  });

  test('a name that is taken is refused in words and stays open to correction', async () => {
    const [one] = await categories();
    const known = (await categories('kind=known'))[0];
    const page = await visit(world.browser, at(`/categories/${one.id}`));
    await page.locator('.item-title .rename').click();
    await page.keyboard.type(known.name);
    await page.keyboard.press('Enter');
    await page.locator('.notice.bad').waitFor();
    assert.ok(await page.locator('.name-field').isVisible());
    assert.equal((await category(one.id)).name, one.name);
    await leave(page);
  });

  test('picked categories are merged, and the history undoes it', async () => {
    const [one, two] = await categories();
    const page = await visit(world.browser, at('/categories#kind=discovered'));
    await card(page, one.id).locator('.tick').check();
    await card(page, two.id).locator('.tick').check();
    await page.locator('.selection').getByRole('button', { name: 'Merge' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Merge into' }).click();
    await notice(page, 'erged').waitFor();
    await card(page, two.id).waitFor({ state: 'detached' });
    assert.equal((await category(two.id)).now, one.id);
    await page.locator('.tabs').getByText('History').click();
    const [merged] = (await world.api('GET', '/operations')).operations;
    const entry = page.locator(`.entry[data-event="${merged.event}"]`);
    await entry.getByRole('button', { name: 'Undo' }).click();
    await page.locator(`.entry.undone[data-event="${merged.event}"]`).waitFor();
    assert.equal((await category(two.id)).now, two.id);
    await leave(page);
  });

  test('a prototype is separated from a category that had swallowed it', async () => {
    const [one, two] = await categories();
    const merge = { kind: 'merge', categories: [two.id], into: one.id };
    const merged = await world.api('POST', '/operations', merge);
    const page = await visit(world.browser, at(`/categories/${one.id}`));
    await page.getByLabel(`Choose prototype ${two.prototypes[0]}`).check();
    await page.getByRole('button', { name: 'Separate' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(`/${one.id}`));
    const own = await category(Number(new URL(page.url()).pathname.split('/').at(-1)));
    assert.deepEqual(own.prototypes, two.prototypes);
    assert.deepEqual((await category(one.id)).prototypes, one.prototypes);
    await leave(page);
    const [last] = (await world.api('GET', '/operations')).operations;
    await world.api('POST', `/operations/${last.event}/undo`);
    await world.api('POST', `/operations/${merged.event}/undo`);
    assert.equal((await category(two.id)).now, two.id);
  });

  test('samples that were wrong are picked and moved to a new category', async () => {
    const [one] = await categories();
    const page = await visit(world.browser, at(`/categories/${one.id}`));
    const ticks = page.locator('.members .tick');
    await ticks.first().waitFor();
    const moved = [];
    for (const i of [0, 1]) {
      const link = page.locator('.samples li').nth(i).locator('.sample-link');
      moved.push(Number((await link.getAttribute('href')).split('/').at(-1)));
      await ticks.nth(i).check();
    }
    await page.locator('.selection').getByRole('button', { name: 'Move to' }).click();
    await page.locator('dialog input[type=search]').fill('corrected by hand');
    await page.locator('dialog').getByText('New category “corrected by hand”').click();
    await notice(page, 'oved').waitFor();
    await page.waitForFunction(
      (gone) =>
        gone.every(
          (sequence) => !document.querySelector(`.samples a[href$="/samples/${sequence}"]`),
        ),
      moved,
    );
    const found = (await categories('search=corrected'))[0];
    for (const sequence of moved)
      assert.equal((await world.api('GET', `/samples/${sequence}`)).member_of, found.id);
    await notice(page, 'oved').getByRole('button', { name: 'Undo' }).click();
    await page.locator(`.samples a[href$="/samples/${moved[0]}"]`).waitFor();
    assert.equal((await world.api('GET', `/samples/${moved[0]}`)).member_of, one.id);
    await leave(page);
  });

  test('a category is promoted, demoted, retired and revived from its page', async () => {
    const one = (await categories())[1];
    const page = await visit(world.browser, at(`/categories/${one.id}`));
    const press = (name) => page.locator('.actions').getByRole('button', { name }).click();
    await press('Promote');
    await page.locator('.item-title .chip', { hasText: 'known' }).waitFor();
    assert.equal((await category(one.id)).kind, 'known');
    await press('Demote');
    await page.locator('.item-title .chip', { hasText: 'discovered' }).waitFor();
    await press('Retire');
    await page.locator('.item-title .chip', { hasText: 'retired' }).waitFor();
    assert.equal((await category(one.id)).retired, true);
    await press('Revive');
    await page.locator('.item-title .chip.retired').waitFor({ state: 'detached' });
    assert.equal((await category(one.id)).retired, false);
    await leave(page);
  });

  test('a sample says why it was decided so, what came close and who is near', async () => {
    const page = await visit(world.browser, at('/samples'));
    await page.locator('.sample-cell').first().click();
    await page.locator('.explanation').waitFor();
    const sequence = Number(new URL(page.url()).pathname.split('/').at(-1));
    const sample = await world.api('GET', `/samples/${sequence}`);
    const said = (await page.locator('.explanation').innerText()).toLowerCase();
    assert.ok(said.startsWith(sample.explanation.toLowerCase().slice(0, 20)), said);
    assert.equal(await page.locator('.near li').count(), sample.runner_ups.length);
    assert.equal(await page.locator('.samples li').count(), sample.neighbours.length);
    await page.goBack();
    await page.locator('.sample-table').waitFor();
    await leave(page);
  });

  test('the map holds every prototype, and the keyboard goes through the categories', async () => {
    const page = await visit(world.browser, at('/map'));
    await page.locator('.map canvas').first().waitFor();
    const map = await world.api('GET', '/map');
    const drawn = await page.evaluate(
      () => window.paco.charts.get('map').getOption().series[0].data.length,
    );
    assert.equal(drawn, map.points.length);
    await page.keyboard.press('3');
    await page.locator('.category-card').first().waitFor();
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    await page.locator('.category-card.chosen.focused').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.item-title').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.category-card').first().waitFor();
    await leave(page);
  });

  test('the server dies and comes back under the open page, which misses nothing', async () => {
    const page = await visit(world.browser, at());
    await page.locator('.connection.live').waitFor();
    await page.locator('.feed li').first().waitFor();
    const before = (await world.api('GET', '')).samples;
    await world.stop();
    await page.locator('.banner.lost').waitFor();
    assert.ok(await page.locator('.feed li').first().isVisible(), 'what was in sight stays');
    await world.start();
    await world.send(2); // before the page is back: it has to ask for what it missed
    await page.locator('.banner.lost').waitFor({ state: 'detached' });
    await page.locator('.connection.live').waitFor();
    await page
      .locator(`.feed a[href$="/samples/${before + 1}"]`)
      .first()
      .waitFor();
    const shown = await page
      .locator('.feed-title')
      .evaluateAll((links) => links.map((link) => Number(link.href.split('/').at(-1))));
    assert.deepEqual(
      shown,
      [...new Set(shown)].sort((a, b) => b - a),
      'in order, nothing twice',
    );
    assert.ok(shown.includes(before), 'the first of those that it missed');
    await leave(page);
  });
}
