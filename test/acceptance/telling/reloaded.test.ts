// A reload while something is open or waits: everybody that the config names is told, and nobody else.
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { callApi, readApi } from '../../support/web/api-calls.ts';
import { aScene, MINUTE, type Scene, type Written } from './scene.ts';

const LOW = '{ id: low, while: balance < 3 }';
const Listed = z.object({ items: z.array(z.object({ key: z.string(), episode: z.number() })) });
const OWED_TO_OPS = /chainwarden_outbox_rows\{.*channel="ops".*\} [1-9]/;
const NIGHT = `{ match: { severity: '!critical' }, mute: [{ from: '22:00', to: '00:20', zone: UTC }] }`;

/** `ops`, `team`: the channels of all mails, in the order in which they came. */
function told(scene: Pick<Scene, 'mails'>): string[] {
  return scene.mails().map((mail) => mail.split(' ')[0] ?? '');
}

test('an alert that quiet hours hold is told on the channel that a reload put in the place of another', async () => {
  await using scene = await aScene({ routes: `[${NIGHT}, { notify: ops }]`, mails: ['ops'] }, LOW);
  await scene.poll(2, 5);
  await scene.reload({ config: { routes: `[${NIGHT}, { notify: night }]`, mails: ['night'] } });
  await scene.poll(2, 13);
  expect(scene.mails()).toEqual([]);
  await scene.poll(2, 5);
  await scene.mailed(1);
  expect(told(scene)).toEqual(['night']);
  expect(scene.textTo('night')).toContain('Still firing since 00:00 UTC.');
  await scene.poll(9, 2);
  await scene.mailed(2);
  expect(told(scene)).toEqual(['night', 'night']);
});

test('an alert that a silence holds is told to whom the routes lead since', async () => {
  const mails = ['ops', 'team'];
  await using scene = await aScene({ routes: '[{ notify: ops }]', mails }, LOW);
  await scene.silence(20 * MINUTE);
  await scene.poll(2, 5);
  await scene.reload({ config: { routes: '[{ match: { watch: reserve }, notify: team }, { notify: ops }]', mails } });
  await scene.poll(2, 20);
  await scene.mailed(1);
  await scene.poll(2, 60);
  expect(told(scene)).toEqual(['team']);
});

test('a target that joins is told at once; one that leaves hears the end alone', async () => {
  const mails = ['ops', 'team'];
  await using scene = await aScene({ routes: '[{ notify: ops, repeat: 30m }]', mails }, LOW);
  await scene.poll(2, 5);
  await scene.mailed(1);
  await scene.reload({ config: { routes: '[{ notify: team, repeat: 30m }]', mails } });
  await scene.poll(2, 2);
  await scene.mailed(2);
  await scene.poll(2, 40);
  await scene.mailed(3);
  expect(told(scene)).toEqual(['ops', 'team', 'team']);
  await scene.poll(9, 2);
  await scene.mailed(5);
  expect(told(scene).slice(3).toSorted()).toEqual(['ops', 'team']);
});

test('an alert that a dead mail server kept is told by the webhook that takes its place; a config that is back takes nothing away', async () => {
  const before: Written = { routes: '[{ notify: ops }]', mails: ['ops'] };
  const after: Written = { routes: '[{ notify: hook }]', webhooks: ['hook'] };
  await using scene = await aScene(before, LOW);
  scene.refused.add('ops@example.com');
  await scene.poll(2, 10);
  expect(scene.mails()).toEqual([]);
  await scene.reload({ config: after });
  await scene.poll(2, 3);
  expect(scene.calls()).toEqual(['hook alert.firing reserve/low']);
  expect(await scene.running.metrics()).not.toMatch(OWED_TO_OPS);
  await scene.poll(9, 2);
  expect(scene.calls()).toEqual(['hook alert.firing reserve/low', 'hook alert.resolved reserve/low']);
  scene.refused.clear();
  await scene.poll(9, 60);
  expect(scene.mails()).toEqual([]);
});

