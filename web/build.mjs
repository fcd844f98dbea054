// Bundles web/src into one HTML text and writes it as C++ source and, for looking at, as page.html.
//   node build.mjs BUILD_FOLDER OUTPUT.cpp       (BUILD_FOLDER holds node_modules)
//
// The page is allowed to load nothing: its content security policy names the one script by hash.
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
    ...options,
  });
  return result.outputFiles[0].text.trim();
}

const script = await bundle('main.js', { format: 'iife' });
const style = await bundle('style.css', {});
const hash = createHash('sha256').update(script).digest('base64');
const page = readFileSync(join(here, 'src', 'template.html'), 'utf8')
  .replace(
    '@POLICY@',
    () =>
      `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:`,
  )
  .replace('@STYLE@', () => style)
  .replace('@SCRIPT@', () => script);

// Octal escapes cannot swallow the character behind them as hexadecimal ones do.
function literal(bytes) {
  let text = '';
  for (const b of bytes) {
    const plain = b >= 0x20 && b < 0x7f && b !== 0x22 && b !== 0x5c && b !== 0x3f;
    text += plain ? String.fromCharCode(b) : `\\${b.toString(8).padStart(3, '0')}`;
  }
  return `"${text}"`;
}

const bytes = Buffer.from(page, 'utf8');
const lines = [];
for (let i = 0; i < bytes.length; i += 4096)
  lines.push(`    ${literal(bytes.subarray(i, i + 4096))}`);
writeFileSync(join(dirname(output), 'page.html'), page);
writeFileSync(
  output,
  `// Written by web/build.mjs.
#include "report/page.hpp"

namespace {
constexpr char kPage[] =
${lines.join('\n')};
}

std::string_view paco::page_template() { return {kPage, sizeof kPage - 1}; }
std::string_view paco::page_missing_reason() { return {}; }
`,
);
