import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { summarize } from '../../src/config/problem.ts';
import type { ShownAlert } from '../../src/core/model/mirror.ts';
import { alertmanagerWith } from '../../src/notifiers/alertmanager.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { createWebhookSink, status } from '../support/sinks.ts';
import { aMessage, LOOPBACK, never, someTools } from './samples.ts';
import { postableAlerts } from './services.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

const alert = (changes: Parameters<typeof aMessage>[0] = {}, labels: ShownAlert['labels'] = {}): ShownAlert => ({
  message: aMessage(changes),
  labels,
  shown: { startsAt: NOON, endsAt: NOON + 60_000 },
});

const CONFIG = {
  refresh: 60_000,
  hold: 3_600_000,
  allow: LOOPBACK,
  token: undefined,
  user: undefined,
  password: undefined,
};

async function shownTo(...alerts: readonly ShownAlert[]) {
  await using server = await createWebhookSink(status(200));
  const { mirror } = alertmanagerWith({ totalMs: 60_000 });
  await using open = mirror?.open({ ...CONFIG, url: server.origin }, someTools());
  const outcomes = await open?.show(alerts, never);
  const bodies = server.calls.all.map(({ body }) => postableAlerts.parse(JSON.parse(body)));
  return { outcomes, bodies };
}

test('an alert has classic labels, one of its own, and annotations that templates know', async () => {
  const { bodies } = await shownTo(
    alert(
      { watch: 'vault', alert: 'low', key: 'k1', title: 'vault is low', runbook: 'https://wiki.example/low' },
      { watch: 'vault', team: 'treasury', 'not-classic': 'x' },
    ),
  );
  expect(bodies[0]?.[0]).toMatchObject({
    labels: { alertname: 'vault/low', watch: 'vault', team: 'treasury', chainwarden_key: 'k1' },
    annotations: { summary: expect.stringContaining('vault is low'), runbook_url: 'https://wiki.example/low' },
    startsAt: '2026-01-01T12:00:00Z',
    endsAt: '2026-01-01T12:01:00Z',
  });
  expect(bodies[0]?.[0]?.labels).not.toHaveProperty('not-classic');
});

test('a thousand alerts are five calls, and each has its outcome', async () => {
  const { outcomes, bodies } = await shownTo(...Array.from({ length: 1000 }, (_none, i) => alert({ key: `k${i}` })));
  expect(bodies.map(({ length }) => length)).toEqual([200, 200, 200, 200, 200]);
  expect(outcomes).toHaveLength(1000);
  expect(new Set(outcomes?.map(({ type }) => type))).toEqual(new Set(['sent']));
});

test.each([
  ["{ url: 'https://am.example.com', refresh: 1h, hold: 30m }", 'must be shorter than `hold`'],
  ["{ url: 'https://am.example.com', refresh: soon }", 'must be a duration from 1s to 1h'],
  ["{ url: 'https://am.example.com/?x=1' }", 'without a query'],
  ["{ url: 'https://am.example.com', user: warden }", '`user` and `password` belong together'],
  ["{ url: 'https://am.example.com', user: a, password: b, token: c }", 'cannot be combined'],
  ["{ url: 'https://am.example.com', cap: { per_hour: 30 } }", 'has no cap'],
  ["{ url: 'http://127.0.0.1:9093' }", 'allow: [127.0.0.1/32]'],
])('%s does not load, and says why', (written, why) => {
  const text = `explorers: { here: { form: sandbox } }\nchannels: { am: ${written.replace('{ ', '{ type: alertmanager, ')} }\nself: none\n`;
  const { problems } = loadConfig('config.yaml', { env: {}, readFile: () => text, notifiers });
  expect(problems.map(summarize)).toEqual([expect.stringContaining(why)]);
});

test.each([
  ['failover: am', 'routes[0].failover'],
  ['escalate: [{ after: 5m, notify: [screen, am] }]', 'routes[0].escalate[0].notify'],
])('it cannot be who is told when nobody answers: %s', (written, where) => {
  const channels = "{ screen: { type: log }, am: { type: alertmanager, url: 'https://am.example.com' } }";
  const text = `explorers: { here: { form: sandbox } }\nchannels: ${channels}\nself: none\nroutes: [{ ${written} }]\n`;
  const { problems } = loadConfig('config.yaml', { env: {}, readFile: () => text, notifiers });
  expect(problems.map(summarize)).toEqual([
    expect.stringContaining(`${where}: "am" cannot be used here: it schedules its own messages`),
  ]);
});