test('a channel that is missing for less than 30 seconds keeps what waits for it', async () => {
  const whole: Written = { routes: `[${NIGHT}, { notify: ops }]`, mails: ['ops', 'team'] };
  await using scene = await aScene(whole, LOW);
  await scene.poll(2, 5);
  await scene.reload({ config: { routes: `[${NIGHT}]`, mails: ['team'] } });
  await scene.running.clock.advance(10_000);
  await scene.reload({ config: whole });
  await scene.poll(2, 20);
  await scene.mailed(1);
  expect(told(scene)).toEqual(['ops']);
  expect(scene.textTo('ops')).toContain('Held back since 00:00 UTC.');
});

test('a channel that a reload makes a webhook while a group waits is called once, and not once for each of its mails', async () => {
  const routes = '[{ notify: ops, group_wait: 20s }]';
  await using scene = await aScene({ routes, mails: ['ops'] }, LOW);
  await scene.poll(2);
  await scene.reload({ config: { routes, webhooks: ['ops'] } });
  await scene.running.clock.advance(25_000);
  await scene.poll(2, 5);
  expect(scene.calls()).toEqual(['ops alert.firing reserve/low']);
  await scene.poll(9, 5);
  expect(scene.calls()).toEqual(['ops alert.firing reserve/low', 'ops alert.resolved reserve/low']);
  expect(scene.mails()).toEqual([]);
});

test('a channel that a reload makes a webhook gets no mail that the mail server refused', async () => {
  const routes = '[{ notify: ops }]';
  await using scene = await aScene({ routes, mails: ['ops'] }, LOW);
  scene.refused.add('ops@example.com');
  await scene.poll(2, 2);
  await scene.reload({ config: { routes, webhooks: ['ops'] } });
  for (let n = 0; n < 10; n += 1) await scene.running.clock.advance(3000);
  await scene.poll(2, 10);
  expect(scene.calls()).toEqual(['ops alert.firing reserve/low']);
});

test('the end of an alert waits for a recipient that the config lost, and is sent when it is back, however late', async () => {
  const mailed: Written = { routes: '[{ notify: ops }]', mails: ['ops'] };
  await using scene = await aScene(mailed, LOW);
  await scene.poll(2, 5);
  await scene.mailed(1);
  await scene.reload({ config: { routes: '[{ notify: ops }]', webhooks: ['ops'] } });
  await scene.poll(2, 5);
  await scene.poll(9, 300);
  expect(scene.calls()).toEqual(['ops alert.firing reserve/low', 'ops alert.resolved reserve/low']);
  expect(scene.mails()).toHaveLength(1);
  expect(await scene.running.metrics()).not.toMatch(OWED_TO_OPS);
  await scene.reload({ config: mailed });
  await scene.poll(9, 2);
  await scene.mailed(2);
  expect(scene.textTo('ops')).toContain('resolved');
});

test('the end of an alert is not owed to a channel that the config lost, also after a restart, and is sent when it is back', async () => {
  const mailed: Written = { routes: '[{ notify: ops }]', mails: ['ops'] };
  const called: Written = { routes: '[{ notify: hook }]', webhooks: ['hook'] };
  await using scene = await aScene(mailed, LOW);
  await scene.poll(2, 5);
  await scene.mailed(1);
  await scene.reload({ config: called });
  await scene.poll(2, 5);
  await scene.poll(9, 5);
  expect(await scene.running.metrics()).not.toMatch(OWED_TO_OPS);
  expect((await readApi(scene.running, '/deliveries?state=problems')).body).toMatchObject({ items: [], failing: [] });
  const { items } = Listed.parse((await readApi(scene.running, '/deliveries?state=sent')).body);
  const told = (await readApi(scene.running, `/alerts/${items[0]?.key}/${items[0]?.episode}`)).body;
  expect(JSON.stringify(told)).toContain('the config does not name this recipient any more');
  await scene.restart({});
  await scene.poll(9, 5);
  expect(await scene.running.metrics()).not.toMatch(OWED_TO_OPS);
  expect(scene.mails()).toHaveLength(1);
  await scene.reload({ config: mailed });
  await scene.poll(9, 2);
  await scene.mailed(2);
  expect(scene.textTo('ops')).toContain('resolved');
});

test('a recipient who takes the place of another is told of what waited', async () => {
  const mails = (...names: string[]): Written => ({
    routes: `[${NIGHT}, { notify: [${names.join()}] }]`,
    mails: names,
  });
  await using scene = await aScene(mails('ada'), LOW);
  await scene.poll(2, 5);
  await scene.reload({ config: mails('bob') });
  await scene.poll(2, 30);
  await scene.mailed(1);
  expect(told(scene)).toEqual(['bob']);
});

