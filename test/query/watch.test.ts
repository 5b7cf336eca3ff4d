import { expect, test } from '@jest/globals';
import { AlertHistory, Gone } from '../../src/query/shapes/alerts.ts';
import { WatchExplanation } from '../../src/query/shapes/watches.ts';
import { AlertListFilter } from '../../src/query/shapes.ts';
import { untrusted } from '../../src/lib/untrusted.ts';
import { fieldsOf } from '../../src/query/alerts/message-fields.ts';
import { aBalance, aViewedDaemon, rulesOf, TREASURY } from '../support/web/viewed-daemon.ts';
import { operate } from '../support/store/operate.ts';

const RULES = `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts:
      - { id: low, while: balance < 100, until: balance > 150, for: 2m, severity: critical, notify: [ops, oncall] }
      - { id: moved, on: changed, severity: info, notify: [screen] }
  - { id: gas, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance < 10, notify: [ops] }] }
`;

function shapeOf<T>(shape: { parse(value: unknown): T }, value: unknown): T {
  return shape.parse(JSON.parse(JSON.stringify(value)));
}

test('a value in dollars stands beside no earlier balance in coins', async () => {
  const daemon = await aViewedDaemon(rulesOf(aBalance('coins', 'treasury', 'id: low, while: balance_usd < 100')));
  daemon.shown['treasury'] = '200 at 2';
  await daemon.poll();
  daemon.shown['treasury'] = '90 at 2';
  await daemon.poll();
  const found = await daemon.queries.watch('coins');
  expect(found).toMatchObject({ measure: { value: '180', unit: 'USD' }, previous: null });
});

test('a watch says of each alert what it reads, what is missing, and what it was polled with', async () => {
  const daemon = await aViewedDaemon(RULES);
  Object.assign(daemon.shown, { treasury: '200', vault: '50' });
  await daemon.poll();
  daemon.shown['treasury'] = '90';
  await daemon.poll();
  const found = await daemon.queries.watch('coins');
  const explained = shapeOf(WatchExplanation, found);
  expect(explained).toEqual(found);
  expect(explained).toMatchObject({ measured: 'balance', previous: '200', next: '2026-01-01T00:02:54.850Z' });
  expect(explained.watch).toMatchObject({ state: 'pending', severity: 'critical' });
  expect(explained.alerts[0]?.conditions).toMatchObject([
    { name: 'while', part: { text: 'balance < 100', truth: true, reads: [{ name: 'balance' }] } },
    { name: 'until', part: { text: 'balance > 150', truth: false } },
  ]);
  expect(explained.alerts[0]?.states).toMatchObject([{ state: 'pending', held_back: ['`for`, for another 2m'] }]);
  expect(explained.alerts[0]).toMatchObject({
    aim: 'to end',
    needs: ['balance would have to rise by 10, to 100'],
    would_notify: [{ channel: 'ops' }, { channel: 'oncall' }],
  });
  expect(explained.polls).toMatchObject([
    { at: '2026-01-01T00:02:00Z', outcome: 'complete', value: '90', truths: { low: true } },
    { at: '2026-01-01T00:01:00Z', outcome: 'complete', value: '200', truths: { low: false } },
  ]);
  expect(explained.source).toMatchObject({ file: 'rules.yaml', line: 3 });
  expect(explained.rule).toMatch(/^ {2}- id: coins\n[^]*notify: \[screen\] \}$/);
});

