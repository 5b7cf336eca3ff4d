// Escalation when nobody answers, and the message when an acknowledgement ends.
import { expect, test } from '@jest/globals';
import { aScene, MINUTE, type Scene, type Written } from './scene.ts';

const EMPTY = '{ id: empty, while: balance < 1, severity: critical }';

function escalating(steps: string): Written {
  return {
    routes: `[{ match: { severity: critical }, escalate: [${steps}] }, { notify: ops }]`,
    mails: ['ops', 'pager', 'team'],
  };
}

/** `pager CRITICAL for 15m`, as often as it was told. */
function tags(scene: Pick<Scene, 'mails'>, channel: string): string[] {
  const own = scene.mails().filter((mail) => mail.startsWith(`${channel} `));
  return own.map((mail) => /\[([^\]]*)\]/.exec(mail)?.[1] ?? '');
}

test('when a snooze ends, those who were told hear so at once, and the steps begin again', async () => {
  await using scene = await aScene(escalating('{ after: 15m, notify: pager }'), EMPTY);
  await scene.poll(0, 2);
  await scene.mailed(1);
  await scene.ack(60 * MINUTE);
  await scene.poll(0, 59);
  expect(scene.mails()).toHaveLength(1);
  await scene.poll(0, 2);
  expect(await scene.mailed(2)).toHaveLength(2);
  expect(tags(scene, 'ops')).toEqual(['CRITICAL', expect.stringMatching(/^CRITICAL for 1h/)]);
  expect(scene.textTo('ops')).toContain('The acknowledgement of alice has ended. Still firing since 00:00 UTC.');
  await scene.poll(0, 12);
  expect(tags(scene, 'pager')).toEqual([]);
  await scene.poll(0, 5);
  await scene.mailed(3);
  expect(tags(scene, 'pager')).toEqual([expect.stringMatching(/^CRITICAL for 1h/)]);
});

test('an acknowledgement that is taken back calls those again who were called before', async () => {
  await using scene = await aScene(escalating('{ after: 15m, notify: pager }'), EMPTY);
  await scene.poll(0, 18);
  await scene.mailed(2);
  await scene.ack(24 * 60 * MINUTE);
  await scene.poll(0, 30);
  expect(scene.mails()).toHaveLength(2);
  await scene.unack();
  await scene.poll(0, 2);
  await scene.mailed(3);
  expect(tags(scene, 'ops')).toHaveLength(2);
  await scene.poll(0, 17);
  await scene.mailed(4);
  expect(tags(scene, 'pager')).toHaveLength(2);
});

test('a target called in one episode is sent its end, and the next episode only when its own step is due', async () => {
  await using scene = await aScene(escalating('{ after: 15m, notify: pager }'), EMPTY);
  await scene.poll(0, 18);
  await scene.mailed(2);
  await scene.poll(5, 2);
  await scene.mailed(4);
  expect(tags(scene, 'pager')).toHaveLength(2);
  await scene.poll(5, 60);
  await scene.poll(0, 13);
  await scene.mailed(5);
  expect(tags(scene, 'pager')).toHaveLength(2);
  await scene.poll(0, 5);
  await scene.mailed(6);
  expect(tags(scene, 'pager')).toHaveLength(3);
});

test('a config without steps calls nobody in later episodes', async () => {
  await using scene = await aScene(escalating('{ after: 15m, notify: pager }'), EMPTY);
  await scene.poll(0, 18);
  await scene.mailed(2);
  await scene.poll(5, 2);
  await scene.mailed(4);
  await scene.reload({ config: { routes: '[{ notify: ops }]', mails: ['ops', 'pager', 'team'] } });
  await scene.poll(5, 60);
  await scene.poll(0, 60);
  await scene.mailed(5);
  expect(tags(scene, 'pager')).toHaveLength(2);
});

test('a step that is put before one that was taken is taken too', async () => {
  await using scene = await aScene(escalating('{ after: 15m, notify: pager }'), EMPTY);
  await scene.poll(0, 18);
  await scene.mailed(2);
  await scene.reload({ config: escalating('{ after: 5m, notify: team }, { after: 15m, notify: pager }') });
  await scene.poll(0, 2);
  await scene.mailed(3);
  expect([tags(scene, 'team'), tags(scene, 'pager')]).toEqual([
    [expect.stringMatching(/^CRITICAL/)],
    [expect.any(String)],
  ]);
  await scene.poll(0, 60);
  expect(scene.mails()).toHaveLength(3);
});

test('an alert whose first message was given up is told with the next repeat', async () => {
  const written = { routes: '[{ notify: hook, repeat: 30m }]', webhooks: ['hook'] };
  await using scene = await aScene(written, '{ id: low, while: balance < 3, severity: critical }');
  scene.failing.add('hook');
  // Rejected three times: at once, after 5 and after another 25 minutes.
  await scene.poll(0, 45);
  const tries = scene.calls().length;
  expect(tries).toBe(3);
  scene.failing.delete('hook');
  await scene.poll(0, 35);
  expect(scene.calls().slice(tries)).toEqual(['hook alert.firing reserve/low']);
  await scene.poll(9, 2);
  expect(scene.calls().at(-1)).toBe('hook alert.resolved reserve/low');
});
