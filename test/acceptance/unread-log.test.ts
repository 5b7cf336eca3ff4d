// A log that nobody reads, or that is read too late: the daemon goes on, counts what is lost, and ends when told to.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import { createFolder, type Folder } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';

// Each says two lines at the start; a pipe holds a few hundred of them, and a thousand wait.
const WATCHES = 3000;
const MAKE_PIPE = 'mkfifo';

const ended: (() => void)[] = [];

afterEach(() => {
  for (const end of ended.splice(0)) end();
});

test('standard error that nobody ever reads costs lines, which are counted; /metrics answers, and it ends', async () => {
  const daemon = await start('pipe');
  expect(await daemon.dropped()).toBeGreaterThan(0);
  daemon.kill();
  expect(await daemon.code).toBe(0);
});

test('what waits when the daemon is told to end is said to a reader who comes back, last line last', async () => {
  using folder = createFolder();
  const path = join(folder.path, 'stderr');
  execFileSync(MAKE_PIPE, [path]);
  const reader = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const daemon = await start(open(path, constants.O_WRONLY));
  expect(await daemon.dropped()).toBeGreaterThan(0);

  let said = '';
  // Once a thousand lines were taken, there is room again for new ones.
  while (said.split('\n').length < 1000) said += await taken(reader);
  daemon.kill();
  while (!said.includes('daemon:stopped') && daemon.isAlive()) said += await taken(reader);
  expect(await daemon.code).toBe(0);
  said += await taken(reader);
  const lines = said.trimEnd().split('\n');
  expect(lines.at(-1)).toContain('daemon:stopped');
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test('alerts that nobody reads on standard output are owed, not lost, and do not keep it from ending', async () => {
  const ALERTS = 100;
  using folder = folderWith(
    ALERTS,
    (n) => `id: w${n}x, alerts: [{ id: any, while: height > 0, text: '${'long '.repeat(300)}' }]`,
  );
  const path = join(folder.path, 'stdout');
  execFileSync(MAKE_PIPE, [path]);
  const reader = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const live = () => launch(folder, open(path, constants.O_WRONLY), 'pipe');

  const first = live();
  let fired = 0;
  for await (const line of createInterface(readable(first.child.stderr)))
    if (line.includes('alert:firing') && (fired += 1) === ALERTS) break;
  first.child.stderr?.resume();
  first.child.kill('SIGTERM');
  expect(await first.code).toBe(0);

  const second = live();
  second.child.stderr?.resume();
  let said = '';
  const told = () => new Set(said.match(/\bw\d+x\/any FIRING/g));
  while (told().size < ALERTS && second.child.exitCode === null) said += await taken(reader);
  expect(told().size).toBe(ALERTS);
});

function open(path: string, flags: number): number {
  const fd = openSync(path, flags);
  ended.push(() => {
    closeSync(fd);
  });
  return fd;
}

/** Watches of blocks that are polled once; `watchText(n)`: what the n-th of them adds. */
function folderWith(watches: number, watchText: (n: number) => string, port = 0): Folder {
  const lines = Array.from({ length: watches }, (_, n) => `  - { kind: blocks, every: 7d, ${watchText(n)} }\n`);
  return createFolder({
    'rules.yaml': `watches:\n${lines.join('')}`,
    'config.yaml': `
explorers: { chain: { form: sandbox } }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:${port} }
rules: [rules.yaml]
`,
  });
}

interface Launched {
  readonly child: ChildProcess;
  readonly code: Promise<number | null>;
}

/** The daemon of a folder; ended by force when the test is over. */
function launch(folder: Folder, stdout: 'pipe' | number, stderr: 'pipe' | number): Launched {
  const child = spawn(process.execPath, ['--no-warnings', resolve('src/main.ts'), 'run', '--log-level', 'debug'], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(tmpdir(), 'chainwarden-compiled') },
    stdio: ['ignore', stdout, stderr],
  });
  ended.push(() => {
    child.kill('SIGKILL');
    child.stderr?.destroy();
  });
  return { child, code: once(child, 'exit').then(([code]: (number | null)[]) => code ?? null) };
}

/** A daemon with much to say at its start, up to where it has polled. */
async function start(stderr: 'pipe' | number) {
  const port = await freePort();
  const alert = (n: number): string => (n === 0 ? 'while: height > 0' : 'on: new');
  const folder = folderWith(WATCHES, (n) => `id: w${n}, alerts: [{ id: any, ${alert(n)} }]`, port);
  ended.push(() => {
    folder[Symbol.dispose]();
  });
  const { child, code } = launch(folder, 'pipe', stderr);
  await once(createInterface(readable(child.stdout)), 'line');
  return {
    code,
    isAlive: () => child.exitCode === null,
    kill: () => child.kill('SIGTERM'),
    async dropped(): Promise<number> {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(/^chainwarden_log_dropped_total (\d+)$/m.exec(text)?.[1]);
    },
  };
}

function readable(stream: Readable | null): Readable {
  if (stream === null) throw new Error('this is no pipe');
  return stream;
}

/** What is in the pipe now. */
async function taken(fd: number): Promise<string> {
  await new Promise(setImmediate);
  const buffer = Buffer.alloc(1 << 16);
  try {
    return buffer.toString('utf8', 0, readSync(fd, buffer));
  } catch {
    // EAGAIN: the pipe is empty.
    return '';
  }
}
