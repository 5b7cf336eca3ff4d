// Values of contracts in a whole daemon: real config and rules, state file, API, and an explorer of its own.
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { ADDRESSES, TOKENS } from '../../src/sandbox/names.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { openStore } from '../../src/store/open.ts';
import { StorageError } from '../../src/store/contract/store.ts';
import { runApp, type AppChange, type RunningApp } from '../support/app.ts';
import { createFolder, type Folder } from '../support/daemon.ts';
import { createStoryClock } from '../support/fake-clock.ts';
import { callApi, OPERATOR_TOKEN, readApi } from '../support/web/api-calls.ts';

const MINUTE = 60_000;
const { vault, hot_wallet } = ADDRESSES;

const configOf = (url: string, rpc = true): string => `
explorers: { chain: { form: instance, instance_url: '${url}', rpc: ${rpc} } }
addresses: { vault: '${vault}' }
tokens: { USDC: '${TOKENS.USDC}' }
channels: { screen: { type: log } }
routes: [{ notify: [screen], repeat: 10m }]
self: none
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
state: { file: state.db }
rules: [rules.yaml]
`;

const COINS = `watches:
  - { id: coins, kind: balance, of: vault, every: 1m, alerts: [{ id: moved, on: changed }] }
`;
const SOLVENCY = `
  - id: solvency
    kind: read
    of: vault
    every: 1m
    read:
      assets: { call: 'totalAssets() view returns (uint256)', units: USDC }
      held: { of: USDC, call: 'balanceOf(address account) view returns (uint256)', with: [vault], units: USDC }
    alerts: [{ id: insolvent, while: held < assets * 0.98, severity: critical }]
`;
const RULES = COINS + SOLVENCY;

interface Story extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly folder: Folder;
  readonly url: string;
  running: RunningApp;
  /** The subjects that were printed since the last call. */
  told(): readonly string[];
  minutes(count: number): Promise<void>;
  /** The daemon stops, and starts again on the same state. */
  restart(): Promise<void>;
}

/** A daemon that has read its baseline. `change`: of the first start only. */
async function aStory(change: AppChange = {}, rules = RULES): Promise<Story> {
  await using opened = new AsyncDisposableStack();
  const clock = createStoryClock();
  const sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock, quiet: true, startBlock: 100 });
  const { url } = opened.use(await serveSandbox(sandbox));
  const folder = opened.use(createFolder({ 'config.yaml': configOf(url), 'rules.yaml': rules }));
  const printed: string[] = [];
  const print = async (line: string): Promise<void> => void printed.push(line);
  const start = (more: AppChange): Promise<RunningApp> =>
    runApp(folder, { clock, print, env: { ALICE: OPERATOR_TOKEN }, ...more });
  const story = {
    sandbox,
    folder,
    url,
    running: await start(change),
    told: () => printed.splice(0),
    async minutes(count: number): Promise<void> {
      for (let i = 0; i < count; i += 1) await story.running.clock.advance(MINUTE);
    },
    async restart(): Promise<void> {
      await story.running[Symbol.asyncDispose]();
      story.running = await start({});
    },
  };
  opened.defer(() => story.running[Symbol.asyncDispose]());
  await story.running.polls.reached(2);
  await story.minutes(1);
  const all = opened.move();
  return Object.assign(story, { [Symbol.asyncDispose]: () => all.disposeAsync() });
}

function move(sandbox: Sandbox, from: string, to: string): void {
  sandbox.moveBalance({ from, to, token: TOKENS.USDC, value: 500_000_000_000n });
}

/** Titles without their times, and without what stands behind them. */
function subjects(lines: readonly string[]): readonly string[] {
  return lines.map((line) =>
    line
      .replace(/^\S+ /, '')
      .replace(/ - .*$/, '')
      .replace(/ \(after .*\)$/, ''),
  );
}

function after({ running: { clock } }: Story, minutes: number): string {
  return new Date(clock.now() + minutes * MINUTE).toISOString();
}

const Open = z.object({ items: z.array(z.object({ key: z.string(), episode: z.number(), seq: z.number() })) });

const RESOLVED =
  'CRITICAL solvency/insolvent RESOLVED vault held 6,563,915.55, at or above assets * 0.98 (6,432,637.24)';
const FIRING = 'CRITICAL solvency/insolvent FIRING vault held 6,063,915.55, below assets * 0.98 (6,432,637.24)';

