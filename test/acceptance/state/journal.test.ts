import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runApp, serveBalances } from '../../support/app.ts';
import { run } from '../../support/cli.ts';
import { createFolder } from '../../support/daemon.ts';

const RULES = `
watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]
`;

test('who asks later what happened reads it line by line: started, told, reloaded, set clock, stopped', async () => {
  await using explorer = await serveBalances();
  const config = `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
self: none
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;
  using folder = createFolder({ 'config.yaml': config, 'rules.yaml': RULES });
  const ask = (...args: readonly string[]) => run(['history', '-c', join(folder.path, 'config.yaml'), ...args]);
  explorer.balance = '5';
  {
    await using daemon = await runApp(folder);
    await daemon.says('delivery:sent');
    for (let minute = 0; minute < 5; minute += 1) {
      const { length } = daemon.polls.all;
      await daemon.clock.advance(60_000);
      await daemon.polls.reached(length + 1);
    }
    folder.write('rules.yaml', RULES.replace('< 1', '< 2'));
    expect(await daemon.reload()).toBe('config:reloaded');
    await daemon.clock.setTo(daemon.clock.now() + 3_600_000);
    await daemon.clock.advance(1000);
    await daemon.says('clock:set');
    // Chained within a second, while the daemon runs.
    await daemon.clock.advance(1000);
    expect((await ask('--verify')).out).toMatch(/^unbroken from position 1 to [4-9]:/);
  }
  const lines = (await ask()).out.trim().split('\n');
  const kinds = lines.map((line) => line.split(/ {2}/)[1]);
  expect(kinds.filter((kind) => kind !== 'told')).toEqual(['start', 'decided', 'routed', 'config', 'clock', 'stop']);
  expect((await ask('--verify')).code).toBe(0);
});
