// A daemon on a real state file that tells a screen what is wrong with it, minute by minute.
import { runApp, serveBalances, type AppChange, type BalanceExplorer, type RunningApp } from './app.ts';
import { createFolder, type Folder } from './daemon.ts';
import { createInbox, type Arrivals } from './sinks.ts';

const SCREEN = 'channels: { screen: { type: log } }';

const LISTEN = 'http: { listen: 127.0.0.1:0 }';

const config = ({ url }: BalanceExplorer, channels = SCREEN, http = LISTEN): string => `
explorers:
  chain: { form: instance, instance_url: '${url}', api_key: some-key }
addresses: { treasury: '0x${'11'.repeat(20)}' }
${http}
rules: [rules.yaml]
${channels}
`;

export const rule = (id: string, severity: string): string =>
  `  - { id: ${id}, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, severity: ${severity}, while: balance < 1 }] }\n`;
export const RULES = `watches:\n${rule('coins', 'warning')}${rule('gold', 'critical')}${rule('dust', 'info')}`;

export interface Story extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  readonly folder: Folder;
  readonly printed: Arrivals<string>;
  readonly running: RunningApp;
  /** Stops the daemon and starts it again a minute later, on the same state file and clock. */
  restart(meanwhile?: () => void): Promise<void>;
  /** So many minutes, every watch polled in each. */
  minutes(count: number): Promise<void>;
}

interface StoryChange extends AppChange {
  readonly channels?: string;
  /** The line of the config. */
  readonly http?: string;
  readonly rules?: string;
  /** How many end in each minute. */
  readonly polls?: number;
  /** Of the explorer when the daemon starts. */
  readonly explorer?: Partial<BalanceExplorer>;
}

export async function aStory(change: StoryChange = {}): Promise<Story> {
  await using opened = new AsyncDisposableStack();
  const { polls = 3 } = change;
  const explorer = Object.assign(opened.use(await serveBalances()), change.explorer);
  const folder = opened.use(
    createFolder({
      'config.yaml': config(explorer, change.channels, change.http),
      'rules.yaml': change.rules ?? RULES,
    }),
  );
  const printed = createInbox<string>();
  const print = (line: string): Promise<void> => {
    printed.push(line);
    return Promise.resolve();
  };
  let running = await runApp(folder, { ...change, print });
  await running.polls.reached(polls);
  const all = opened.move();
  return {
    explorer,
    folder,
    printed,
    get running() {
      return running;
    },
    async restart(meanwhile) {
      const { clock } = running;
      await running[Symbol.asyncDispose]();
      meanwhile?.();
      // All watches are due by then.
      clock.stall(61_000);
      running = await runApp(folder, { ...change, print, clock });
      await running.polls.reached(polls);
    },
    async minutes(count) {
      for (; count > 0; count -= 1) {
        const { length } = running.polls.all;
        await running.clock.advance(60_000);
        await running.polls.reached(length + polls);
      }
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await all.disposeAsync();
    },
  };
}

/** The line without its time. */
export function lines({ printed }: Story): string[] {
  return printed.all.map((line) => line.slice(line.indexOf(' ') + 1));
}
