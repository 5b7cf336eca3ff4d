// A state file of the release that had schema 6 kept in each memory what windows look back on. It goes on, and its windows
// say what they said.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { historyOf } from '../../src/core/alerts/history.ts';
import type { Memory, Run } from '../../src/core/model/memory.ts';
import type { Watch } from '../../src/core/model/watch/watch.ts';
import { step } from '../../src/core/step.ts';
import { withStored } from '../../src/core/windows/closed.ts';
import { readMemory } from '../../src/engine/polling/observe.ts';
import { createRunsOfWatches } from '../../src/engine/polling/stored-runs.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { createFolder } from '../support/daemon.ts';
import { claim } from '../support/store/store-calls.ts';
import { loadWatches } from '../support/world.ts';

const MINUTE = 60_000;

const folder = createFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

/** As the rules were when the file was made. */
const RULES = `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts:
      - { id: fell, while: 'delta("3m") < 0' }
      - { id: lowest, while: 'balance < min("10m")' }
      - { id: above, while: 'balance > avg("30m")', for: 5m }
  - { id: usdc, kind: balance, token: USDC, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }, { id: moved, on: changed }] }
  - { id: calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: failed, on: new, if: success == false }, { id: many, on: new, if: success == false, at_least: { count: 2, within: 10m } }] }
  - { id: txs, kind: transactions, of: vault, every: 1m, alerts: [{ id: large, on: new, if: value > 100, title: 'Large transfer of {{ value }}' }] }
  - { id: head, kind: blocks, every: 1m, alerts: [{ id: reorg, on: reorg }] }
`;
const watches = loadWatches(RULES);

interface Former {
  readonly store: Store;
  /** By watch, what stood in `history`. */
  readonly histories: ReadonlyMap<string, Memory['history']>;
}

async function open(name: string, change = ''): Promise<Former & AsyncDisposable> {
  const file = join(folder.path, name);
  const histories = new Map<string, Memory['history']>();
  {
    using db = new DatabaseSync(file);
    db.exec(readFileSync(join(import.meta.dirname, 'schemas', '6.sql'), 'utf8'));
    db.exec(change);
    for (const { watch, history } of db.prepare('SELECT watch, history FROM memory WHERE json_valid(history)').all())
      histories.set(String(watch), JSON.parse(String(history)) as Memory['history']);
  }
  const store = await openSqliteStore({ file });
  return { store, histories, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

function watchOf(rule: string): Watch {
  const found = watches.find((watch) => watch.rule === rule);
  if (found === undefined) throw new Error(`no watch ${rule}`);
  return found;
}

test('every watch goes on from its memory: nothing is told again, and nothing is begun anew', async () => {
  await using former = await open('all.db');
  const memories = await former.store.recall();
  for (const watch of watches) {
    const stored = memories.get(watch.id);
    const memory = stored === undefined ? null : readMemory(watch, stored);
    if (memory === null) throw new Error(`${watch.name}: its memory is lost`);
    const at = (memory.coveredUntil ?? 0) + MINUTE;
    const decision = step(watch, memory, { type: 'missed', at, reason: 'timeout', detail: 'no answer' });
    expect(decision.transitions).toEqual([]);
    expect(decision.memory.alerts).toEqual(memory.alerts);
    expect(memory.checksum).toBe(watch.checksum);
  }
  expect(await former.store.survey()).toMatchObject({ outbox: [{ channel: 'night', rows: 2 }], dead: 0, sent: 14 });
  const { coveredUntil = 0 } = memories.get(watchOf('txs').id) ?? {};
  const at = (coveredUntil ?? 0) + MINUTE;
  expect(await former.store.expire('night', at, [])).toBe(1);
  expect(await claim(former.store, 'night', 10, at)).toMatchObject([{ ageMs: MINUTE }, { ageMs: MINUTE }]);
  expect((await former.store.chainBlocks(['chain'])).get('chain')?.length).toBeGreaterThan(10);
});

test('the runs of a memory lie apart, and its windows say what they said over all of them', async () => {
  await using former = await open('windows.db');
  const watch = watchOf('coins');
  const memory = (await former.store.recall([watch.id])).get(watch.id);
  if (memory === undefined) throw new Error('it is lost');
  const before = former.histories.get(watch.id) ?? {};
  expect(memory.history['balance']).toEqual(before['balance']?.slice(-1));
  expect(withStored(memory, await former.store.samples(watch.id)).history).toEqual(before);
  const time = { at: memory.coveredUntil ?? 0, coveredUntil: memory.coveredUntil, intervalMs: MINUTE };
  const past = await createRunsOfWatches(former.store).before(watch, memory, time.at, 0);
  const [whole, apart] = [historyOf(before, time), historyOf(memory.history, time, past)];
  for (const [measure, minutes, value] of [
    ['delta', 3, '7'],
    ['min', 3, '96'],
    ['avg', 3, '99.333333'],
    // Nobody looked at its beginning.
    ['min', 10, 'undefined'],
  ] as const) {
    const window = { measure, path: 'balance', ms: minutes * MINUTE };
    expect(String(apart(window)).slice(0, 9)).toBe(value);
    expect(String(whole(window)).slice(0, 9)).toBe(value);
  }
});

test('a damaged history stops nobody but its watch', async () => {
  const { id } = watchOf('head');
  await using former = await open('damaged.db', `UPDATE memory SET history = '{"balance":[[' WHERE watch = '${id}'`);
  const coins = watchOf('coins');
  const runs = (await former.store.samples(coins.id))['balance'] ?? [];
  expect(runs).toEqual(former.histories.get(coins.id)?.['balance']?.filter(([, until]: Run) => until !== null));
  await expect(former.store.recall([id])).rejects.toThrow('is damaged');
  expect((await former.store.recall([coins.id])).size).toBe(1);
});
