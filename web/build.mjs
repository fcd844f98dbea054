// Bundles the pages of web/src, each into one HTML text, and writes them as C++ source and, for looking at, as .html.
//   node build.mjs BUILD_FOLDER OUTPUT_FOLDER       (BUILD_FOLDER holds node_modules)
//
// The page of reports and studies may load nothing, the dashboard only what its own server gives: their content security policies name the
// one script by hash (and the server computes the same for the header it sends).
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, output] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(folder, 'node_modules');
const { build } = createRequire(join(modules, 'x.js'))('esbuild');

async function bundle(entry, options) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    target: ['chrome90', 'firefox90', 'safari15'],
    nodePaths: [modules],
    logLevel: 'error',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

const source = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

async function make(name, entry, policyOf) {
  const script = await bundle(`${name}/${entry}`, { format: 'iife' });
  const style = await bundle(`${name}/style.css`, {});
  const policy = policyOf(source(script), source(style));
  const page = readFileSync(join(here, 'src', name, 'template.html'), 'utf8')
    .replace('@POLICY@', () => policy)
    .replace('@STYLE@', () => style)
    .replace('@SCRIPT@', () => script);
  return page;
}

// Octal escapes cannot swallow the character behind them as hexadecimal ones do.
function literal(bytes) {
  let text = '';
  for (const b of bytes) {
    const plain = b >= 0x20 && b < 0x7f && b !== 0x22 && b !== 0x5c && b !== 0x3f;
    text += plain ? String.fromCharCode(b) : `\\${b.toString(8).padStart(3, '0')}`;
  }
  return `"${text}"`;
}

function literalLines(text) {
  const bytes = Buffer.from(text, 'utf8');
  const lines = [];
  for (let i = 0; i < bytes.length; i += 4096)
    lines.push(`    ${literal(bytes.subarray(i, i + 4096))}`);
  return lines.join('\n');
}

function write(name, header, page, functions) {
  writeFileSync(join(output, `${name}.html`), page);
  writeFileSync(
    join(output, `${name}.cpp`),
    `// Written by web/build.mjs.
#include "${header}"

namespace {
constexpr char kPage[] =
${literalLines(page)};
}

${functions}`,
  );
}

const documents = await make(
  'document',
  'main.js',
  (script) => `default-src 'none'; script-src ${script}; style-src 'unsafe-inline'; img-src data:`,
);
write(
  'page',
  'report/page.hpp',
  documents,
  `std::string_view paco::report::page_template() { return {kPage, sizeof kPage - 1}; }
std::string_view paco::report::page_missing_reason() { return {}; }
`,
);

const dashboard = await make(
  'serve',
  'main.tsx',
  (script, style) =>
    `default-src 'none'; script-src ${script}; style-src ${style}; img-src data: blob:; ` +
    `connect-src 'self'; base-uri 'none'; form-action 'none'`,
);
write(
  'dashboard',
  'server/page.hpp',
  dashboard,
  `std::string_view paco::server::page_text() { return {kPage, sizeof kPage - 1}; }
`,
);
