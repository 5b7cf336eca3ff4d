// Events that somebody has to acknowledge: how long they are open, what the page says of them, and who ends that.
import { expect, test } from '@jest/globals';
import { Overview } from '../../../src/query/shapes/overview.ts';
import { callApi, readApi } from '../../support/web/api-calls.ts';
import { aScene, type Scene, type Written } from './scene.ts';

const MOVED = '{ id: moved, on: changed, severity: warning }';
const TO_ACKNOWLEDGE: Written = {
  routes: '[{ match: { alert: moved }, require_ack: true, repeat: 30m }, { notify: ops }]',
  mails: ['ops'],
};
const TO_KNOW: Written = { routes: '[{ notify: ops }]', mails: ['ops'] };

async function overviewOf({ running }: Scene): Promise<Overview> {
  return Overview.parse((await readApi(running, '/overview')).body);
}

/** `critical 1, warning 0` */
async function unacknowledged({ running }: Scene): Promise<string> {
  await running.clock.advance(1000);
  const found = (await running.metrics()).matchAll(/^chainwarden_alerts_unacknowledged\{severity="(\w+)"\} (\d+)$/gm);
  return [...found].map(([, severity, count]) => `${severity} ${count}`).join(', ');
}

const ALL = { watch: 'reserve', alert: 'moved' };

test('a warning event is told and forgotten, but where a route wants it acknowledged it makes the verdict', async () => {
  await using scene = await aScene(TO_KNOW, MOVED);
  await scene.poll(9);
  await scene.mailed(1);
  expect(await overviewOf(scene)).toMatchObject({ verdict: 'quiet', cards: [], handled: [] });
  expect(await unacknowledged(scene)).toBe('critical 0, warning 0');
  await scene.reload({ config: TO_ACKNOWLEDGE });
  await scene.poll(8);
  await scene.mailed(2);
  const seen = await overviewOf(scene);
  expect(seen).toMatchObject({ verdict: 'warning', unhandled: 1, cards: [{ alerts: 1, is_open: true }] });
  expect(await unacknowledged(scene)).toBe('critical 0, warning 1');
  // It is open as long as the routes say so.
  await scene.reload({ config: TO_KNOW });
  expect(await overviewOf(scene)).toMatchObject({ verdict: 'quiet', cards: [] });
  expect(await unacknowledged(scene)).toBe('critical 0, warning 0');
});

test('a critical event that no route wants acknowledged is red until somebody looks, and counts as no open alert', async () => {
  await using scene = await aScene(TO_KNOW, '{ id: moved, on: changed, severity: critical }');
  await scene.poll(9);
  await scene.poll(8);
  const { verdict, cards, headline } = await overviewOf(scene);
  expect({ verdict, cards: cards.map(({ alerts, is_open: isOpen }) => [alerts, isOpen]) }).toEqual({
    verdict: 'critical',
    cards: [[2, false]],
  });
  expect(headline).toMatch(/ \(the newest of 2 events\)$/);
  expect(await unacknowledged(scene)).toBe('critical 0, warning 0');
  await scene.mailed(2);
  const up = new Date(scene.running.clock.now()).toISOString();
  await callApi(scene.running, { path: '/acks', body: { ...ALL, up_to: up }, key: 'a' });
  expect(await overviewOf(scene)).toMatchObject({ verdict: 'in-hand', cards: [], handled: [{ alerts: 2 }] });
  await scene.poll(8, 300);
  expect(scene.mails()).toHaveLength(2);
});