test('rpc that is switched off is refused while a rule needs it, and the watch goes on', async () => {
  await using story = await aStory();
  story.folder.write('config.yaml', configOf(story.url, false));
  expect(await story.running.reload()).toBe('config:rejected');
  move(story.sandbox, vault, hot_wallet);
  await story.minutes(2);
  expect(subjects(story.told())).toEqual([FIRING]);
});

test('rpc that is switched off together with its rules ends their alerts, and both together begin them again', async () => {
  await using story = await aStory();
  move(story.sandbox, vault, hot_wallet);
  await story.minutes(2);
  expect(subjects(story.told())).toEqual([FIRING]);
  story.folder.write('config.yaml', configOf(story.url, false));
  story.folder.write('rules.yaml', COINS);
  expect(await story.running.reload()).toBe('config:reloaded');
  await story.minutes(2);
  expect(subjects(story.told())).toEqual([`${FIRING.replace('FIRING', 'RESOLVED')}: rule removed`]);
  story.folder.write('config.yaml', configOf(story.url));
  story.folder.write('rules.yaml', RULES);
  expect(await story.running.reload()).toBe('config:reloaded');
  await story.minutes(2);
  expect(subjects(story.told())).toEqual([FIRING]);
  await story.minutes(3);
  expect(story.told()).toEqual([]);
});

test('a state that was read, and not kept before the daemon died, is told once after its restart', async () => {
  const disk = { isFull: false };
  const openStoreOnDisk: AppChange['openStore'] = async (state, tools) => {
    const store = await openStore(state, tools);
    const full = (): Promise<never> => Promise.reject(new StorageError('the disk is full'));
    return { ...store, commit: (...args) => (disk.isFull ? full() : store.commit(...args)) };
  };
  await using story = await aStory({ openStore: openStoreOnDisk }, RULES.replace('critical', 'warning'));
  disk.isFull = true;
  move(story.sandbox, vault, hot_wallet);
  await story.minutes(1);
  expect(story.told()).toEqual([]);
  await story.restart();
  await story.minutes(3);
  expect(subjects(story.told())).toEqual([FIRING.replace('CRITICAL', 'WARNING')]);
  await story.restart();
  move(story.sandbox, hot_wallet, vault);
  await story.minutes(3);
  expect(subjects(story.told())).toEqual([RESOLVED.replace('CRITICAL', 'WARNING')]);
});

test('an acknowledgement holds while a value is unknown, and the end is told when it is known', async () => {
  await using story = await aStory();
  const { sandbox, running } = story;
  move(sandbox, vault, hot_wallet);
  await story.minutes(1);
  sandbox.revertCall({ call: 'totalAssets()' });
  await story.minutes(2);
  expect(subjects(story.told())).toEqual([FIRING]);
  const { items } = Open.parse((await readApi(running, '/alerts')).body);
  const [{ key, episode, seq } = { key: '', episode: 0, seq: 0 }] = items;
  const body = { seq, until: after(story, 60) };
  expect(await callApi(running, { path: `/alerts/${key}/${episode}/acks`, body })).toMatchObject({ status: 201 });
  move(sandbox, hot_wallet, vault);
  await story.minutes(25);
  expect(story.told()).toEqual([]);
  sandbox.revertCall({ call: 'totalAssets()', reverts: false });
  await story.minutes(2);
  expect(subjects(story.told())).toEqual([RESOLVED]);
});

test('what fired in a silence is told at its end, also if a value is unknown then, and is repeated', async () => {
  await using story = await aStory();
  const { sandbox, running } = story;
  sandbox.revertCall({ call: 'totalAssets()' });
  await story.minutes(1);
  const body = { matchers: { watch: 'solvency' }, until: after(story, 10), comment: 'work', confirm: true };
  expect(await callApi(running, { path: '/silences', body })).toMatchObject({ status: 201 });
  move(sandbox, vault, hot_wallet);
  await story.minutes(1);
  sandbox.revertCall({ call: 'totalAssets()', reverts: false });
  await story.minutes(2);
  sandbox.revertCall({ call: 'totalAssets()' });
  await story.minutes(4);
  expect(story.told()).toEqual([]);
  await story.minutes(4);
  const [line = '', ...others] = story.told();
  expect(others).toEqual([]);
  expect(subjects([line])).toEqual([FIRING]);
  expect(line).toContain('It has not cleared since.');
  move(sandbox, hot_wallet, vault);
  await story.minutes(10);
  expect(subjects(story.told())).toEqual([FIRING]);
  sandbox.revertCall({ call: 'totalAssets()', reverts: false });
  await story.minutes(2);
  expect(subjects(story.told())).toEqual([RESOLVED]);
});
