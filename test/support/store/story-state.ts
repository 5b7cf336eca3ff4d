// Which engine keeps the state of stories. CHAINWARDEN_TEST_STATE=postgres: a database each on one server for the whole
// run, made of a template that has the tables. Else a file in the folder of the story.
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { StatePlace } from '../../../src/store/open.ts';

/** Has the tables already. */
export const TEMPLATE = 'template_of_stories';

/** The name of the installation of stories. */
export const INSTALLATION = 'stories';

export function databaseAt(url: string, name = INSTALLATION): NonNullable<StatePlace['postgres']> {
  return { url: { reveal: () => url }, name };
}

export const isOnPostgres = process.env['CHAINWARDEN_TEST_STATE'] === 'postgres';

/** In the folder of a story: the URL of its database. */
const URL_FILE = 'database-url';

/** Where a story keeps its state, for who reads it beside the daemon. `file` as the config of the story has it. */
export function stateOf(folder: { readonly path: string }, file = 'data/state.db'): StatePlace {
  const url = databases.get(folder.path);
  return { file: join(folder.path, file), postgres: url === undefined ? null : databaseAt(url) };
}

const databases = new Map<string, string>();

/** The files of a story on the engine of this run, by name. */
export function onEngine(folder: string, file: string, text: string): Readonly<Record<string, string>> {
  if (!isOnPostgres || file !== 'config.yaml' || text.includes('postgres:')) return { [file]: text };
  const url = databases.get(folder) ?? createDatabase();
  databases.set(folder, url);
  return { [file]: withPostgres(text), [URL_FILE]: url };
}

const POSTGRES = `postgres: { file: ${URL_FILE}, name: ${INSTALLATION} }`;

/** Of `state:` a file alone would have more. */
function withPostgres(config: string): string {
  const [line, block] = [/^state: \{ (.*) \}$/m, /^state:\n(?: .*\n)*/m];
  if (line.test(config)) return config.replace(line, `state: { $1, ${POSTGRES} }`);
  return `${config.replace(block, '')}\nstate: { ${POSTGRES} }\n`;
}

/** What a story left behind. Not waited for. */
export function dropState(folder: string): void {
  const url = databases.get(folder);
  if (url === undefined) return;
  databases.delete(folder);
  maker().post({ type: 'drop', url });
}

function createDatabase(): string {
  return maker().ask({ type: 'create' });
}

export type Request = { readonly type: 'create' } | { readonly type: 'drop'; readonly url: string };

interface Maker {
  post(request: Request): void;
  /** Blocks until it is answered: a folder is made at once. */
  ask(request: Request): string;
}

let started: Maker | null = null;
function maker(): Maker {
  started ??= startMaker();
  return started;
}

function startMaker(): Maker {
  const { port1, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { server: process.env['CHAINWARDEN_TEST_POSTGRES'], port: port2, answered };
  const worker = new Worker(new URL('story-state-thread.ts', import.meta.url), { workerData, transferList: [port2] });
  worker.unref();
  port1.unref();
  return {
    post: (request) => {
      port1.postMessage(request);
    },
    ask(request) {
      Atomics.store(answered, 0, 0);
      port1.postMessage(request);
      Atomics.wait(answered, 0, 0);
      return String(receiveMessageOnPort(port1)?.message);
    },
  };
}
