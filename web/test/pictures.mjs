// Small pictures for tests: greyscale PNG files, such as stripes that show where a sample points.
import { deflateSync } from 'node:zlib';

const table = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

function checksum(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = table[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

function chunk(kind, body) {
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  out.write(kind, 4);
  body.copy(out, 8);
  out.writeUInt32BE(checksum(out.subarray(4, 8 + body.length)), 8 + body.length);
  return out;
}

// `value(x, y)` is the brightness of a pixel, 0 to 255.
export function png(size, value) {
  const rows = Buffer.alloc(size * (size + 1)); // each row begins with its filter: none
  for (let y = 0; y < size; ++y)
    for (let x = 0; x < size; ++x) rows[y * (size + 1) + 1 + x] = value(x, y);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head[8] = 8; // bits
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export const stripes = ([a, b], shift) =>
  png(28, (x, y) => 128 + 110 * Math.sin(0.9 * (x * (a + 0.2) + y * (b + 0.1)) + 0.05 * shift));
