// What a daemon said and what the replay of its recording says are the same, ids and words included.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import type { Transition } from '../../src/core/model/transition.ts';
import type { Watch } from '../../src/core/model/watch/watch.ts';
import { openRecording } from '../../src/recording/reader.ts';
import { recordedPolls } from '../../src/replay/recorded.ts';
import { replay } from '../../src/replay/run.ts';
import { createFolder } from '../support/daemon.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { createWorld, loadWatches, type World } from '../support/world.ts';

const RULES = `
watches:
  - id: treasury-usdc
    kind: balance
    of: treasury
    token: USDC
    every: 1m
    alerts:
      - { id: low, while: balance < 500000, until: balance > 600000, for: 2m }
      - { id: moved, on: changed }
      - { id: fell, while: 'delta("3m") < 0', cooldown: 10m }
  - { id: coins, kind: balance, of: vault, every: 1m, alerts: [{ id: poor, while: balance < 5 }] }
  - id: tokens
    kind: holdings
    of: treasury
    every: 1m
    alerts: [{ id: scam, on: added, if: token.reputation == "scam" }, { id: gone, on: removed }]
  - { id: vault-calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: failed, on: new, if: success == false }, { id: sure, on: new, if: success == false, confirmations: 3 }, { id: many, on: new, if: success == false, at_least: { count: 2, within: 10m }, per: to.hash }, { id: quiet, on: new, none_for: 5m }] }
  - { id: hot, kind: transactions, of: hot_wallet, every: 1m, alerts: [{ id: any, on: new }, { id: done, on: mined }] }
  - id: solvency
    kind: read
    of: vault
    every: 1m
    read:
      assets: { call: 'totalAssets() view returns (uint256)', units: USDC }
      held: { of: USDC, call: 'balanceOf(address account) view returns (uint256)', with: [vault], units: USDC }
      slot: { slot: '0x1', as: uint256 }
    alerts: [{ id: insolvent, while: held < assets * 0.98 }, { id: set, on: changed, if: slot != before.slot }]
  - id: deep
    kind: read
    of: vault
    every: 1m
    confirmations: 3
    read:
      assets: { call: 'totalAssets() view returns (uint256)', units: USDC }
      price: { call: 'convertToAssets(uint256 shares) view returns (uint256)', with: { shares: 1_000_000 } }
      owner: { call: 'owner() view returns (address)' }
      pause: { call: 'paused() view returns (bool)' }
      coins: { balance: true }
      slot: { slot: '0x1', as: uint256 }
    alerts: [{ id: broken, while: reverted.assets == true }, { id: deep, on: changed, if: slot != before.slot }]
  - { id: guard, kind: logs, of: vault, every: 1m, events: [Paused, OwnershipTransferred], alerts: [{ id: guarded, on: new }] }
  - { id: acme, kind: token, token: ACME, every: 1m, alerts: [{ id: flagged, on: changed }] }
  - id: chain
    kind: blocks
    max_pages: 2
    every: 1m
    alerts: [{ id: reorg, on: reorg }, { id: stalled, while: 'age > duration("4m")' }, { id: block, on: new, if: transactions_count > 0 }]
`;

