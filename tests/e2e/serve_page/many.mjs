// Embeddings that point everywhere, so that nearly every one starts a category: for what only a large memory shows.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const dimension = 64;
const classes = 40;

// A small generator with a seed, so that the files are the same everywhere.
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function npy(rows, value) {
  const shape = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${dimension}), }`;
  const head = Buffer.alloc(128, ' ');
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(118, 8);
  head.write(shape, 10);
  head.write('\n', 127);
  const data = new Float32Array(rows * dimension);
  for (let i = 0; i < data.length; ++i) data[i] = value(Math.floor(i / dimension), i % dimension);
  return Buffer.concat([head, Buffer.from(data.buffer)]);
}

// Leaves support.npy and labels.txt in the folder and gives back the stream as the bytes of an npy file.
export function makeMany(folder, samples) {
  const uniform = generator(1);
  const bell = () => uniform() + uniform() + uniform() + uniform() - 2;
  const centres = Array.from({ length: classes }, () => Array.from({ length: dimension }, bell));
  const support = npy(10 * classes, (row, k) => centres[row % classes][k] + 0.4 * bell());
  writeFileSync(join(folder, 'support.npy'), support);
  const labels = Array.from({ length: 10 * classes }, (_, row) => `class ${row % classes}`);
  writeFileSync(join(folder, 'labels.txt'), `${labels.join('\n')}\n`);
  return npy(samples, bell);
}
