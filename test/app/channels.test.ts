import { expect, test } from '@jest/globals';
import { createChannels } from '../../src/app/channels.ts';
import { loadConfig } from '../../src/config/config.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { aDecision, aDelivery } from '../store/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { createSmtpSink } from '../support/sinks.ts';

test('what is owed to a recipient who was taken out is given up and counted once, and what was sent is not', async () => {
  await using post = await createSmtpSink();
  const clock = createFakeClock();
  const store = createMemoryStore();
  const metrics = createMetrics({ clock });
  const log = createRecordingLog();
  const channels = createChannels({
    store,
    clock,
    log,
    metrics,
    print: () => Promise.resolve(),
    version: '0',
    isDry: false,
  });
  const deliveries = ['gone@example.com', 'ops@example.com'].map((recipient) =>
    aDelivery({ id: recipient, key: recipient, channel: 'post', recipient }),
  );
  await store.commit([aDecision('w', { deliveries })], clock.now());

  (await channels.prepare(aConfig(post.url))).commit();
  await post.mails.reached(1);
  await channels.stop(1000);

  const text = await metrics.text();
  expect(text).toContain('chainwarden_deliveries_dead_total{channel="post"} 1\n');
  expect(text).toContain('chainwarden_deliveries_total{channel="post",outcome="rejected"} 1\n');
  expect(text).toContain('chainwarden_deliveries_total{channel="post",outcome="sent"} 1\n');
});

function aConfig(smtp: string) {
  const text = `
explorers: { chain: { form: sandbox } }
channels:
  post: { type: email, from: a@example.com, to: [ops@example.com], smtp: '${smtp}' }
rules: [rules.yaml]
`;
  const { config } = loadConfig('config.yaml', { env: {}, readFile: () => text, notifiers });
  if (config === null) throw new Error('the config of this test is wrong');
  return config;
}