/** An eventful half hour: everything that can happen to a poll, and restarts between. */
async function live(world: World, said: Transition[]): Promise<{ readonly restartedAt: number }> {
  const { sandbox } = world;
  const poll = async (times = 1): Promise<void> => {
    for (let i = 0; i < times; i += 1) {
      await world.poll();
      said.push(...world.decisions.flatMap(({ transitions }) => transitions));
    }
  };
  await poll(2);
  sandbox.mine();
  sandbox.failCall({ to: 'vault', reason: 'paused' });
  sandbox.setBalance({ address: 'treasury', token: 'USDC', value: '400000000000' });
  const { token } = sandbox.giveToken({ address: 'treasury', name: 'claim at evil.example', reputation: 'scam' });
  await poll();
  sandbox.setBalance({ address: 'vault', token: 'USDC', value: '5' });
  sandbox.setSlot({ slot: '0x1', value: '0x2' });
  sandbox.revertCall();
  sandbox.fail({ fault: 'server-error', times: 3, operation: 'address-tokens' });
  sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', status: 'pending' });
  await poll();
  sandbox.revertCall({ reverts: false });
  await world.restart();
  const restartedAt = world.clock.now();
  sandbox.mine({ blocks: 120 });
  sandbox.failCall({ to: 'vault', reason: 'again' });
  sandbox.fail({ fault: 'truncated', times: 3, operation: 'address-internal-transactions' });
  await poll(3);
  sandbox.emit({ event: 'Paused(address account)', args: ['hot_wallet'] });
  sandbox.flagToken({ token: 'ACME', reputation: 'scam' });
  sandbox.reorganise({ blocks: 3 });
  await poll(2);
  await world.restart();
  sandbox.fail({ fault: 'no-calls', operation: 'eth-rpc' });
  sandbox.setBalance({ address: 'vault', token: 'USDC', value: '9000000000000' });
  sandbox.setBalance({ address: 'treasury', token: 'USDC', value: '700000000000' });
  sandbox.setBalance({ address: 'treasury', token, value: '0' });
  await poll(8);
  sandbox.mine();
  sandbox.emit({ event: 'Paused(address account)', args: ['treasury'] });
  await poll(2);
  return { restartedAt };
}

async function replayed(file: string, watches: readonly Watch[]): Promise<{ said: Transition[]; missing: string[] }> {
  using recording = openRecording(file);
  const said: Transition[] = [];
  const missing: string[] = [];
  const onNotRecorded = ({ name }: Watch, path: string): number => missing.push(`${name} ${path}`);
  for (const watch of watches) {
    const polls = recordedPolls(watch, { recording, onNotRecorded });
    for await (const { decision } of replay(watch, polls, createRecordingLog())) said.push(...decision.transitions);
  }
  return { said, missing };
}

function outcomesIn(file: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare('SELECT DISTINCT outcome FROM polls ORDER BY outcome').all();
  db.close();
  return rows.map(({ outcome }) => outcome);
}

function inOrder(transitions: readonly Transition[]): Transition[] {
  return JSON.parse(JSON.stringify(transitions.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)))) as Transition[];
}

function placeOf({ message: { key, seq } }: Transition): string {
  return `${key} ${seq}`;
}

const WHAT_HAPPENED = [
  'any corrected',
  'any event',
  'block event',
  'block retracted',
  'broken firing',
  'broken resolved',
  'deep event',
  'done event',
  'failed event',
  'fell firing',
  'fell resolved',
  'flagged event',
  'gone event',
  'guarded event',
  'insolvent firing',
  'insolvent resolved',
  'low firing',
  'low resolved',
  'many firing',
  'many resolved',
  'moved event',
  'quiet firing',
  'reorg event',
  'scam event',
  'set event',
  'stalled firing',
  'stalled resolved',
  'sure event',
];

test('over restarts, missed and partial polls, a replay says what the daemon said', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  const said: Transition[] = [];
  {
    await using world = await createWorld(RULES, { recordTo: file });
    await live(world, said);
  }
  expect(outcomesIn(file)).toEqual(['complete', 'partial', 'server-error', 'truncated', 'wrong-path']);
  expect([...new Set(said.map(({ message: { alert, type } }) => `${alert} ${type.slice(6)}`))].toSorted()).toEqual(
    WHAT_HAPPENED,
  );
  const again = await replayed(file, loadWatches(RULES));
  expect(again.missing).toEqual([]);
  expect(inOrder(again.said)).toEqual(inOrder(said));
});

test('a recording that begins in the middle of a life goes on from what was remembered then', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  const said: Transition[] = [];
  let restartedAt = 0;
  {
    await using world = await createWorld(RULES, { recordTo: file });
    ({ restartedAt } = await live(world, said));
  }
  const db = new DatabaseSync(file);
  db.prepare('DELETE FROM polls WHERE at <= ?').run(restartedAt);
  db.close();
  const later = said.filter(({ message }) => message.at > restartedAt);
  // What was firing at that time ends later, under the key it was told with.
  expect(later.map(({ message: { alert, type } }) => `${alert} ${type.slice(6)}`)).toContain('low resolved');
  expect(inOrder((await replayed(file, loadWatches(RULES))).said)).toEqual(inOrder(later));
});
