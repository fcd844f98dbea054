// A headless Chromium for the tests, and how they look at a page.
//
// Where there is no browser the tests are skipped with one clear line (ctest reads it).
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(0);
}

// `modules` is the node_modules folder of the build.
export async function openBrowser(modules) {
  const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    existsSync,
  );
  if (!program) skip('no Chromium on this machine (Debian package chromium)');
  if (!existsSync(join(modules, 'playwright-core')))
    skip('playwright-core is not installed; build the report page first');
  const { chromium } = createRequire(join(modules, 'x.js'))('playwright-core');
  return chromium.launch({ executablePath: program, args: flags });
}

// A page that remembers everything it complained about and everything it tried to load.
export async function openPage(
  browser,
  file,
  { width = 1280, height = 900, colorScheme = 'light' } = {},
) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  page.complaints = [];
  page.requests = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) page.requests.push(request.url());
  });
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.paco !== undefined);
  return page;
}

// For each chart by name: how many data items it holds, and how many distinct colours its canvas shows.
export const inspectCharts = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...window.paco.charts].map(([name, chart]) => {
        chart.getZr().flush();
        const items = chart
          .getOption()
          .series.filter((s) => s.id !== 'rug')
          .reduce((sum, s) => sum + (s.data?.length ?? 0), 0);
        const canvas = chart.getDom().querySelector('canvas');
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        const colours = new Set();
        let drawn = 0;
        for (let i = 0; i < pixels.length; i += 4) {
          if (pixels[i + 3] < 128) continue;
          ++drawn;
          colours.add((pixels[i] >> 4) * 256 + (pixels[i + 1] >> 4) * 16 + (pixels[i + 2] >> 4));
        }
        return [name, { items, drawn, colours: colours.size }];
      }),
    ),
  );

// Where on the screen a row of the drawn points lies in one of the planes.
export async function placeOnScreen(page, chart, row) {
  return page.evaluate(
    ([name, index]) => {
      const instance = window.paco.charts.get(name);
      instance.getDom().scrollIntoView({ block: 'center', behavior: 'instant' });
      const { top_cosine: x, margin: y } = window.paco.data.points;
      const [left, top] = instance.convertToPixel({ gridIndex: 0 }, [x[index], y[index]]);
      const box = instance.getDom().querySelector('canvas').getBoundingClientRect();
      return { x: box.left + left, y: box.top + top };
    },
    [chart, row],
  );
}