test('an alert keeps its whole story: pending, fires, who took it, who acknowledged it, and its end', async () => {
  const daemon = await aViewedDaemon(RULES);
  const { queries, store, clock, shown } = daemon;
  Object.assign(shown, { treasury: '90', vault: '50' });
  await daemon.poll(3);
  await daemon.send('oncall', { type: 'sent', answer: '204 No Content' });
  await daemon.send('ops', { type: 'again', why: '503 Service Unavailable' });
  const [card] = (await queries.alerts(AlertListFilter.parse({}))).items;
  if (card === undefined) throw new Error('nothing is open');
  const { key, episode, seq } = card;
  await clock.advance(30_000);
  await daemon.send('ops', { type: 'again', why: '503 Service Unavailable' });
  await operate(
    store,
    {
      type: 'ack',
      replace: true,
      key,
      episode,
      seq,
      severity: 'critical',
      comment: 'on it',
      until: clock.now() + 3_600_000,
    },
    { key: 'a', asked: 'a', actor: 'alice' },
    { at: clock.now() },
  );
  expect((await queries.overview()).handled).toMatchObject([{ why: 'acknowledged', ack: { actor: 'alice' } }]);
  shown['treasury'] = '200';
  await daemon.poll();
  const story = await queries.alert({ key, episode });
  const { timeline, told, ended, earlier } = shapeOf(AlertHistory, story);
  expect(timeline.map(({ kind, about, detail, tries }) => [kind, about, detail, tries])).toEqual([
    ['pending', null, null, null],
    ['fires', null, null, null],
    ['accepted', 'firing', '204 No Content', 1],
    ['not-accepted', 'firing', '503 Service Unavailable', 2],
    ['acknowledged', null, 'on it', null],
    ['resolved', null, null, null],
  ]);
  expect(told.map(({ channel, about, state }) => [channel, about, state])).toEqual([
    ['oncall', 'firing', 'accepted'],
    // Its begin was refused twice: it is told as one message that it began and is over.
    ['ops', 'resolved', 'owed'],
    ['oncall', 'resolved', 'owed'],
  ]);
  await clock.advance(60_000);
  await daemon.send('oncall', { type: 'sent', answer: '204 No Content' });
  // The same answer, to another message: it took one try each.
  const after = shapeOf(AlertHistory, await queries.alert({ key, episode }));
  expect(after.timeline.flatMap(({ kind, about, tries }) => (kind === 'accepted' ? [[about, tries]] : []))).toEqual([
    ['firing', 1],
    ['resolved', 1],
  ]);
  expect(ended).toBe('2026-01-01T00:04:30Z');
  expect(earlier).toEqual([]);
  shown['treasury'] = '90';
  await daemon.poll(3);
  const next = shapeOf(AlertHistory, await queries.alert({ key, episode: 2 }));
  expect(next).toMatchObject({ ended: null, earlier: [{ episode: 1, acknowledged_by: 'alice' }] });
});

test('an alert leads to its runbook and its pages, with its values in full and its condition as it reads now', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance(
        'coins',
        'treasury',
        'id: low, while: balance < 100, severity: critical, runbook: "https://wiki.example.com/low", labels: { team: eu }',
        'id: moved, on: changed',
      ),
    ),
  );
  for (const treasury of ['200', '90', '80']) {
    Object.assign(daemon.shown, { treasury });
    await daemon.poll();
  }
  const open = (await daemon.queries.alerts(AlertListFilter.parse({ severity: 'critical' }))).items[0];
  if (open === undefined) throw new Error('nothing is open');
  expect(open).toMatchObject({ runbook: 'https://wiki.example.com/low', labels: { team: 'eu', of: 'treasury' } });
  const low = shapeOf(AlertHistory, await daemon.queries.alert(open));
  expect(low.fields).toContainEqual({ name: 'balance', value: [{ text: '90' }], page_url: null });
  expect(low.condition).toMatchObject({ alert: 'low', conditions: [{ part: { truth: true } }], aim: 'to end' });
  expect(low.condition?.conditions[0]?.part.reads).toMatchObject([{ name: 'balance', value: [{ text: '80' }] }]);
  const found = shapeOf(WatchExplanation, await daemon.queries.watch('coins'));
  expect(found.items.map(({ at, alert, title }) => [at, alert, title])).toEqual([
    ['2026-01-01T00:03:00Z', 'moved', 'treasury ETH 80, was 90'],
    ['2026-01-01T00:02:00Z', 'moved', 'treasury ETH 90, was 200'],
  ]);
  const url = `https://explorer.invalid/address/${TREASURY}`;
  expect(found.items[0]?.links).toEqual([{ label: 'Address', url }]);
  daemon.shown['treasury'] = '200';
  await daemon.poll();
  const over = shapeOf(AlertHistory, await daemon.queries.alert(open));
  expect(over.card).toMatchObject({ runbook: 'https://wiki.example.com/low', links: [{ label: 'Address', url }] });
});

