import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runApp, serveBalances } from '../../support/app.ts';
import { run } from '../../support/cli.ts';
import { createFolder } from '../../support/daemon.ts';
import { isOnPostgres } from '../../support/store/story-state.ts';

const RULES = `
watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]
`;
/** What only replicas write down; in which order the rest comes among them is not settled. */
const OF_REPLICAS = ['replica-joined', 'config-in-force', 'shard-claimed'];

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
    // A replica goes by the clock of the database, which nobody sets.
    await daemon.clock.setTo(daemon.clock.now() + 3_600_000);
    await daemon.clock.advance(1000);
    if (!isOnPostgres) await daemon.says('clock:set');
    // Chained within a second, while the daemon runs.
    await daemon.clock.advance(1000);
    expect((await ask('--verify')).out).toMatch(/^unbroken from position 1 to ([4-9]|\d\d):/);
  }
  const lines = (await ask()).out.trim().split('\n');
  const kinds = lines.map((line) => line.split(/ {2}/)[1]);
  const ofDaemon = kinds.filter((kind = '') => kind !== 'told' && !OF_REPLICAS.includes(kind));
  const clock = isOnPostgres ? [] : ['clock'];
  expect(ofDaemon).toEqual(['start', 'decided', 'routed', 'config', ...clock, 'stop']);
  for (const kind of OF_REPLICAS) expect(kinds.includes(kind)).toBe(isOnPostgres);
  expect((await ask('--verify')).code).toBe(0);
});
