// Days of the journal, with what is not known of them.
import { expect, test } from '@jest/globals';
import { HistoryListFilter } from '../../src/query/shapes.ts';
import { HistoryList } from '../../src/query/shapes/history.ts';
import { aViewedDaemon, CONFIG } from '../support/web/viewed-daemon.ts';

const RULES = `
watches:
  - { id: coins, kind: balance, of: treasury, every: 1h, alerts: [{ id: low, while: balance < 100, notify: [screen] }] }
  - { id: gas, kind: balance, of: vault, every: 1h, alerts: [{ id: low, while: balance < 50, notify: [screen] }] }
`;
const HOUR = 3_600_000;

test('a day of the history says when an explorer did not answer, by the clocks of the page', async () => {
  const daemon = await aViewedDaemon(RULES, `${CONFIG}http: { time_zone: Asia/Kolkata }\n`);
  const { shown, queries } = daemon;
  Object.assign(shown, { treasury: '90', vault: '60' });
  await daemon.poll(10, HOUR);
  Object.assign(shown, { treasury: null, vault: null });
  await daemon.poll(12, HOUR);
  Object.assign(shown, { treasury: '200', vault: '40' });
  await daemon.poll(20, HOUR);
  const found = await queries.history(HistoryListFilter.parse({}));
  expect(HistoryList.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
  const gap = { explorer: 'chain', watches: 2, cause: 'error' };
  expect(found.days).toEqual([
    { day: '2026-01-02', gaps: [{ ...gap, from: '2026-01-01T18:30:00Z', until: '2026-01-01T23:00:00Z' }] },
    { day: '2026-01-01', gaps: [{ ...gap, from: '2026-01-01T11:00:00Z', until: null }] },
  ]);
});

test('a day on which every answer came says that it has no gap', async () => {
  const daemon = await aViewedDaemon(RULES);
  Object.assign(daemon.shown, { treasury: '90', vault: '60' });
  await daemon.poll(2, HOUR);
  expect((await daemon.queries.history(HistoryListFilter.parse({}))).days).toEqual([{ day: '2026-01-01', gaps: [] }]);
});

test('a message that was accepted is said to have notified its channel, not nobody', async () => {
  const daemon = await aViewedDaemon(RULES);
  Object.assign(daemon.shown, { treasury: '90', vault: '60' });
  await daemon.poll(2, HOUR);
  await daemon.send('screen', { type: 'sent', answer: 'printed' });
  const { items } = await daemon.queries.history(HistoryListFilter.parse({}));
  expect(items.filter(({ kind }) => kind === 'told')).toMatchObject([{ what: 'accepted', notified: ['screen'] }]);
});
