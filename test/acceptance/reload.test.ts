// Reloads that fail after the files were found right, and those that are refused: nothing goes dark.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { createExplorer, type Explorer, type ExplorerOptions } from '../../src/explorer/explorer.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import type { AnyNotifier } from '../../src/notifiers/notifier.ts';
import { openStore } from '../../src/store/open.ts';
import { StorageError, type Store } from '../../src/store/contract/store.ts';
import { WebError } from '../../src/web/server.ts';
import { runApp, serveBalances, type AppChange, type BalanceExplorer } from '../support/app.ts';
import { createFolder, type Folder } from '../support/daemon.ts';
import { isOnPostgres } from '../support/store/story-state.ts';

const rule = (id: string, explorer: string): string =>
  `  - { id: ${id}, kind: balance, explorer: ${explorer}, of: treasury, every: 1m, notify: [screen], alerts: [{ id: low, while: balance < 1 }] }\n`;

const config = ({ url }: BalanceExplorer, extra = '', channels = ''): string => `
explorers:
  chain: { form: instance, instance_url: '${url}' }
${extra}
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels:
  screen: { type: log }
${channels}
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;

interface Faults {
  explorer: boolean;
  channel: boolean;
  recall: boolean;
  diagnostics: boolean;
}

/** Real parts that fail while they are told to, and what of them is open. */
function aBrittleApp() {
  const faults: Faults = { explorer: false, channel: false, recall: false, diagnostics: false };
  const open = { explorers: new Set<string>(), channels: new Set<string>() };
  let served = '';
  const brittle: AnyNotifier = {
    ...(notifiers.find(({ type }) => type === 'log') as AnyNotifier),
    type: 'brittle',
    open(_to, { channel }) {
      if (faults.channel) throw new Error('the channel cannot be opened');
      open.channels.add(channel);
      return {
        send: () => Promise.resolve({ type: 'sent', answer: '' }),
        [Symbol.asyncDispose]: async () => void open.channels.delete(channel),
      };
    },
  };
  const change: AppChange = {
    notifiers: [...notifiers, brittle],
    openExplorer(options: ExplorerOptions): Explorer {
      if (options.name === 'extra') served = options.baseUrl;
      if (faults.explorer && options.name === 'extra') throw new Error('the explorer cannot be opened');
      const explorer = createExplorer(options);
      const key = `${options.name} ${options.baseUrl}`;
      open.explorers.add(key);
      return {
        ...explorer,
        async [Symbol.asyncDispose]() {
          open.explorers.delete(key);
          await explorer[Symbol.asyncDispose]();
        },
      };
    },
    async openStore(state, tools) {
      const store = await openStore(state, tools);
      const guarded: Store = {
        ...store,
        recall: (ids) => (faults.recall ? Promise.reject(new StorageError('no recall')) : store.recall(ids)),
        diagnostics: (ids) =>
          faults.diagnostics ? Promise.reject(new StorageError('no diagnostics')) : store.diagnostics(ids),
      };
      return guarded;
    },
  };
  return {
    faults,
    open,
    change,
    /** Where the last explorer called `extra` was to be asked. */
    get served() {
      return served;
    },
  };
}

type Brittle = ReturnType<typeof aBrittleApp>;

/** An app with one watch, `old`, that was polled once. */
async function anAppThatPolls(settings: AppChange = {}) {
  await using opened = new AsyncDisposableStack();
  const explorer = opened.use(await serveBalances());
  const files = { 'config.yaml': config(explorer), 'rules.yaml': `watches:\n${rule('old', 'chain')}` };
  const folder = opened.use(createFolder(files));
  const brittle = aBrittleApp();
  const running = opened.use(await runApp(folder, { ...brittle.change, ...settings }));
  await running.polls.reached(1);
  const all = opened.move();
  return { explorer, folder, brittle, running, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

interface Reason {
  readonly name: string;
  readonly ends: 'config:rejected' | 'config:not-applied';
  /** The explorer `extra` of the config that is reloaded. */
  readonly extra?: (url: string) => string;
  readonly breaks: (brittle: Brittle, folder: Folder) => void;
  readonly mends: (brittle: Brittle, folder: Folder) => void;
}

const instance = (url: string, more = ''): string => `  extra: { form: instance, instance_url: '${url}'${more} }`;

const fault = (which: keyof Faults): Pick<Reason, 'breaks' | 'mends'> => ({
  breaks: ({ faults }) => {
    faults[which] = true;
  },
  mends: ({ faults }) => {
    faults[which] = false;
  },
});

const secretFile = (bad: string, good: string): Pick<Reason, 'breaks' | 'mends'> => ({
  breaks: (_brittle, folder) => {
    folder.write('secret.txt', bad);
  },
  mends: (_brittle, folder) => {
    folder.write('secret.txt', good);
  },
});

const REASONS: readonly Reason[] = [
  {
    name: 'a header from a file has a line break in it',
    ends: 'config:rejected',
    extra: (url) => instance(url, ', headers: { X-Key: { file: secret.txt } }'),
    ...secretFile('first line\nsecond line\n', 'one line\n'),
  },
  {
    name: 'an API key from a file has a line break in it',
    ends: 'config:rejected',
    extra: (url) => instance(url, ', api_key: { file: secret.txt }'),
    ...secretFile('first-line\nsecond-line\n', 'a-single-line\n'),
  },
  { name: 'an explorer cannot be opened', ends: 'config:not-applied', ...fault('explorer') },
  { name: 'a channel cannot be opened', ends: 'config:not-applied', ...fault('channel') },
  { name: 'the state file refuses what is remembered', ends: 'config:not-applied', ...fault('recall') },
  { name: 'the state file refuses what is kept beside it', ends: 'config:not-applied', ...fault('diagnostics') },
];

test.each(REASONS)('$name: the old watches go on, it is said, and the next good reload works', async (reason) => {
  const { ends, extra = instance, breaks, mends } = reason;
  await using app = await anAppThatPolls();
  const { explorer, folder, brittle, running } = app;
  const { clock, polls } = running;

  breaks(brittle, folder);
  folder.write('config.yaml', config(explorer, extra(explorer.url), '  more: { type: brittle }'));
  folder.write('rules.yaml', `watches:\n${rule('old', 'chain')}${rule('new', 'extra')}`);
  expect(await running.reload()).toBe(ends);

  const metrics = await running.metrics();
  expect(metrics).toContain('chainwarden_config_last_reload_successful 0\n');
  expect(metrics).toContain('chainwarden_watch_up{watch="old",of="treasury"} 1\n');
  expect(metrics).not.toContain('watch="new"');
  expect(await running.page('/healthz')).toEqual({ status: 200, body: 'ok' });
  expect((await running.readyz()).status).toBe(200);
  expect((await running.page('/')).body).toMatch(/The files saved at [^<]* are not in force/);
  await clock.advance(60_000);
  expect(await polls.reached(2)).toEqual(['old seen', 'old seen']);
  expect([...brittle.open.explorers]).toEqual([`chain ${explorer.url}`]);
  expect([...brittle.open.channels]).toEqual([]);

  mends(brittle, folder);
  expect(await running.reload()).toBe('config:reloaded');
  const all = await polls.reached(3);
  expect(all.slice(2)).toContain('new seen');
  expect((await running.readyz()).status).toBe(200);
  const after = await running.metrics();
  expect(after).toContain('chainwarden_config_last_reload_successful 1\n');
  expect((await running.page('/')).body).not.toContain('are not in force');
  expect(after).toContain('chainwarden_watch_up{watch="new",of="treasury"} 1\n');
  expect([...brittle.open.channels]).toEqual(['more']);
});

test('a sandbox that was started for a reload that failed does not go on answering', async () => {
  await using app = await anAppThatPolls();
  const { explorer, folder, brittle, running } = app;
  brittle.faults.explorer = true;
  folder.write('config.yaml', config(explorer, '  extra: { form: sandbox }'));
  expect(await running.reload()).toBe('config:not-applied');
  expect(brittle.served).toMatch(/^http:\/\/127\.0\.0\.1:/);
  await expect(fetch(brittle.served)).rejects.toThrow('fetch failed');
});

test('a reload that failed for a reason that passes is tried again without an edit', async () => {
  await using app = await anAppThatPolls();
  const { folder, brittle, running } = app;
  brittle.faults.recall = true;
  folder.write('rules.yaml', `watches:\n${rule('new', 'chain')}`);
  expect(await running.reload()).toBe('config:not-applied');
  brittle.faults.recall = false;
  await running.clock.advance(40_000);
  await running.says('config:reloaded');
  expect((await running.polls.reached(2)).slice(1)).toEqual(['new seen']);
});

test('a poll that is under way when its explorer is replaced ends on the former one', async () => {
  await using app = await anAppThatPolls();
  const { explorer, folder, running } = app;

  const answer = explorer.hold();
  await running.clock.advance(60_000);
  await answer.asked;
  folder.write('config.yaml', config(explorer).replace("' }", "', concurrency: 2 }"));
  expect(await running.reload()).toBe('config:reloaded');
  answer.release();
  expect(await running.polls.reached(2)).toEqual(['old seen', 'old seen']);
});

test('what a removed watch had firing is resolved after the reload, and its series are gone', async () => {
  await using explorer = await serveBalances();
  explorer.balance = '5';
  const printed: string[] = [];
  const said = Promise.withResolvers<undefined>();
  using folder = createFolder({
    'config.yaml': config(explorer),
    'rules.yaml': `watches:\n${rule('old', 'chain')}${rule('stays', 'chain')}`,
  });
  await using running = await runApp(folder, {
    print(line) {
      printed.push(line.split(' ').slice(2, 4).join(' '));
      if (line.includes('RESOLVED')) said.resolve(undefined);
      return Promise.resolve();
    },
  });
  await running.polls.reached(2);
  folder.write('rules.yaml', `watches:\n${rule('stays', 'chain')}`);
  expect(await running.reload()).toBe('config:reloaded');
  // Replicas end nothing before all of them have run the same config for 30 seconds.
  if (isOnPostgres) await running.clock.advance(60_000);
  await said.promise;
  expect(printed.toSorted()).toEqual(['old/low FIRING', 'old/low RESOLVED', 'stays/low FIRING']);
  expect(await running.metrics()).not.toContain('watch="old"');
});

test('a daemon that cannot listen on its port opens nothing that stays open, and sends nothing', async () => {
  await using explorer = await serveBalances();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  using folder = createFolder({
    'config.yaml': config(explorer).replace('127.0.0.1:0', `127.0.0.1:${port}`),
    'rules.yaml': `watches:\n${rule('old', 'chain')}`,
  });
  const brittle = aBrittleApp();
  await expect(runApp(folder, brittle.change)).rejects.toThrow(WebError);
  expect([...brittle.open.explorers]).toEqual([]);
  taken.close();
});

test('a coin whose decimals are corrected is shown with them at the next poll, though the explorer says the same', async () => {
  await using app = await anAppThatPolls();
  const { explorer, folder, running } = app;
  expect(await running.metrics()).toMatch(/chainwarden_watch_value\{.*field="balance"\} 5\n/);
  folder.write('config.yaml', config(explorer).replace("' }", "', coin: { decimals: 17 } }"));
  expect(await running.reload()).toBe('config:reloaded');
  await running.clock.advance(60_000);
  await running.polls.reached(2);
  expect(await running.metrics()).toMatch(/chainwarden_watch_value\{.*field="balance"\} 50\n/);
});