test('what a reload asks for is asked of events from then on, not of those that nobody had to acknowledge', async () => {
  const toFailOver = '{ match: { alert: moved }, notify: [ops], failover: [spare] }';
  const toAcknowledge =
    '{ match: { alert: moved }, notify: [ops, late], require_ack: true, repeat: 30m, escalate: [{ after: 5m, notify: [spare] }] }';
  const mails = ['ops', 'spare', 'late'];
  await using scene = await aScene(
    { routes: `[${toFailOver}]`, mails },
    '{ id: moved, on: changed, severity: critical }',
  );
  await scene.poll(9);
  await scene.mailed(1);
  await scene.reload({ config: { routes: `[${toAcknowledge}]`, mails } });
  await scene.poll(9, 45);
  await scene.restart({});
  await scene.poll(9, 45);
  expect(scene.mails()).toHaveLength(1);
  expect((await overviewOf(scene)).cards).toMatchObject([{ alerts: 1, is_open: false }]);
  expect(await unacknowledged(scene)).toBe('critical 0, warning 0');

  await scene.poll(8, 6);
  const told = [/^late \[CRITICAL\]/, /^ops \[CRITICAL\]/, /^spare \[CRITICAL/].map((one) =>
    expect.stringMatching(one),
  );
  expect((await scene.mailed(4)).slice(1).toSorted()).toEqual(told);
  expect(await unacknowledged(scene)).toBe('critical 1, warning 0');
  await scene.poll(8, 31);
  await scene.mailed(7);
});

test('all events of an alert are acknowledged at once, up to the newest that was shown', async () => {
  await using scene = await aScene(TO_ACKNOWLEDGE, MOVED);
  for (const coins of [9, 8, 7]) await scene.poll(coins);
  const [card] = (await overviewOf(scene)).cards;
  expect(card).toMatchObject({ alerts: 3, state: 'event', rule: 'reserve', alert: 'moved' });
  // It happens while somebody looks at the three.
  await scene.poll(6);
  const body = { ...ALL, up_to: card?.up_to, comment: 'planned' };
  const done = await callApi(scene.running, { path: '/acks', body, key: 'a' });
  expect(done).toMatchObject({
    status: 201,
    body: { acknowledged: [{ watch: 'reserve', alert: 'moved', is_event: true, alerts: 3 }], standing: [] },
  });
  expect(await callApi(scene.running, { path: '/acks', body, key: 'a' })).toEqual(done);
  const left = await overviewOf(scene);
  expect(left).toMatchObject({
    verdict: 'warning',
    cards: [{ alerts: 1 }],
    handled: [{ alerts: 3, why: 'acknowledged' }],
  });
  // Only the fourth is repeated.
  await scene.poll(6, 31);
  await scene.mailed(5);
  expect(scene.mails().slice(4)).toEqual([expect.stringMatching(/^ops \[WARNING for 30m/)]);

  const now = new Date(scene.running.clock.now()).toISOString();
  const rest = await callApi(scene.running, { path: '/acks', body: { ...ALL, up_to: now }, key: 'b' });
  expect(rest.body).toMatchObject({
    acknowledged: [{ alerts: 1 }],
    standing: [{ alerts: 3, actor: 'alice', watch: 'reserve', alert: 'moved' }],
  });
  expect(await callApi(scene.running, { path: '/acks', body: { ...ALL, up_to: now }, key: 'c' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/^alice has acknowledged it until 2026-01-02 00:3\d UTC/) },
  });
  await scene.poll(6, 45);
  expect(await overviewOf(scene)).toMatchObject({ verdict: 'in-hand', cards: [] });
  expect(scene.mails()).toHaveLength(5);
  const { items } = (await readApi(scene.running, '/history?q=alice')).body as { items: readonly unknown[] };
  expect(items).toHaveLength(4);
});

test('an acknowledgement of all is taken back: the events are open again, and repeated', async () => {
  await using scene = await aScene(TO_ACKNOWLEDGE, MOVED);
  for (const coins of [9, 8]) await scene.poll(coins);
  await scene.mailed(2);
  const up = new Date(scene.running.clock.now()).toISOString();
  await callApi(scene.running, { path: '/acks', body: { ...ALL, up_to: up }, key: 'a' });
  await scene.poll(8, 45);
  expect(scene.mails()).toHaveLength(2);
  const { body } = await callApi(scene.running, { path: '/acks/end', body: ALL, key: 'b' });
  expect(body).toMatchObject({ ended: [{ alerts: 2, actor: 'alice' }] });
  expect(await overviewOf(scene)).toMatchObject({ verdict: 'warning', cards: [{ alerts: 2 }] });
  await scene.poll(8, 2);
  expect((await scene.mailed(3)).at(-1)).toMatch(/^ops \[WARNING/);
  expect(await callApi(scene.running, { path: '/acks/end', body: ALL, key: 'c' })).toMatchObject({ status: 404 });
});

test('a name that nothing open has, or nothing by then, acknowledges nothing', async () => {
  await using scene = await aScene(TO_ACKNOWLEDGE, MOVED);
  await scene.poll(9);
  const until = (at: string): object => ({ path: '/acks', body: { ...ALL, up_to: at }, key: at });
  expect(await callApi(scene.running, { path: '', ...until('2025-12-31T00:00:00Z') })).toMatchObject({ status: 404 });
  const other = { watch: 'reserve', alert: 'gone', up_to: '2027-01-01T00:00:00Z' };
  expect(await callApi(scene.running, { path: '/acks', body: other, key: 'o' })).toMatchObject({ status: 404 });
  expect(await overviewOf(scene)).toMatchObject({ verdict: 'warning', cards: [{ alerts: 1 }] });
});
