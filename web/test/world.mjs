// What tests of the page begin with: a browser and mock servers, which end with the tests.
//   node SOME_test.mjs NODE_MODULES DASHBOARD.html
import { readFileSync } from 'node:fs';
import { after } from 'node:test';
import { openBrowser } from '../../tests/e2e/report/browser.mjs';
import { MockServer } from './mock_server.mjs';

const [modules, file] = process.argv.slice(2);
const html = readFileSync(file, 'utf8');
const servers = [];
export const browser = await openBrowser(modules);
after(async () => {
  await browser.close();
  for (const server of servers) await server.stop();
});

export async function serve(options) {
  const server = new MockServer(html, options);
  servers.push(server);
  await server.start();
  return server;
}
