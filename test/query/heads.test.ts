import { expect, test } from '@jest/globals';
import type { ExplorerReading } from '../../src/engine/reporting/daemon-health.ts';
import { aBalance, aViewedDaemon, CONFIG, rulesOf } from '../support/web/viewed-daemon.ts';

const COINS = rulesOf(aBalance('coins', 'treasury', 'id: low, while: balance < 1'));
const CONFIRMED =
  'watches: [{ id: calls, kind: transactions, of: treasury, every: 1m, alerts: [{ id: any, on: new, confirmations: 2, notify: [ops] }] }]';

const START = Date.parse('2026-01-01T00:00:00Z');

function anExplorer(head: ExplorerReading['head']): ExplorerReading {
  return { name: 'chain', head, plan: null, paced: null, credits: null };
}

test('an explorer is fresh as long as its head is read, and else says what is wrong, and since when', async () => {
  const daemon = await aViewedDaemon(CONFIRMED, `${CONFIG}blind_after: 1h\n`);
  const state = async (): Promise<unknown> => {
    const { explorers } = await daemon.queries.explorers();
    return explorers.map(({ head }) => head && [head.state, head.since]);
  };
  expect(await state()).toEqual([null]);
  daemon.known.explorers = [anExplorer(null)];
  expect(await state()).toEqual([['unknown', null]]);
  const head = { height: 9n, at: START - 12_000, readAt: START, isStalled: false };
  daemon.known.explorers = [anExplorer(head)];
  await daemon.clock.advance(180_000);
  expect(await state()).toEqual([['fresh', null]]);
  await daemon.clock.advance(1);
  expect(await state()).toEqual([['overdue', '2026-01-01T00:00:00Z']]);
  daemon.known.explorers = [anExplorer({ ...head, isStalled: true })];
  expect(await state()).toEqual([['stalled', '2025-12-31T23:59:48Z']]);
});

test('an explorer that does not answer was "fresh" for as long as its last head had been', async () => {
  const daemon = await aViewedDaemon(COINS);
  daemon.known.explorers = [anExplorer({ height: 9n, at: START, readAt: START, isStalled: false })];
  daemon.shown['treasury'] = '5';
  await daemon.poll();
  const { trust } = await daemon.queries.overview();
  // No rule asks for the head: it answers, and that is all that is known.
  expect(trust.heads).toMatchObject([{ explorer: 'chain', state: 'unread', since: '2026-01-01T00:01:00Z' }]);
  daemon.shown['treasury'] = null;
  await daemon.poll(5);
  const [blind] = (await daemon.queries.overview()).trust.blind;
  expect((await daemon.queries.overview()).trust.heads).toMatchObject([{ state: 'blind', since: blind?.since }]);
});