test('hashes, addresses and blocks of a message lead to their pages, and words of strangers lead nowhere', () => {
  const hash = `0x${'ca'.repeat(32)}`;
  const fields = {
    transaction_hash: { text: hash },
    block_hash: { text: hash },
    block_number: 1000,
    from: { record: { hash: { text: TREASURY } } },
    error: { untrusted: untrusted(hash) },
    success: false,
  };
  const rows = fieldsOf({ fields }, 'https://explorer.example.com');
  expect(rows.map(({ name, page_url: page }) => [name, page?.replace('https://explorer.example.com', '')])).toEqual([
    ['transaction_hash', `/tx/${hash}`],
    ['block_hash', `/block/${hash}`],
    ['block_number', '/block/1000'],
    ['from.hash', `/address/${TREASURY}`],
    ['error', undefined],
    ['success', undefined],
  ]);
  expect(fieldsOf({ fields }, null).flatMap(({ page_url: page }) => page ?? [])).toEqual([]);
});

test('a watch that was removed is gone and not unknown, and one that never was is neither', async () => {
  const daemon = await aViewedDaemon(RULES);
  Object.assign(daemon.shown, { treasury: '90', vault: '50' });
  await daemon.poll(3);
  await daemon.load(RULES.replace('id: coins', 'id: other'));
  const gone = shapeOf(Gone, await daemon.queries.watch('coins'));
  expect(gone).toMatchObject({ since: '2026-01-01T00:03:00Z', history: [{ kind: 'fires' }] });
  expect(await daemon.queries.watch('never')).toBeNull();
  expect(await daemon.queries.alert({ key: 'never', episode: 1 })).toBeNull();
});

test('before the first poll nothing is known, and nothing is made up', async () => {
  const daemon = await aViewedDaemon(RULES);
  const explained = shapeOf(WatchExplanation, await daemon.queries.watch('gas'));
  expect(explained).toMatchObject({ data: null, previous: null, polls: [], measure: { value: null, at: null } });
  expect(explained.alerts[0]).toMatchObject({ states: [], conditions: [{ part: { truth: null, reads: [] } }] });
});

test('what ends an alert is said once: the farther of two bounds that a value has to pass', async () => {
  const daemon = await aViewedDaemon(
    rulesOf(
      aBalance('coins', 'treasury', 'id: low, while: balance < 100, until: balance > 150'),
      aBalance('same', 'treasury', 'id: low, while: balance < 100, until: balance > 100'),
      aBalance('other', 'treasury', 'id: low, while: balance < 100, until: raw > 150'),
    ),
  );
  const needsOf = async (name: string) => {
    const found = await daemon.queries.watch(name);
    return found !== null && 'alerts' in found ? found.alerts[0]?.needs : null;
  };
  Object.assign(daemon.shown, { treasury: '0.0000000000000001', vault: '50' });
  await daemon.poll(2);
  const by = '99.9999999999999999';
  expect(await needsOf('coins')).toEqual(['balance would have to rise by more than 149.9999999999999999, above 150']);
  expect(await needsOf('same')).toEqual([`balance would have to rise by more than ${by}, above 100`]);
  expect(await needsOf('other')).toEqual([
    `balance would have to rise by ${by}, to 100`,
    'raw would have to rise by more than 50, above 150',
  ]);
  daemon.shown['treasury'] = '120';
  await daemon.poll();
  expect(await needsOf('coins')).toEqual(['balance would have to rise by more than 30, above 150']);
});
