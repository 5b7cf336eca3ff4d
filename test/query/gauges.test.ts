// What Prometheus sees of alerts that wait for somebody, and of what operators have decided.
import { expect, test } from '@jest/globals';
import { callApi, readApi } from '../support/web/api-calls.ts';
import { anOperatedDaemon, fallLow, type OperatedDaemon } from '../support/web/operated-daemon.ts';

/** The value of each series, by its label; the metrics are rendered anew. */
async function valuesOf({ running }: OperatedDaemon, metric: string): Promise<Record<string, number>> {
  await running.clock.advance(1000);
  const lines = (await running.metrics()).matchAll(new RegExp(`^chainwarden_${metric}\\{\\w+="(.*)"\\} (.*)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, label = '', value]) => [label, Number(value)]));
}

test('an alert waits for nobody any more once it is acknowledged or silenced', async () => {
  await using daemon = await anOperatedDaemon();
  const waiting = (): Promise<Record<string, number>> => valuesOf(daemon, 'alerts_unacknowledged');
  expect(await waiting()).toEqual({ critical: 0, warning: 0 });
  await fallLow(daemon);
  expect(await waiting()).toEqual({ critical: 1, warning: 3 });
  const { body } = await readApi(daemon.running, '/overview');
  const [card] = body['cards'] as readonly { readonly key: string; readonly episode: number; readonly seq: number }[];
  const { key = '', episode = 0, seq = 0 } = card ?? {};
  await callApi(daemon.running, { path: `/alerts/${key}/${episode}/acks`, body: { seq }, key: 'a' });
  expect(await waiting()).toEqual({ critical: 0, warning: 3 });
  const until = new Date(daemon.running.clock.now() + 600_000).toISOString();
  const silence = { matchers: { watch: 'all' }, until, comment: 'moved' };
  await callApi(daemon.running, { path: '/silences', body: silence, key: 'b' });
  expect(await waiting()).toEqual({ critical: 0, warning: 1 });
});

test('a silence that ends soon while what it holds back fires is seen before it ends', async () => {
  await using daemon = await anOperatedDaemon();
  const { running } = daemon;
  const silenced = (): Promise<Record<string, number>> => valuesOf(daemon, 'silences');
  const at = (ms: number): string => new Date(running.clock.now() + ms).toISOString();
  const matchers = { watch: 'coins' };
  await callApi(running, { path: '/silences', body: { matchers, until: at(1_200_000), comment: 'x' }, key: 'a' });
  await callApi(running, {
    path: '/silences',
    body: { matchers, from: at(3_600_000), until: at(7_200_000), comment: 'x' },
    key: 'b',
  });
  expect(await silenced()).toEqual({ active: 1, scheduled: 1, 'ending-while-firing': 0 });
  await fallLow(daemon);
  expect(await silenced()).toEqual({ active: 1, scheduled: 1, 'ending-while-firing': 0 });
  await running.clock.advance(600_000);
  expect(await silenced()).toEqual({ active: 1, scheduled: 1, 'ending-while-firing': 1 });
});

test('credits of a plan that nobody has seen are absent, and not zero', async () => {
  await using daemon = await anOperatedDaemon();
  for (const name of ['at_reset', 'planned_per_day', 'spent_total', 'foreign_total', 'reset_timestamp_seconds'])
    expect(await valuesOf(daemon, `explorer_credits_${name}`)).toEqual({});
  for (const name of ['stretch', 'postponed_total']) expect(await valuesOf(daemon, `explorer_${name}`)).toEqual({});
});
