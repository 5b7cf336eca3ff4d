import { expect, test } from '@jest/globals';
import { createChannels, type ChannelsOptions } from '../../src/app/runtime/channels.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createSupervisor } from '../../src/engine/upkeep/supervisor.ts';
import type { Settlement } from '../../src/core/model/delivery.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createRedactor } from '../../src/lib/redact.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { aDelivery } from '../store/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryStore } from '../support/store/memory-store.ts';
import { owe } from '../support/store/store-calls.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { createSmtpSink, createWebhookSink, refusal, status } from '../support/sinks.ts';
import { ownershipOf } from '../support/store/fences.ts';

test('a sender that fails is started again, and what it owes is sent', async () => {
  await using post = await createSmtpSink();
  const clock = createFakeClock();
  const store = createMemoryStore();
  const log = createRecordingLog();
  const restarts: string[] = [];
  // Fails in the first rest of the sender, after its first look.
  let isBroken = true;
  const channels = createChannels({
    ...someOptions(clock, store),
    log,
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep(ms, signal) {
        if (!isBroken) return clock.sleep(ms, signal);
        isBroken = false;
        return Promise.reject(new Error('a bug'));
      },
    },
    supervise: createSupervisor({ clock, log, onRestart: (loop) => restarts.push(loop) }).supervise,
  });
  (await channels.prepare(aConfig(post.url))).commit();
  await clock.whenSleeping(1);
  const delivery = aDelivery({ id: 'owed', channel: 'post', recipient: 'ops@example.com' });
  await owe(store, 'w', [delivery], clock.now());
  await clock.advance(1000);
  await post.mails.reached(1);
  await channels.stop(1000);
  expect(restarts).toEqual(['sender']);
  expect(log.fields[0]).toMatchObject({ loop: 'sender', channel: 'post' });
  expect(await store.survey()).toMatchObject({ sent: 1, outbox: [] });
});

test('a secret that a mail server echoes is not kept with the delivery, also when it is that of another channel', async () => {
  await using post = await createSmtpSink({
    data: () => refusal(550, 'no, explorer-key-4711 \\u0065xplorer-key-4711'),
  });
  const clock = createFakeClock();
  const store = createMemoryStore();
  const { redact } = createRedactor(['explorer-key-4711']);
  const settled: Settlement[] = [];
  const spied = {
    ...store,
    settle: (...[id, settlement, at]: Parameters<Store['settle']>) => {
      settled.push(settlement);
      return store.settle(id, settlement, at);
    },
  };
  const channels = createChannels({ ...someOptions(clock, spied), redact });
  const delivery = aDelivery({ id: 'a', channel: 'post', recipient: 'ops@example.com' });
  await owe(store, 'w', [delivery], clock.now());

  (await channels.prepare(aConfig(post.url))).commit();
  await post.mails.reached(1);
  await channels.stop(1000);

  expect(JSON.stringify(settled)).toContain('no, [redacted] [redacted]');
});

test('what waits for a recipient who was taken out is neither tried nor given up', async () => {
  await using post = await createSmtpSink();
  const clock = createFakeClock();
  const store = createMemoryStore();
  const metrics = createMetrics({ clock });
  const channels = createChannels({ ...someOptions(clock, store), metrics });
  const deliveries = ['gone@example.com', 'ops@example.com'].map((recipient) =>
    aDelivery({ id: recipient, key: recipient, channel: 'post', recipient }),
  );
  await owe(store, 'w', deliveries, clock.now());

  (await channels.prepare(aConfig(post.url))).commit();
  await post.mails.reached(1);
  await clock.advance(3_600_000);
  await channels.stop(1000);

  const text = (await metrics.text()).toString();
  expect(text).toContain('chainwarden_deliveries_dead_total{channel="post"} 0\n');
  expect(text).toContain('chainwarden_deliveries_total{channel="post",outcome="rejected"} 0\n');
  expect(text).toContain('chainwarden_deliveries_total{channel="post",outcome="sent"} 1\n');
});

test('a channel whose receiver was gone sends at once after a reload, although its own settings are the same', async () => {
  await using hook = await createWebhookSink();
  hook.answerNext(status(410));
  const clock = createFakeClock();
  const store = createMemoryStore();
  const options = someOptions(clock, store);
  const channels = createChannels(options);
  const delivery = aDelivery({ channel: 'hook', recipient: 'hook' });
  await owe(store, 'w', [delivery], clock.now());
  const config = aConfig('smtp://mail.example.com', hook.origin);

  (await channels.prepare(config)).commit();
  await hook.calls.reached(1);
  await clock.advance(30_000);
  expect(hook.calls.all).toHaveLength(1);
  (await channels.prepare(config)).commit();
  await clock.advance(0);
  await hook.calls.reached(2);
  await channels.stop(1000);

  expect(await store.survey()).toMatchObject({ sent: 1, outbox: [] });
});

function someOptions(clock: Clock, store: Store): ChannelsOptions {
  const log = createRecordingLog();
  return {
    store,
    ownership: ownershipOf(store),
    whileHeld: (_shard, run) => run,
    clock,
    log,
    supervise: createSupervisor({ clock, log, onRestart: () => undefined }).supervise,
    metrics: createMetrics({ clock }),
    print: () => Promise.resolve(),
    version: '0',
    redact: (text) => text,
    isDry: false,
    rules: () => ({ ruleOf: () => null }),
    mayGo: () => Promise.resolve(true),
    isToldUnrecorded: () => false,
  };
}

function aConfig(smtp: string, hook = 'https://hooks.example.com') {
  const text = `
explorers: { chain: { form: sandbox } }
channels:
  post: { type: email, from: a@example.com, to: [ops@example.com], smtp: '${smtp}', allow: [127.0.0.0/8] }
  hook: { type: webhook, url: '${hook}', allow: [127.0.0.0/8] }
rules: [rules.yaml]
`;
  const { config } = loadConfig('config.yaml', { env: {}, readFile: () => text, notifiers });
  if (config === null) throw new Error('the config of this test is wrong');
  return config;
}
