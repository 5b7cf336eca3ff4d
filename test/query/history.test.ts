// The journal as people search it.
import { expect, test } from '@jest/globals';
import { HistoryListFilter } from '../../src/query/shapes.ts';
import { aBalance, aViewedDaemon, rulesOf, type ViewedDaemon } from '../support/web/viewed-daemon.ts';

async function whatIs(daemon: ViewedDaemon, filter: object): Promise<string[]> {
  const { items } = await daemon.queries.history(HistoryListFilter.parse(filter));
  return items.map(({ what, alert }) => `${what} ${alert ?? ''}`.trim());
}

async function aDaemonWithFailedTries(): Promise<ViewedDaemon> {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance(
        'coins',
        'treasury',
        "id: low, while: balance < 100, title: 'The till is empty', labels: { team: eu-desk }",
      ),
      aBalance('gas', 'vault', 'id: low, while: balance < 10'),
    ),
  );
  Object.assign(daemon.shown, { treasury: '90.125', vault: '5' });
  await daemon.poll(2);
  for (let n = 0; n < 3; n += 1) {
    await daemon.send('ops', { type: 'again', why: '503 Service Unavailable' });
    await daemon.clock.advance(3_600_000);
  }
  return daemon;
}

test('a search finds what the rows show: title, value and label of the alert that a line is about', async () => {
  const daemon = await aDaemonWithFailedTries();
  for (const q of ['till is EMPTY', '90.125', 'eu-desk'])
    expect([q, await whatIs(daemon, { q, show: 'alerts' })]).toEqual([q, ['fires low']]);
  const found = await daemon.queries.history(HistoryListFilter.parse({ q: 'eu-desk', show: 'alerts' }));
  expect(found.items.map(({ watch }) => watch)).toEqual(['coins']);
  expect(await whatIs(daemon, { q: 'no such thing' })).toEqual([]);
});

test('the failed tries of a channel do not fill the history: they stand under deliveries', async () => {
  const daemon = await aDaemonWithFailedTries();
  const plain = await whatIs(daemon, {});
  expect(plain).toContain('fires low');
  expect(plain.filter((what) => what.startsWith('not accepted'))).toEqual([]);
  const tries = (await whatIs(daemon, { show: 'deliveries' })).filter((what) => what.startsWith('not accepted'));
  expect(tries.length).toBe(6);
  expect((await whatIs(daemon, { complete: 'true' })).filter((what) => what.startsWith('not accepted'))).toHaveLength(
    6,
  );
});
