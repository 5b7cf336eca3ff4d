// The lines that `enrich` adds to the messages of each kind, from the answers of the sandbox, and those of a replay.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Message } from '../../src/core/model/delivery.ts';
import { openRecording } from '../../src/recording/reader.ts';
import { recordedPolls } from '../../src/replay/recorded.ts';
import { replay } from '../../src/replay/run.ts';
import { plain } from '../../src/lib/untrusted.ts';
import { createFolder } from '../support/daemon.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { createWorld, loadWatches, type World } from '../support/world.ts';

const rule = (kind: string, more: string): string =>
  `watches: [{ id: watched, kind: ${kind}, every: 1m, alerts: [{ id: any, on: new, enrich: [transaction, calls, balances] }], ${more} }]`;

/** The lines that details add: all but the first ones, of the item itself. */
function detailsIn({ lines }: Message): string[] {
  const texts = lines.map((line) => line.map((part) => ('text' in part ? part.text : plain(part.untrusted))).join(''));
  return texts.slice(texts.findIndex((text) => /^(?:Transaction:|No details)/.test(text)));
}

async function told(rules: string, act: (sandbox: World['sandbox']) => void): Promise<string[][]> {
  await using world = await createWorld(rules);
  await world.poll();
  world.sandbox.mine();
  act(world.sandbox);
  await world.poll();
  return world.messages.map(detailsIn);
}

test('a call inside a transaction: who signed that, each call with its arguments, and what moved', async () => {
  const lines = await told(rule('internal-transactions', 'of: vault'), (sandbox) => {
    sandbox.callContract({
      from: 'treasury',
      to: 'vault',
      value: '2000000000000000000',
      function: 'transferOwnership(address newOwner)',
      args: ['treasury'],
    });
  });
  expect(lines).toEqual([
    [
      expect.stringMatching(/^Transaction: /),
      'Call inside: transferOwnership called on vault by treasury. newOwner treasury. ',
      expect.stringMatching(/^Balances: vault gained 2 coin \(\$4,691\), treasury lost 2 coin \(\$4,691\)/),
    ],
  ]);
});

test('a transfer: its tokens by the names of the config, others by their short address', async () => {
  const lines = await told(rule('transfers', 'of: treasury'), (sandbox) => {
    sandbox.transferToken({ token: 'USDC', from: 'treasury', to: 'vault', value: '5000000' });
  });
  expect(lines).toEqual([
    [
      expect.stringMatching(/^Transaction: /),
      'The transaction has no calls inside.',
      'Balances: treasury lost 5 USDC ($5), treasury lost 0.0005424 coin ($1.27), vault gained 5 USDC ($5).',
    ],
  ]);
});

test('an event: the transaction that emitted it', async () => {
  const lines = await told(rule('logs', 'of: vault, events: [Paused]'), (sandbox) => {
    sandbox.emit({ event: 'Paused(address account)', args: ['treasury'] });
  });
  expect(lines).toEqual([
    [
      expect.stringMatching(/^Transaction: /),
      'The transaction has no calls inside.',
      'Balances: hot_wallet lost 0.0005424 coin ($1.27).',
    ],
  ]);
});

test('a replay of a recording shows the details that were told, and those that were missing', async () => {
  using folder = createFolder({});
  const file = join(folder.path, 'recording.db');
  const rules = rule('transactions', 'of: vault');
  const live: string[][] = [];
  {
    await using world = await createWorld(rules, { recordTo: file });
    await world.poll();
    for (const fault of [null, 'not-found', 'html'] as const) {
      world.sandbox.mine();
      for (let n = 0; n < 6; n += 1) world.sandbox.addTransaction({ to: 'vault', function: 'pause()' });
      if (fault !== null) world.sandbox.fail({ fault, operation: 'state-changes' });
      await world.poll();
      live.push(...world.messages.map(detailsIn));
    }
  }
  using recording = openRecording(file);
  const missing: string[] = [];
  const again: string[][] = [];
  for (const watch of loadWatches(rules)) {
    const polls = recordedPolls(watch, { recording, onNotRecorded: (_watch, path) => missing.push(path) });
    for await (const { decision } of replay(watch, polls, createRecordingLog()))
      again.push(...decision.transitions.map(({ message }) => detailsIn(message)));
  }
  expect(live).toHaveLength(18);
  expect(new Set(live.map((lines) => lines.at(-1)?.slice(0, 24)))).toEqual(
    new Set(['Balances: hot_wallet los', 'No details: only 5 trans', 'No details of balances: ']),
  );
  expect(again.map((lines) => lines.join()).toSorted()).toEqual(live.map((lines) => lines.join()).toSorted());
  expect(missing).toEqual([]);
});

