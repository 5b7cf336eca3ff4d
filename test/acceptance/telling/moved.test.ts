// What a removed channel was not sent, told on the channel that takes its place: once, with its own times.
import { expect, test } from '@jest/globals';
import { aScene, type Written } from './scene.ts';

const LOW = '{ id: low, while: balance < 3 }';
const MOVED = '{ id: moved, on: changed, severity: info }';
const NIGHT = `{ match: { severity: '!critical' }, mute: [{ from: '22:00', to: '00:20', zone: UTC }] }`;

const muted = (name: string, ...mails: string[]): Written => ({
  routes: `[${NIGHT}, { notify: ${name} }]`,
  mails: [name, ...mails],
});

test('an earlier time of an alert that fires again before the removed channel is gone for good is told too', async () => {
  await using scene = await aScene(muted('ops'), LOW);
  await scene.poll(2, 5);
  await scene.poll(9, 2);
  await scene.running.clock.advance(45_000);
  await scene.reload({ config: muted('night') });
  await scene.poll(2, 20);
  await scene.mailed(1);
  await scene.poll(2, 60);
  expect(scene.mails()).toHaveLength(1);
  expect(scene.textTo('night')).toContain('since 00:07 UTC');
  expect(scene.textTo('night')).toMatch(/\[RESOLVED after 5m\].*was firing 00:00–00:05 UTC/);
});

test('an event that moves has the title of a first message', async () => {
  await using scene = await aScene(muted('ops'), MOVED);
  await scene.poll(2, 2);
  await scene.reload({ config: muted('night') });
  await scene.poll(2, 25);
  await scene.mailed(1);
  expect(scene.mails()).toEqual([expect.stringMatching(/^night \[INFO\] treasury/)]);
  expect(scene.textTo('night')).toContain('It happened at 00:00 UTC.');
  expect(scene.textTo('night')).toContain('Held back since 00:00 UTC.');
});

test('an alert that moves says since when it was held back, and not when it moved', async () => {
  await using scene = await aScene(muted('ops'), LOW);
  await scene.poll(2, 5);
  await scene.reload({ config: muted('night') });
  await scene.poll(2, 20);
  await scene.mailed(1);
  expect(scene.textTo('night')).toContain('Still firing since 00:00 UTC.');
  expect(scene.textTo('night')).toContain('Held back since 00:00 UTC.');
});

test('a channel that is back before it is gone for good tells both times of an alert, and the other one nothing', async () => {
  await using scene = await aScene(muted('ops'), LOW);
  await scene.poll(2, 5);
  await scene.poll(9, 2);
  await scene.running.clock.advance(45_000);
  await scene.reload({ config: muted('night') });
  await scene.poll(2);
  await scene.reload({ config: muted('ops') });
  await scene.restart({});
  await scene.poll(2, 20);
  await scene.mailed(1);
  await scene.poll(2, 60);
  expect(scene.mails()).toEqual([expect.stringMatching(/^ops /)]);
  expect(scene.textTo('ops')).toContain('since 00:07 UTC');
  expect(scene.textTo('ops')).toMatch(/was firing 00:00–00:05 UTC/);
});

test('an earlier time that a dead mail server kept is told with the next one, which begins before the channel is gone for good', async () => {
  const waiting = (name: string): Written => ({ routes: `[{ notify: ${name}, group_wait: 10m }]`, mails: [name] });
  await using scene = await aScene(waiting('ops'), LOW);
  scene.refused.add('ops@example.com');
  await scene.poll(2, 3);
  await scene.poll(9, 15);
  await scene.running.clock.advance(45_000);
  await scene.reload({ config: waiting('night') });
  await scene.poll(2);
  await scene.restart({});
  await scene.poll(2, 15);
  await scene.mailed(1);
  await scene.poll(2, 60);
  expect(scene.mails()).toEqual([expect.stringMatching(/^night .*\(and 1 more\)$/)]);
  expect(scene.textTo('night')).toContain('was firing 00:00–00:03 UTC');
});

test('a channel that is back waits for the interval of its group, also where nobody got the last message', async () => {
  const to = (name: string): Written => ({ routes: `[{ notify: ${name}, group_interval: 1h }]`, mails: [name] });
  await using scene = await aScene(to('ops'), LOW);
  scene.refused.add('ops@example.com');
  await scene.poll(2, 5);
  await scene.reload({ config: to('night') });
  await scene.poll(2, 2);
  await scene.mailed(1);
  scene.refused.clear();
  await scene.reload({ config: to('ops') });
  await scene.poll(2, 50);
  expect(scene.mails()).toHaveLength(1);
  await scene.poll(2, 5);
  await scene.mailed(2);
  expect(scene.mails()).toEqual([expect.stringMatching(/^night /), expect.stringMatching(/^ops .* for 1h/)]);
});

test('a mail with an end and a begin tells a channel that is back only the end, and the begin once', async () => {
  const to = (name: string): Written => ({ routes: `[{ notify: ${name} }]`, mails: [name] });
  await using scene = await aScene(to('ops'), `${LOW}, { id: high, while: balance > 8 }`);
  await scene.poll(2, 3);
  await scene.mailed(1);
  scene.refused.add('ops@example.com');
  await scene.poll(9, 2);
  await scene.reload({ config: to('night') });
  await scene.poll(9, 2);
  await scene.mailed(2);
  await scene.poll(5, 2);
  await scene.mailed(3);
  scene.refused.clear();
  await scene.reload({ config: to('ops') });
  await scene.poll(5, 5);
  await scene.mailed(4);
  await scene.poll(5, 60);
  expect(scene.mails().slice(1)).toEqual([
    expect.stringMatching(/^night \[WARNING for/),
    expect.stringMatching(/^night \[RESOLVED/),
    expect.stringMatching(/^ops \[RESOLVED after 3m\] treasury/),
  ]);
  expect(scene.textTo('ops')).not.toContain('above 8');
});
