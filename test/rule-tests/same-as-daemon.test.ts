// The same answers give the same messages in the daemon and in `chainwarden test`.
import { expect, test } from '@jest/globals';
import { createExplorer } from '../../src/explorer/explorer.ts';
import { createPoller } from '../../src/engine/polling/poller.ts';
import type { Message } from '../../src/core/model/delivery.ts';
import { runRuleTest } from '../../src/rule-tests/run.ts';
import type { WatchTest } from '../../src/rule-tests/model.ts';
import { adopt } from '../support/engine/adopt.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryStore } from '../support/store/memory-store.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { takeAll } from '../support/world.ts';
import { sendText, startServer } from '../explorer/support/server.ts';
import { load, ruleOf, testOf } from './support/trials.ts';
import { ownershipOf } from '../support/store/fences.ts';
import { aBudget } from '../support/spending.ts';

const OF = `0x${'47'.repeat(20)}`;
const CALLS = `addresses/${OF}/internal-transactions`;
const hashOf = (height: number, fork = 0): string => `0x${String(fork).repeat(8)}${String(height).padStart(56, '0')}`;
const timeOf = (height: number): string => new Date(Date.UTC(2026, 0, 1) + (height - 120) * 12_000).toISOString();

interface Scene {
  readonly head: number;
  /** Blocks from this height on are those of the other fork. */
  readonly forkedAt?: number;
  readonly calls: readonly number[];
}

/** One answer for each of the two lists, at each poll. */
function written(scenes: readonly Scene[]): string[] {
  return scenes.map((scene, i) => {
    const answers = [
      { path: CALLS, body: page(scene.calls.map((height) => call(height))) },
      { path: 'blocks', body: page(blocksOf(scene)) },
    ];
    return `{ at: ${i}m, answers: ${JSON.stringify(answers)} }`;
  });
}

function page(items: readonly object[]): string {
  return JSON.stringify({ items, next_page_params: null });
}

function call(height: number): object {
  const at = { block_number: height, timestamp: timeOf(height) };
  return { transaction_hash: hashOf(height, 7), index: 0, ...at, success: false, to: { hash: OF }, value: '1' };
}

function blocksOf({ head, forkedAt = Infinity }: Scene): object[] {
  return Array.from({ length: 50 }, (_, i) => {
    const height = head - i;
    const forkOf = (of: number): number => (of >= forkedAt ? 2 : 1);
    const hash = hashOf(height, forkOf(height));
    return { height, hash, parent_hash: hashOf(height - 1, forkOf(height - 1)), timestamp: timeOf(height) };
  });
}

/** What the test says of the scene, and what the daemon says that reads it from an explorer. */
async function both(alert: string, scenes: readonly Scene[]): Promise<Record<'test' | 'daemon', readonly Message[]>> {
  const rules = ruleOf(`kind: internal-transactions, of: '${OF}', every: 1m`, alert);
  const { tests, problems } = load(testOf(written(scenes)), { 'rules.yaml': rules });
  const [scene] = tests;
  if (scene === undefined || 'report' in scene) throw new Error(problems.map(({ message }) => message).join());
  const { sent, broken } = await runRuleTest(scene);
  expect(broken).toBe(null);
  return { test: sent.map(({ message }) => message), daemon: await daemonOver(scene) };
}

async function daemonOver({ watch, polls }: WatchTest): Promise<readonly Message[]> {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const stop = new AbortController();
  let current = polls[0];
  await using server = await startServer(({ path }, response) => {
    const answers = current?.input.type === 'answers' ? current.input.answers : [];
    const answer = answers.find((one) => path === `/api/v2/${one.path}`);
    sendText(response, answer?.body ?? '', { status: answer?.status ?? 404 });
  });
  await using explorer = createExplorer({
    name: watch.target.explorer,
    baseUrl: server.url,
    auth: { type: 'none' },
    coin: watch.target.coin,
    userAgent: 'chainwarden/test',
    budget: aBudget({ clock, requestsPerSecond: null }),
    clock,
    log,
    signal: stop.signal,
  });
  const store = createMemoryStore();
  const ignore = (): void => undefined;
  const told = {
    onPolled: ignore,
    onDamaged: ignore,
    onRecalled: ignore,
    onForks: ignore,
    onIdentity: ignore,
    onSkipped: ignore,
    onTransitions: ignore,
  };
  const poller = createPoller({
    store,
    ownership: ownershipOf(store),
    readerOf: () => explorer,
    clock,
    log,
    ...told,
  });
  await adopt(poller, [watch]);
  const messages: Message[] = [];
  for (const poll of polls) {
    current = poll;
    await clock.advance(poll.at - clock.now());
    await poller.poll([watch], stop.signal);
    messages.push(...(await takeAll(store, clock, 'somebody')).map(({ members: [{ message }] }) => message));
  }
  stop.abort();
  return messages;
}

test('a call that waits for confirmations is told when it is deep enough, not sooner, by both', async () => {
  const scenes = [{ head: 120, calls: [] }, ...[121, 125, 130, 133, 134].map((head) => ({ head, calls: [121] }))];
  const said = await both('{ id: deep, on: new, confirmations: 12 }', scenes);
  expect(said.daemon.map(({ alert, at }) => [alert, new Date(at).getUTCMinutes()])).toEqual([['deep', 4]]);
  expect(said.test).toEqual(said.daemon);
});

test('a call whose block was replaced is taken back at once, by both', async () => {
  const scenes: Scene[] = [
    { head: 120, calls: [] },
    { head: 125, calls: [121] },
    { head: 126, forkedAt: 121, calls: [] },
    { head: 127, forkedAt: 121, calls: [] },
  ];
  const said = await both('{ id: seen, on: new, confirmations: 3 }', scenes);
  expect(said.daemon.map(({ type }) => type)).toEqual(['alert.event', 'alert.retracted']);
  expect(said.test).toEqual(said.daemon);
});
