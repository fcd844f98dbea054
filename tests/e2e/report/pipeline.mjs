// The job behind the tests: calibrate, discover, evaluate and report run once on a golden case, in a folder of their own.
//
// Importing this file runs it; its exports are what came out.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openBrowser } from './browser.mjs';

const [programPath, modules, goldenCase] = process.argv.slice(2);
export const program = programPath;
export const golden = (name) => join(goldenCase, name);

export const browser = await openBrowser(modules);
export const folder = mkdtempSync(join(tmpdir(), 'paco-report-'));
export const at = (name) => join(folder, name);
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

// One verb, or a verb and its arguments, with options by name; gives back its JSON.
export function paco(verb, options) {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const output = execFileSync(program, [verb, ...flags, '--json'].flat(), {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return JSON.parse(output);
}

const labels = golden('support_labels.npy');
export const calibrated = paco('calibrate', {
  support: golden('support.npy'),
  labels,
  out: at('model.paco'),
});
const run = { decisions: at('decisions.csv'), model: at('model.paco') };
export const discovered = paco('discover', {
  model: run.model,
  input: golden('stream.npy'),
  out: run.decisions,
  trace: at('trace.csv'),
});
export const known = discovered.known_classes;
const truth = golden('stream_labels.npy');
export const evaluated = paco('evaluate', { ...run, truth, known });
export const full = { ...run, trace: at('trace.csv'), truth, known, title: 'Golden <case>' };
paco('report', { ...full, out: at('report.html') });

// A number as the page writes it.
export const number = (text) => Number(text.replaceAll(',', '').replace('−', '-').replace('%', ''));
