// The page in use: click, hover, dark, narrow and on paper.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectCharts, openPage, placeOnScreen } from './browser.mjs';
import { at, browser } from './pipeline.mjs';

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
  assert.equal(
    await page.evaluate(() => window.paco.selection()),
    await page.evaluate((index) => window.paco.data.points.category[index], row),
  );
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('dark follows the system and the button switches', async () => {
  const page = await openPage(browser, at('report.html'), { colorScheme: 'dark' });
  const brightness = () =>
    page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
      return (r + g + b) / 3;
    });
  assert.ok((await brightness()) < 60);
  await page.locator('button.theme').click();
  assert.ok((await brightness()) > 200);
  for (const [name, { colours }] of Object.entries(await inspectCharts(page)))
    assert.ok(colours > 2, name);
  await page.close();
});

test('nothing sticks out at any width', async () => {
  for (const width of [1280, 800, 390]) {
    const page = await openPage(browser, at('report.html'), { width });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    const wide = await page.evaluate(() =>
      [...window.paco.charts]
        .filter(([, chart]) => chart.getWidth() > chart.getDom().parentElement.clientWidth)
        .map(([name]) => name),
    );
    assert.deepEqual(wide, [], `at ${width} pixels`);
    await page.close();
  }
});

test('it prints in light, in a handful of pages', async () => {
  const page = await openPage(browser, at('report.html'), { colorScheme: 'dark' });
  await page.evaluate(() =>
    window.addEventListener('beforeprint', () => {
      window.printedTheme = document.documentElement.dataset.theme;
    }),
  );
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages >= 3 && pages <= 12, `${pages} pages`);
  assert.equal(await page.evaluate(() => window.printedTheme), 'light');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.close();
});
