// One replica: the daemon as a process, which is started again whenever it ends, as a supervisor does. It has a line of its
// own to the database and an address of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RUNTIME_FLAGS } from '../../src/cli/runtime-flags.ts';
import { createFolder, start, type Process } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';
import { openProxy, type Proxy } from './proxy.ts';

export interface Replica extends AsyncDisposable {
  readonly name: string;
  /** From which it asks, and from which the database sees it. */
  readonly address: string;
  readonly line: Proxy;
  /** The file of the folder, which a running daemon reads again by itself. */
  write(file: string, text: string): void;
  signal(signal: NodeJS.Signals): void;
  /** Ends it by the signal, and starts it so much later, with its clock so far ahead, from these sources or its own. */
  restart(
    signal: NodeJS.Signals,
    change: { readonly downMs: number; readonly skewMs?: number; readonly main?: string },
  ): Promise<void>;
  /** A call of its API, as an operator makes it. Rejects when nobody answers. */
  post(path: string, body: object, key: string): Promise<void>;
  /** Everything that all of its lives have printed. */
  said(): string;
  /** Rejects when it neither ends by itself with 0 nor, as one that waits, by the signal. */
  stop(): Promise<void>;
}

export interface ReplicaOptions {
  readonly number: number;
  /** Of the sources that run. */
  readonly main: string;
  readonly files: Readonly<Record<string, string>>;
  readonly database: { readonly port: number; readonly urlAt: (port: number) => string };
}

const AFTER_AN_END_MS = 500;
const ANSWER_MS = 5000;

export async function startReplica({ number, main, files, database }: ReplicaOptions): Promise<Replica> {
  const address = `127.0.0.${10 + number}`;
  await using opened = new AsyncDisposableStack();
  const line = opened.use(await openProxy({ target: database.port, address }));
  const folder = opened.use(createFolder(files));
  const port = await freePort();
  const lives: Process[] = [];
  let skewMs = 0;
  let running = main;
  const ending = new AbortController();
  let downMs = AFTER_AN_END_MS;

  function live(): Process {
    const process = start(
      ['run'],
      folder.path,
      {
        DATABASE_URL: database.urlAt(line.port),
        CHAINWARDEN_LISTEN: `127.0.0.1:${port}`,
        NEMESIS_ADDRESS: address,
        NEMESIS_SKEW_MS: String(skewMs),
        NODE_OPTIONS: [...RUNTIME_FLAGS, `--import=${join(import.meta.dirname, 'skew.ts')}`].join(' '),
      },
      running,
    );
    lives.push(process);
    return process;
  }

  async function supervise(): Promise<void> {
    while (!ending.signal.aborted) {
      await live().ended;
      await pause(downMs, undefined, { signal: ending.signal }).catch(() => undefined);
      downMs = AFTER_AN_END_MS;
    }
  }

  const current = (): Process | undefined => lives.at(-1);
  const supervised = supervise();
  opened.defer(async () => {
    ending.abort();
    for (const one of lives) one.kill('SIGKILL');
    await supervised;
  });
  const all = opened.move();
  return {
    name: `replica ${number}`,
    address,
    line,
    write: (file, text) => {
      folder.write(file, text);
    },
    signal: (signal) => {
      current()?.kill(signal);
    },
    async restart(signal, change) {
      downMs = change.downMs;
      skewMs = change.skewMs ?? 0;
      running = change.main ?? main;
      const last = current();
      last?.kill(signal);
      await last?.ended;
      await pause(change.downMs);
    },
    async post(path, body, key) {
      const token = readFileSync(join(folder.path, 'data/state.db.token'), 'utf8').trim();
      await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-chainwarden-request': '1',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
    },
    said: () => lives.map((one) => one.err()).join(''),
    async stop() {
      ending.abort();
      const last = current();
      last?.kill('SIGTERM');
      const ended = await last?.ended;
      if (ended?.code !== 0 && ended?.signal !== 'SIGTERM')
        throw new Error(`${address} ended with ${JSON.stringify(ended)}:\n${last?.err().slice(-2000) ?? ''}`);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
