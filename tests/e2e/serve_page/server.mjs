// `paco serve` as a process for the tests: started on a free port, killed without warning, started again on the same port.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export class Served {
  constructor(program, folder, options = []) {
    Object.assign(this, { program, folder, options, port: 0 });
  }

  async start() {
    const portFile = `${this.folder}.port`;
    rmSync(portFile, { force: true });
    const flags = ['--port', String(this.port), '--port-file', portFile, ...this.options];
    this.process = spawn(this.program, ['serve', this.folder, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.said = '';
    this.process.stderr.on('data', (text) => (this.said += text));
    this.ended = new Promise((resolve) => this.process.once('exit', resolve));
    while (!existsSync(portFile) || !readFileSync(portFile, 'utf8').trim()) {
      if (this.process.exitCode !== null) throw new Error(`paco serve ended: ${this.said}`);
      await pause(20);
    }
    this.port = Number(readFileSync(portFile, 'utf8'));
    this.url = `http://127.0.0.1:${this.port}`;
    while (
      !(await fetch(`${this.url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      ))
    )
      await pause(20);
    return this.url;
  }

  // As a power cut would.
  async kill() {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  async call(method, path, body, type = 'application/json') {
    const raw = body instanceof Uint8Array;
    const answer = await fetch(this.url + path, {
      method,
      body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
      headers: body === undefined ? {} : { 'Content-Type': type },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }
}

// The rows of a two-dimensional npy file of floats.
export function readRows(file) {
  const bytes = readFileSync(file);
  const size = bytes.readUInt16LE(8);
  const head = bytes.toString('latin1', 10, 10 + size);
  const [rows, columns] = /'shape': \((\d+), (\d+)\)/.exec(head).slice(1).map(Number);
  const wide = /'descr': '<f8'/.test(head);
  const data = bytes.subarray(10 + size);
  const value = (i) => (wide ? data.readDoubleLE(8 * i) : data.readFloatLE(4 * i));
  return Array.from({ length: rows }, (_, r) =>
    Array.from({ length: columns }, (_, c) => value(r * columns + c)),
  );
}