test('an alert that quiet hours hold, and that ends since its rule is another one now, is told as over', async () => {
  const written = { routes: `[${NIGHT}, { notify: [ops, hook] }]`, mails: ['ops'], webhooks: ['hook'] };
  await using scene = await aScene(written, LOW);
  await scene.poll(2, 5);
  await scene.reload({ alerts: '{ id: low, on: changed, if: balance < 3 }' });
  await scene.poll(2, 25);
  await scene.mailed(1);
  expect(scene.textTo('ops')).toContain('Was firing 00:00–00:05 UTC, now clear.');
  expect(scene.calls()).toEqual(['hook alert.resolved reserve/low']);
  await scene.poll(2, 60);
  expect(scene.mails()).toHaveLength(1);
});

test('a channel that was gone, with what waited for it, and is back is told of what is still open, once', async () => {
  const before: Written = { routes: '[{ notify: ops }]', mails: ['ops', 'team'] };
  const without: Written = { routes: '[{ notify: team }]', mails: ['team'] };
  await using scene = await aScene(before, LOW);
  scene.refused.add('ops@example.com');
  await scene.poll(2, 5);
  await scene.reload({ config: without });
  await scene.poll(2, 5);
  await scene.mailed(1);
  expect(told(scene)).toEqual(['team']);
  scene.refused.clear();
  await scene.reload({ config: before });
  await scene.poll(2, 3);
  await scene.mailed(2);
  await scene.poll(2, 60);
  expect(told(scene)).toEqual(['team', 'ops']);
  expect(scene.textTo('ops')).toContain('Still firing since 00:00 UTC.');
  await scene.poll(9, 2);
  await scene.mailed(4);
  expect(told(scene).slice(2).toSorted()).toEqual(['ops', 'team']);
});

