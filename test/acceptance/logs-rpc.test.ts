// A config that allows the JSON-RPC at a reload, and forbids it again: over both, and over a restart, events are told once.
import { expect, test } from '@jest/globals';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { runApp, type RunningApp } from '../support/app.ts';
import { createFolder } from '../support/daemon.ts';
import { createStoryClock } from '../support/fake-clock.ts';
import { createWebhookSink } from '../support/sinks.ts';

const RULES = `
watches:
  - id: admin
    kind: logs
    of: vault
    every: 1m
    notify: hook
    events: [Paused, OwnershipTransferred]
    alerts: [{ id: any, on: new, severity: critical }]
`;

test('events between two polls are told once each, whether a reload adds rpc or removes it', async () => {
  const clock = createStoryClock();
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock, quiet: true });
  const posted: string[] = [];
  await using served = await serveSandbox({
    ...sandbox,
    ask(request) {
      if (request.route.operation === 'eth-rpc') posted.push(request.body ?? '');
      return sandbox.ask(request);
    },
  });
  await using hook = await createWebhookSink();
  const config = (rpc: boolean): string => `
explorers: { chain: { form: instance, instance_url: '${served.url}', rpc: ${rpc} } }
addresses: { vault: ${sandbox.addresses.vault}, hot_wallet: ${sandbox.addresses.hot_wallet} }
channels: { hook: { type: webhook, url: '${hook.origin}/hook', allow: [127.0.0.0/8] } }
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;
  using folder = createFolder({ 'config.yaml': config(false), 'rules.yaml': RULES });
  let told = 0;
  const pause = (): void => {
    sandbox.mine();
    sandbox.emit({ event: 'Paused(address account)', args: ['hot_wallet'] });
  };
  const polled = async (running: RunningApp, count: number): Promise<void> => {
    await clock.advance(60_000);
    await running.polls.reached(count);
    if (told > 0) await hook.calls.reached(told);
  };
  const reload = async (running: RunningApp, rpc: boolean): Promise<void> => {
    pause();
    told += 1;
    folder.write('config.yaml', config(rpc));
    expect(await running.reload()).toBe('config:reloaded');
  };

  {
    await using running = await runApp(folder, { clock });
    await running.polls.reached(1);
    await reload(running, true);
    expect(posted).toEqual([]);
    await polled(running, 2);
    expect(posted.length).toBeGreaterThan(0);
    pause();
  }
  {
    told += 1;
    await using running = await runApp(folder, { clock });
    await polled(running, 1);
    await reload(running, false);
    const before = posted.length;
    await polled(running, 2);
    await polled(running, 3);
    expect(posted).toHaveLength(before);
    const bodies = (await hook.calls.reached(told)).map(({ body }) => JSON.parse(body) as { data: { title: string } });
    expect(bodies.map(({ data }) => data.title)).toEqual(
      Array.from({ length: 3 }, () => 'vault was paused by hot_wallet'),
    );
  }
});
