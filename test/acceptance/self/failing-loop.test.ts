// A part of the daemon that fails again and again, while all others work and /healthz says that it lives.
import { expect, test } from '@jest/globals';
import { runApp, serveBalances } from '../../support/app.ts';
import { createFolder } from '../../support/daemon.ts';

test('a reloader that fails each time it is started again is named by /readyz and counted', async () => {
  await using explorer = await serveBalances();
  using folder = createFolder({
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`,
    'rules.yaml':
      'watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]\n',
  });
  const sources = { begin: () => undefined, loaded: () => '', current: () => Promise.reject(new Error('a defect')) };
  await using running = await runApp(folder, { sources });
  const { clock, polls } = running;
  await polls.reached(1);
  expect((await running.readyz()).body).not.toContain('loop');
  for (let i = 0; i < 4; i += 1) await clock.advance(60_000);
  const { status, body } = await running.readyz();
  expect([status, body]).toEqual([200, expect.stringMatching(/^ready\nloop reloader: failed \d+ times/)]);
  expect((await running.page('/healthz')).status).toBe(200);
  expect(await running.metrics()).toMatch(/chainwarden_loops_failing\{loop="reloader"\} 1\n/);
});
