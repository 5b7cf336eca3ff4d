// The daemon as a process of its own, in a folder of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { dropState, onEngine } from './store/story-state.ts';

const MAIN = resolve('src/main.ts');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Process extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Everything printed so far. */
  out(): string;
  err(): string;
  /** Resolves when a line of standard error contains the text; rejects when the process ends before. */
  says(text: string): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** `chainwarden` with these arguments, of other sources where `main` says so. Ended by force when the test is over. */
export function start(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
  main = MAIN,
): Process {
  const child = spawn(process.execPath, ['--no-warnings', main, ...args], {
    cwd: folder,
    // The sources are stripped of their types once, not at every start.
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(tmpdir(), 'chainwarden-compiled'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const ended = once(child, 'close').then(
    ([code, signal]: (number | NodeJS.Signals | null)[]) => ({ code, signal }) as Ended,
  );
  return {
    child,
    pid: child.pid ?? 0,
    out: () => text.out,
    err: () => text.err,
    says: (wanted) => lineWith(wanted, child, () => text.err, ended),
    kill: (signal) => child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function lineWith(wanted: string, child: ChildProcess, read: () => string, ended: Promise<Ended>): Promise<string> {
  return new Promise((resolveLine, reject) => {
    const look = (): void => {
      const line = read()
        .split('\n')
        .find((one) => one.includes(wanted));
      if (line === undefined) return;
      child.stderr?.off('data', look);
      resolveLine(line);
    };
    child.stderr?.on('data', look);
    void ended.then(() => {
      look();
      reject(new Error(`ended before it said "${wanted}":\n${read().slice(-2000)}`));
    });
    look();
  });
}

export interface Folder extends Disposable {
  readonly path: string;
  write(file: string, text: string): void;
}

export function createFolder(files: Readonly<Record<string, string>> = {}): Folder {
  const path = mkdtempSync(join(tmpdir(), 'chainwarden-'));
  const folder: Folder = {
    path,
    write(file, text) {
      mkdirSync(join(path, file, '..'), { recursive: true });
      for (const [name, content] of Object.entries(onEngine(path, file, text)))
        // Configs hold secrets, and what others can read of them is warned of.
        writeFileSync(join(path, name), content, { mode: 0o600 });
    },
    [Symbol.dispose]() {
      dropState(path);
      rmSync(path, { recursive: true, force: true });
    },
  };
  for (const [file, text] of Object.entries(files)) folder.write(file, text);
  return folder;
}
