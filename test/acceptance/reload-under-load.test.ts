// Reloads while events are found and told: each is told once.
import { expect, test } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { runApp } from '../support/app.ts';
import { createFolder } from '../support/daemon.ts';
import { createWebhookSink } from '../support/sinks.ts';

const RELOADS = 20;

const rules = (more: boolean): string => `
watches:
  - { id: calls, kind: internal-transactions, of: vault, every: 1s, alerts: [{ id: failed, on: new, if: success == false }] }
${more ? '  - { id: head, kind: blocks, every: 1s, alerts: [{ id: reorg, on: reorg }] }' : ''}
`;

test('no event is lost or told twice over twenty reloads that replace explorer, channel and watches', async () => {
  const clock = createFakeClock();
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock, quiet: true });
  await using served = await serveSandbox(sandbox);
  await using hook = await createWebhookSink();
  const config = (turn: number): string => `
explorers: { chain: { form: instance, instance_url: '${served.url}', concurrency: ${1 + (turn % 2)} } }
addresses: { vault: ${sandbox.addresses.vault} }
channels: { hook: { type: webhook, url: '${hook.origin}/${turn % 3}', allow: [127.0.0.0/8] } }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;
  using folder = createFolder({ 'config.yaml': config(0), 'rules.yaml': rules(false) });
  await using running = await runApp(folder, { clock });
  await running.polls.reached(1);
  sandbox.mine();
  for (let turn = 1; turn <= RELOADS; turn += 1) {
    sandbox.failCall({ to: 'vault', reason: `failure ${turn}` });
    sandbox.mine();
    folder.write('config.yaml', config(turn));
    folder.write('rules.yaml', rules(turn % 2 === 0));
    expect(await running.reload()).toBe('config:reloaded');
  }
  await clock.advance(2000);
  await hook.calls.reached(RELOADS);
  await clock.advance(60_000);
  const ids = hook.calls.all.map(({ headers }) => headers['webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([RELOADS, RELOADS]);
  expect(await running.metrics()).toContain('chainwarden_config_last_reload_successful 1\n');
});
