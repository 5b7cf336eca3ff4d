// The journal as people search it.
import { expect, test } from '@jest/globals';
import { HistoryListFilter } from '../../src/query/shapes.ts';
import { operate } from '../support/store/operate.ts';
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

test('the history of a label has all lines about its alerts, page by page, and no other', async () => {
  const daemon = await aDaemonWithFailedTries();
  const { clock, store } = daemon;
  const words = { from: clock.now(), until: clock.now() + 3_600_000, untilResolved: false, comment: 'known' };
  const by = { key: 'a', asked: 'a', actor: 'alice' };
  await operate(store, { type: 'silence', matchers: { team: 'eu-desk' }, ...words }, by, { at: clock.now() });
  const linesOf = async (filter: object) => {
    const lines: string[] = [];
    let after: string | null = null;
    do {
      const page = await daemon.queries.history(HistoryListFilter.parse({ ...filter, after }));
      lines.push(...page.items.map(({ what, watch }) => `${what} ${watch ?? ''}`.trim()));
      after = page.next;
    } while (after !== null);
    return lines;
  };
  const own = await linesOf({ label: 'team=eu-desk', complete: 'true' });
  expect(own[0]).toBe('silenced');
  const [silence] = (await daemon.queries.history(HistoryListFilter.parse({ show: 'people' }))).items;
  expect([silence?.title, silence?.how]).toEqual([
    'team=eu-desk',
    [{ text: expect.stringMatching(/^until \S+, known$/) }],
  ]);
  expect(new Set(own)).toEqual(new Set(['silenced', 'not accepted coins', 'fires coins']));
  const all = await linesOf({ complete: 'true' });
  expect(own).toEqual(all.filter((line) => !line.endsWith('gas')));
  expect(await linesOf({ label: 'team=eu-desk', complete: 'true', limit: 1 })).toEqual(own);
  expect(await linesOf({ label: 'team=eu', complete: 'true' })).toEqual([]);
  expect(await linesOf({ label: ['team=eu-desk', 'of=vault'], complete: 'true' })).toEqual([]);
  expect(await linesOf({ label: 'of=vault', q: 'fires', complete: 'true' })).toEqual([]);
});

test('of two alerts of a watch the history of a label has one', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance(
        'coins',
        'treasury',
        'id: low, while: balance < 100, labels: { team: eu }',
        'id: lower, while: balance < 50, labels: { team: us }',
      ),
    ),
  );
  Object.assign(daemon.shown, { treasury: '200' });
  await daemon.poll();
  daemon.shown['treasury'] = '90';
  await daemon.poll();
  const fired = async (label: string) =>
    (await whatIs(daemon, { label, complete: 'true' })).filter((what) => what.startsWith('fires'));
  expect(await fired('team=us')).toEqual([]);
  expect(await fired('team=eu')).toEqual(['fires low', 'fires low']);
});