test('an alert explains others for an hour after its watch was polled, whenever the daemon was started', async () => {
  const routes = '[{ notify: ops }]\ninhibit: [{ when: { alert: empty }, mute: { alert: low }, equal: [explorer] }]';
  await using scene = await aScene(
    { routes, mails: ['ops'] },
    `{ id: empty, while: balance < 1, severity: critical }, ${LOW}`,
  );
  await scene.poll(0, 2);
  await scene.mailed(1);
  const until = new Date(scene.running.clock.now() + 5 * 60 * MINUTE).toISOString();
  const body = { until, comment: 'work' };
  expect(await callApi(scene.running, { path: '/watches/reserve/pauses', body, key: 'p' })).toMatchObject({
    status: 201,
  });
  await scene.running.clock.advance(50 * MINUTE);
  await scene.restart({});
  await scene.running.clock.advance(8 * MINUTE);
  expect(scene.mails()).toEqual([expect.stringMatching(/^ops \[CRITICAL\]/)]);
  for (let minute = 0; minute < 5; minute += 1) await scene.running.clock.advance(MINUTE);
  expect((await scene.mailed(2)).at(-1)).toMatch(/^ops \[WARNING/);
});

const MOVED = '{ id: moved, on: changed, severity: info }';

test('an event that a group, a silence and quiet hours held is told on the channel that a reload put in the place of another', async () => {
  const mute = `{ match: { severity: info }, mute: [{ from: '01:06', to: '02:06', zone: UTC }] }`;
  const routes = (to: string): string => `[${mute}, { notify: [team, ${to}], group_wait: 1m, group_interval: 1h }]`;
  await using scene = await aScene({ routes: routes('ops'), mails: ['ops', 'team'] }, MOVED);
  await scene.poll(2, 4);
  await scene.mailed(2);
  await scene.poll(3, 31);
  await scene.silence(40 * MINUTE);
  await scene.poll(3, 87);
  await scene.reload({ config: { routes: routes('night'), mails: ['night', 'team'] } });
  await scene.poll(3, 1);
  await scene.restart({});
  await scene.poll(3, 20);
  await scene.mailed(4);
  await scene.poll(3, 60);
  expect(told(scene).toSorted()).toEqual(['night', 'ops', 'team', 'team']);
});

test('the summary of a silence that a dead mail server kept is told on the channel that takes its place', async () => {
  await using scene = await aScene({ routes: '[{ notify: ops }]', mails: ['ops'] }, MOVED);
  await scene.silence(10 * MINUTE);
  await scene.poll(2, 5);
  scene.refused.add('ops@example.com');
  await scene.poll(2, 15);
  await scene.reload({ config: { routes: '[{ notify: night }]', mails: ['night'] } });
  await scene.poll(2, 5);
  await scene.mailed(1);
  await scene.poll(2, 60);
  expect(scene.mails()).toEqual([expect.stringContaining('night [INFO] Silence ended: 1 event')]);
});

test('an alert that was over before a dead mail server took it is told on the channel that takes its place', async () => {
  await using scene = await aScene({ routes: '[{ notify: ops, group_wait: 10m }]', mails: ['ops'] }, LOW);
  scene.refused.add('ops@example.com');
  await scene.poll(2, 3);
  await scene.poll(9, 15);
  await scene.reload({ config: { routes: '[{ notify: night }]', mails: ['night'] } });
  await scene.poll(9, 5);
  await scene.mailed(1);
  await scene.poll(9, 60);
  expect(told(scene)).toEqual(['night']);
  expect(scene.textTo('night')).toContain('now clear');
});

test('what a silence held is told as one summary on a channel that was missing for some seconds when it ended', async () => {
  const before: Written = { routes: '[{ notify: ops }]', mails: ['ops'] };
  await using scene = await aScene(before, `${MOVED}, { id: again, on: changed }`);
  await scene.silence(5 * MINUTE);
  await scene.poll(2, 4);
  await scene.running.clock.advance(54_000);
  await scene.reload({ config: { routes: '[{ notify: team }]', mails: ['team'] } });
  await scene.running.clock.advance(10_000);
  await scene.reload({ config: before });
  await scene.poll(2, 3);
  await scene.mailed(1);
  await scene.poll(2, 60);
  expect(scene.mails()).toEqual([expect.stringContaining('ops [INFO] Silence ended: 2 events')]);
});

test('an alert that quiet hours held, and that was over and fires again, is told with both times on the channel that takes the place of another', async () => {
  await using scene = await aScene({ routes: `[${NIGHT}, { notify: ops }]`, mails: ['ops'] }, LOW);
  await scene.poll(2, 5);
  await scene.poll(9, 2);
  await scene.poll(2, 3);
  await scene.reload({ config: { routes: `[${NIGHT}, { notify: night }]`, mails: ['night'] } });
  await scene.poll(2, 15);
  await scene.mailed(1);
  await scene.poll(2, 60);
  expect(told(scene)).toEqual(['night']);
  expect(scene.textTo('night')).toContain('since 00:07 UTC');
  expect(scene.textTo('night')).toMatch(/\[RESOLVED after 5m\].*was firing 00:00–00:05 UTC/);
});

const waiting = (name: string, ...mails: string[]): Written => ({
  routes: `[{ notify: ${name}, group_wait: 10m }]`,
  mails: [name, ...mails],
});

test('an alert that was over before a dead mail server took it is told on its channel that is back, after another had its place', async () => {
  await using scene = await aScene(waiting('ops'), LOW);
  scene.refused.add('ops@example.com').add('night@example.com');
  await scene.poll(2, 3);
  await scene.poll(9, 15);
  await scene.reload({ config: waiting('night') });
  await scene.poll(9, 3);
  await scene.reload({ config: waiting('ops') });
  await scene.poll(9, 3);
  scene.refused.clear();
  await scene.poll(9, 60);
  await scene.mailed(1);
  expect(scene.mails()).toEqual([expect.stringContaining('ops [RESOLVED after 3m]')]);
});

test('an alert that was over before a dead mail server took it is told to whom the routes lead since, and to nobody else', async () => {
  await using scene = await aScene(waiting('ops', 'team'), LOW);
  scene.refused.add('ops@example.com');
  await scene.poll(2, 3);
  await scene.poll(9, 15);
  await scene.reload({ config: waiting('team', 'ops') });
  await scene.poll(9, 3);
  await scene.mailed(1);
  scene.refused.clear();
  await scene.poll(9, 60);
  expect(scene.mails()).toEqual([expect.stringContaining('team [RESOLVED after 3m]')]);
  expect(scene.textTo('team')).toContain('Was firing 00:00–00:03 UTC, now clear.');
});
