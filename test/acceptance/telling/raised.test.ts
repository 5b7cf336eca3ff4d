// A reload that makes a rule more severe while its alert fires: it is told once more, at once, as what it is now.
import { expect, test } from '@jest/globals';
import { aScene, MINUTE, type Scene, type Written } from './scene.ts';

const low = (severity: string): string => `{ id: low, while: balance < 3, severity: ${severity} }`;

const GONE = '{ id: gone, while: balance == 0, severity: critical }';

const TO_OPS: Written = { routes: '[{ notify: ops, repeat: 4h }]', mails: ['ops'] };

/** `ops WARNING`, `oncall CRITICAL for 5m`: all mails in the order in which they came. */
function tags(scene: Pick<Scene, 'mails'>): string[] {
  return scene.mails().map((mail) => mail.replace(/^(\S+) \[([^\]]*)\].*$/, '$1 $2'));
}

test('those who know of a warning are told at once that it is critical, and of its end once', async () => {
  await using scene = await aScene(TO_OPS, low('warning'));
  await scene.poll(2, 5);
  await scene.mailed(1);
  await scene.reload({ alerts: low('critical') });
  await scene.mailed(2);
  await scene.poll(2, 10);
  expect(tags(scene)).toEqual(['ops WARNING', 'ops CRITICAL for 4m5s']);
  expect(scene.textTo('ops')).toContain('Raised from warning to critical: its rule was changed.');
  await scene.reload({ alerts: low('warning') });
  await scene.poll(2, 5);
  await scene.reload({ alerts: low('critical') });
  await scene.poll(2, 5);
  expect(scene.mails()).toHaveLength(2);
  await scene.poll(9, 3);
  await scene.mailed(3);
  await scene.poll(9, 10);
  expect(tags(scene).slice(2)).toEqual([expect.stringMatching(/^ops RESOLVED after /)]);
});

test('a route for what is critical adds its target, who is told once', async () => {
  const routes = '[{ match: { severity: critical }, add: [oncall] }, { notify: ops }]';
  await using scene = await aScene({ routes, mails: ['ops', 'oncall'] }, `${low('warning')}, ${GONE}`);
  await scene.poll(2, 5);
  await scene.mailed(1);
  await scene.reload({ alerts: `${low('critical')}, ${GONE}` });
  await scene.poll(2, 5);
  await scene.mailed(3);
  expect(tags(scene).toSorted()).toEqual(['oncall CRITICAL for 4m5s', 'ops CRITICAL for 4m5s', 'ops WARNING']);
  await scene.poll(9, 3);
  await scene.mailed(5);
});

test('an acknowledgement of the warning does not stand for the critical alert, whose steps begin', async () => {
  const routes = '[{ match: { severity: critical }, escalate: [{ after: 15m, notify: boss }] }, { notify: ops }]';
  await using scene = await aScene({ routes, mails: ['ops', 'boss'] }, `${low('warning')}, ${GONE}`);
  await scene.poll(2, 30);
  await scene.mailed(1);
  await scene.ack(24 * 60 * MINUTE);
  await scene.reload({ alerts: `${low('critical')}, ${GONE}` });
  await scene.mailed(2);
  await scene.poll(2, 13);
  expect(tags(scene)).toEqual(['ops WARNING', 'ops CRITICAL for 29m5s']);
  await scene.poll(2, 4);
  await scene.mailed(3);
  expect(tags(scene)[2]).toMatch(/^boss CRITICAL for 44m/);
  expect(scene.textTo('ops')).not.toContain('acknowledgement');
  await scene.ack(60 * MINUTE);
  await scene.poll(2, 50);
  expect(scene.mails()).toHaveLength(3);
});

test('a silence holds it as it holds all else: when it ends one message says how bad it is', async () => {
  await using scene = await aScene(TO_OPS, low('warning'));
  await scene.silence(20 * MINUTE);
  await scene.poll(2, 5);
  await scene.reload({ alerts: low('critical') });
  await scene.poll(2, 10);
  expect(scene.mails()).toEqual([]);
  await scene.poll(2, 10);
  await scene.mailed(1);
  await scene.poll(2, 60);
  expect(tags(scene)).toEqual([expect.stringMatching(/^ops CRITICAL/)]);
});

test('a warning that waits for others of its group is told once, as critical', async () => {
  await using scene = await aScene({ routes: '[{ notify: ops, group_wait: 10m }]', mails: ['ops'] }, low('warning'));
  await scene.poll(2, 5);
  await scene.reload({ alerts: low('critical') });
  await scene.poll(2, 30);
  await scene.mailed(1);
  expect(tags(scene)).toEqual([expect.stringMatching(/^ops CRITICAL/)]);
  await scene.poll(9, 12);
  await scene.mailed(2);
});

test('a daemon that was stopped while the rule was changed tells of it after its start, once', async () => {
  await using scene = await aScene(TO_OPS, low('warning'));
  await scene.poll(2, 5);
  await scene.mailed(1);
  await scene.restart({ alerts: low('critical') });
  await scene.poll(2, 10);
  await scene.mailed(2);
  expect(tags(scene)[1]).toMatch(/^ops CRITICAL for /);
  expect(scene.mails()).toHaveLength(2);
});
