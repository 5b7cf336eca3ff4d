// The daemon's application in this process: a real folder, state file, web server and explorer; only the clock is fake.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openApp, type App, type AppOptions } from '../../src/app/app.ts';
import { loadSetup } from '../../src/app/setup/setup.ts';
import type { ReadFile } from '../../src/config/model.ts';
import { formatProblems } from '../../src/config/problem.ts';
import type { Recorder } from '../../src/recording/recorder.ts';
import { openStore } from '../../src/store/open.ts';
import type { SafeLog } from '../../src/telemetry/logger.ts';
import { readRegularFile } from '../../src/lib/files/regular-file.ts';
import { createRedactor } from '../../src/lib/redact.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import type { Folder } from './daemon.ts';
import { createStoryClock, type FakeClock } from './fake-clock.ts';
import { createInbox, type Arrivals } from './sinks.ts';
import { inStory } from './store/story-cluster.ts';
import { isOnPostgres } from './store/story-state.ts';

export interface RunningApp extends AsyncDisposable {
  readonly app: App;
  readonly clock: FakeClock;
  /** Polls that ended and took effect: `coins seen`, `coins missed`. */
  readonly polls: Arrivals<string>;
  /** Resolves with the fields of the next line of this event that was not asked for yet. */
  says(event: string): Promise<Readonly<Record<string, unknown>>>;
  /** Reads config and rules anew; resolves when it was tried. */
  reload(): Promise<string>;
  metrics(): Promise<string>;
  /** Status and body of a page. */
  page(path: string): Promise<Page>;
  /** What /readyz says of the daemon, without its lines on replicas: a daemon on a state file has none. */
  readyz(): Promise<Page>;
}

interface Page {
  readonly status: number;
  readonly body: string;
}

export interface AppChange extends Partial<
  Pick<AppOptions, 'openStore' | 'openExplorer' | 'notifiers' | 'print' | 'env' | 'sources'>
> {
  /** One that others share. */
  readonly clock?: FakeClock;
}

const LARGEST_FILE = 1024 * 1024;

/** Opens the app of `config.yaml` in the folder and runs it until it is disposed of. */
export async function runApp(folder: Folder, change: AppChange = {}): Promise<RunningApp> {
  const { clock = createStoryClock() } = change;
  const log = createAwaitedLog();
  const polls = createInbox<string>();
  const open = change.openStore ?? openStore;
  const readFile: ReadFile = (path, bounds) => readRegularFile(path, { maxBytes: LARGEST_FILE, ...bounds });
  const tools = {
    env: {},
    readFile,
    ...change,
    openStore: async (...args: Parameters<typeof openStore>) => {
      const store = await open(...args);
      return isOnPostgres ? inStory(store, clock) : store;
    },
  };
  const configFile = join(folder.path, 'config.yaml');
  const { setup, problems } = loadSetup(configFile, tools);
  if (setup === null) throw new Error(formatProblems(problems));
  const metrics = createMetrics({ clock });
  const app = await openApp({
    print: () => Promise.resolve(),
    // These files are read when a test says so.
    sources: { begin: () => undefined, loaded: () => '', current: () => Promise.resolve('') },
    ...tools,
    configFile,
    setup,
    clock,
    log,
    metrics,
    version: '0',
    owner: 'test',
    recorder: witness((poll) => {
      polls.push(poll);
    }),
    isDry: false,
    // It would be waited for in real time.
    silentWaitMs: 0,
  });
  const stop = new AbortController();
  const running = app.run(stop.signal);
  const page = async (path: string): Promise<Page> => {
    const answer = await fetch(`${app.url}${path}`);
    return { status: answer.status, body: await answer.text() };
  };
  return {
    app,
    clock,
    polls,
    says: (event) => log.says(event),
    async reload() {
      log.forget();
      app.reload();
      const ended = log.says('config:reloaded', 'config:rejected', 'config:not-applied');
      await clock.advance(5000);
      return String((await ended)['event']);
    },
    async metrics() {
      // Past the second for which the text is kept.
      clock.stall(1000);
      return (await fetch(`${app.url}/metrics`)).text();
    },
    page,
    async readyz() {
      const { status, body } = await page('/readyz');
      return { status, body: body.replace(/\nreplica .*: works on .*/, '') };
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** Looks on as a recorder does. */
function witness(onSettled: (poll: string) => void): Recorder {
  return {
    onAnswer: () => undefined,
    onPoll: ({ watch }, read) => ({
      read,
      readDetails: (details) => details,
      settled: ({ type }) => {
        onSettled(`${watch.rule} ${type}`);
      },
    }),
    run: async (signal) => {
      await once(signal, 'abort');
    },
    flush: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

interface AwaitedLog extends SafeLog {
  says(...events: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  /** What was said so far is not asked for any more. */
  forget(): void;
}

function createAwaitedLog(): AwaitedLog {
  const redactor = createRedactor();
  const lines = createInbox<Readonly<Record<string, unknown>>>();
  const taken = new Set<unknown>();
  const write = (event: string, fields: object = {}): void => {
    lines.push({ ...fields, event });
  };
  return {
    debug: write,
    info: write,
    warn: write,
    error: write,
    addSecrets: redactor.add,
    redact: redactor.redact,
    forget: () => {
      for (const line of lines.all) taken.add(line);
    },
    async says(...events) {
      for (;;) {
        const { length } = lines.all;
        const found = lines.all.find((line) => !taken.has(line) && events.includes(String(line['event'])));
        if (found !== undefined) {
          taken.add(found);
          return found;
        }
        await lines.reached(length + 1);
      }
    },
  };
}

/** An explorer on which every address has the same balance. */
export interface BalanceExplorer extends AsyncDisposable {
  readonly url: string;
  /** In wei. */
  balance: string;
  /** Answers with an error meanwhile. */
  isDown: boolean;
  /** Its answers have another name for the balance. */
  isUpgraded: boolean;
  /** The status of every answer while it is down. */
  failure: number;
  /** The next request is answered when it is released. */
  hold(): { readonly asked: Promise<unknown>; release(): void };
}

export async function serveBalances(): Promise<BalanceExplorer> {
  let held: { readonly asked: () => void; readonly released: Promise<unknown> } | null = null;
  const server = createServer((_request, response) => {
    const hash = `0x${'11'.repeat(20)}`;
    const body = { hash, ...(explorer.isUpgraded ? { balance_of_coins: '1' } : { coin_balance: explorer.balance }) };
    const waits = held?.released ?? Promise.resolve();
    held?.asked();
    held = null;
    void waits.then(() => {
      const status = explorer.isDown ? explorer.failure : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const explorer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    balance: '5000000000000000000',
    isDown: false,
    isUpgraded: false,
    failure: 503,
    hold() {
      const [asked, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      held = {
        asked: () => {
          asked.resolve(undefined);
        },
        released: released.promise,
      };
      return {
        asked: asked.promise,
        release: () => {
          released.resolve(undefined);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return explorer;
}