const DAY = 86_400_000;

test('a question that an explorer refuses three times in a row is asked again after a day', async () => {
  await using world = await createWorld(rule('transactions', 'of: vault'));
  const { sandbox, clock, asked } = world;
  const polls = async (count: number): Promise<number> => {
    asked.length = 0;
    for (let n = 0; n < count; n += 1) {
      sandbox.mine();
      sandbox.addTransaction({ to: 'vault' });
      await world.poll();
    }
    return asked.filter((path) => path.includes('state-changes')).length;
  };
  await polls(1);
  sandbox.fail({ fault: 'html', operation: 'state-changes', times: 1000 });
  expect(await polls(2)).toBe(2);
  sandbox.clearFaults();
  expect(await polls(1)).toBe(1);
  sandbox.fail({ fault: 'html', operation: 'state-changes', times: 1000 });
  expect(await polls(6)).toBe(3);
  expect(world.messages.map(detailsIn)).toMatchObject([
    [/^Transaction: /, /^The transaction has no calls/, /^No details of balances: the explorer refuses/].map((line) =>
      expect.stringMatching(line),
    ),
  ]);
  await clock.advance(DAY);
  sandbox.clearFaults();
  expect(await polls(2)).toBe(2);
});

test('what the plan has for details is spent up to its half on alerts that are not critical', async () => {
  // 20 credits each, of 200.
  const alert = (id: string, severity: string, sign: string): string =>
    `{ id: ${id}, on: new, severity: ${severity}, if: value ${sign} 0, enrich: transaction }`;
  const alerts = `${alert('moved', 'warning', '>')}, ${alert('called', 'critical', '==')}`;
  await using world = await createWorld(
    `watches: [{ id: watched, kind: transactions, of: vault, every: 1m, alerts: [${alerts}] }]`,
    { creditsPerDay: 10_000 },
  );
  await world.poll();
  const detailed = async (count: number, value: string): Promise<number> => {
    world.sandbox.mine();
    for (let n = 0; n < count; n += 1) world.sandbox.addTransaction({ to: 'vault', value });
    await world.poll();
    const details = world.messages.map((message) => detailsIn(message).join());
    const unpaid = 'No details: the plan has no credits for them now.';
    expect(details.filter((line) => line !== unpaid && !line.startsWith('Transaction:'))).toEqual([]);
    return details.filter((line) => line.startsWith('Transaction:')).length;
  };
  expect([await detailed(4, '1'), await detailed(3, '1'), await detailed(3, '0')]).toEqual([4, 1, 3]);
  expect([await detailed(3, '1'), await detailed(4, '0'), await detailed(1, '0')]).toEqual([0, 2, 0]);
});

const written = (kind: string, alert: string): string =>
  `watches: [{ id: watched, kind: ${kind}, of: vault, every: 1m, alerts: [{ id: any, ${alert} }] }]`;

test.each([
  [
    written('balance', 'on: changed, enrich: transaction'),
    'balance has no transactions to look up. Remove it. Possible with kind: internal-transactions, transactions, transfers, logs.',
  ],
  [
    written('balance', 'while: balance < 1, enrich: transaction'),
    'enrich belongs to on. Remove it, or write it at an alert with on: new, and with if.',
  ],
  [
    written('transactions', 'on: new, at_least: { count: 3, within: 10m }, enrich: transaction'),
    'enrich does not go with at_least. Remove it, or write it at an alert with on: new, and with if.',
  ],
  [written('transactions', 'on: new, enrich: balance'), 'balances'],
])('details are refused where there are none: %s', (rules, problem) => {
  expect(() => loadWatches(rules)).toThrow(problem);
});
