// What people read in a message of the whole daemon, over the life of an alert: mails and webhooks over real servers; only
// the clock is fake, which stands at midnight UTC when a story begins.
import { expect, test } from '@jest/globals';
import { aScene, type Written } from './scene.ts';

const OPS: Written = { routes: '[{ notify: [ops, hook] }]', mails: ['ops'], webhooks: ['hook'] };

const LOW = '{ id: low, severity: critical, while: balance < 3, until: balance > 4, for: 5m }';

const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d/g;

test('people read the clocks of their own zone, when it began and when it fired; programs read UTC', async () => {
  await using scene = await aScene({ ...OPS, timeZone: 'Europe/Berlin' }, LOW);
  await scene.poll(9, 3);
  await scene.poll(2, 6);
  await scene.mailed(1);
  const fired = scene.textTo('ops');
  expect(fired).toContain('Since 01:03 CET, fired 01:08 CET.');
  expect(fired.match(ISO) ?? []).toHaveLength(1);
  await scene.poll(5, 2);
  expect(await scene.mailed(2)).toEqual([
    'ops [CRITICAL] treasury coin 2, below 3',
    'ops [RESOLVED after 6m] treasury coin 5, above 4',
  ]);
  expect(scene.textTo('ops').match(ISO) ?? []).toHaveLength(1);
  const bodies = await scene.bodies(2);
  const minutes = bodies.map(({ data }) =>
    [data['since'], data['fired_at'], data['resolved_at']].map((time) => String(time).slice(0, 16)),
  );
  expect(minutes).toEqual([
    ['2026-01-01T00:03', '2026-01-01T00:08', 'null'],
    ['2026-01-01T00:03', '2026-01-01T00:08', '2026-01-01T00:09'],
  ]);
});

test('a message after midnight names the day of its zone', async () => {
  await using scene = await aScene(
    { ...OPS, routes: '[{ notify: ops, repeat: 310m }]', timeZone: 'America/New_York' },
    '{ id: low, while: balance < 3 }',
  );
  await scene.poll(2, 1);
  await scene.mailed(1);
  await scene.poll(2, 315);
  await scene.mailed(2);
  expect(scene.textTo('ops')).toContain('It fired at 2025-12-31 19:00 UTC-5.');
});

test('the end of an alert with a title of its own says that it is no longer so, with the values of then and of now', async () => {
  await using scene = await aScene(OPS, "{ id: low, while: balance < 3, title: 'Treasury is low' }");
  await scene.poll(2, 1);
  await scene.mailed(1);
  await scene.poll(5, 6);
  expect(await scene.mailed(2)).toEqual([
    'ops [WARNING] Treasury is low: 2, below 3',
    expect.stringMatching(/^ops \[RESOLVED after [1-9]m\S*\] no longer: Treasury is low: 2, below 3; now 5$/),
  ]);
});

test('the end of an alert is called as its rule says', async () => {
  const titles = "title: 'Treasury is low', resolved: 'Treasury is back at {{ balance }}'";
  await using scene = await aScene(OPS, `{ id: low, while: balance < 3, ${titles} }`);
  await scene.poll(2, 1);
  await scene.mailed(1);
  await scene.poll(5, 6);
  expect((await scene.mailed(2)).at(-1)).toMatch(/^ops \[RESOLVED after [1-9]m\S*\] Treasury is back at 5$/);
});

test('a repeat says of a value between the two thresholds that it is not yet back, and of one that is back only that', async () => {
  const routes = '[{ notify: ops, repeat: 1h }]';
  await using scene = await aScene(
    { ...OPS, routes },
    '{ id: low, while: balance < 3, until: balance > 6, keep_firing_for: 90m }',
  );
  await scene.poll(2, 2);
  await scene.mailed(1);
  await scene.poll(4, 62);
  expect((await scene.mailed(2))[1]).toMatch(/^ops \[WARNING for 1h\S*\] treasury coin 4, not yet above 6$/);
  await scene.poll(7, 62);
  expect((await scene.mailed(3))[2]).toMatch(/^ops \[WARNING for 2h\S*\] treasury coin 7, at or above 3$/);
});

test('news that waited for its group says how it is when it is sent, and how it was when it fired', async () => {
  await using scene = await aScene(
    { ...OPS, routes: '[{ notify: [ops, hook], group_wait: 150s }]' },
    '{ id: low, while: balance < 3 }',
  );
  await scene.poll(5, 1);
  await scene.poll(2.5, 1);
  await scene.poll(1, 3);
  expect(await scene.mailed(1)).toEqual(['ops [WARNING] treasury coin 1, below 3']);
  expect(scene.textTo('ops')).toContain('\nValues of 00:03 UTC. When it fired, 00:01 UTC: 2.5.\n');
  // A program that waits for nothing was told at once.
  expect((await scene.bodies(1)).map(({ data }) => data['title'])).toEqual(['treasury coin 2.5, below 3']);
});

test('news that waited for its group, and is as it was, reads as if it had not waited', async () => {
  await using scene = await aScene(
    { ...OPS, routes: '[{ notify: ops, group_wait: 150s }]' },
    '{ id: low, while: balance < 3 }',
  );
  await scene.poll(5, 1);
  await scene.poll(2, 4);
  expect(await scene.mailed(1)).toEqual(['ops [WARNING] treasury coin 2, below 3']);
  expect(scene.textTo('ops')).toContain('\nFell 3 since the last poll. chain, 00:01 UTC.\n');
});
