// `chainwarden notify test` on channels whose address is in the config, against their services on the loopback.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DISCORD_PATH, serve, serviceNamed } from '../notifiers/services.ts';
import { run } from '../support/cli.ts';
import { createFolder } from '../support/daemon.ts';
import { status } from '../support/sinks.ts';

test.each([
  ['slack webhook', (origin: string, path: string) => `type: slack, url: '${origin}${path}'`],
  ['discord', (origin: string) => `type: discord, url: '${origin}${DISCORD_PATH}'`],
  ['teams', (origin: string, path: string) => `type: teams, url: '${origin}${path}'`],
  ['ntfy', (origin: string) => `type: ntfy, url: '${origin}', topic: alerts, token: tk_0123456789abcdef`],
  ['webhook', (origin: string, path: string) => `type: webhook, url: '${origin}${path}'`],
])('%s: says what the service answered, good or bad', async (name, keysOf) => {
  const service = serviceNamed(name);
  await using served = await serve(service);
  const keys = keysOf(served.origin, service.path);
  using folder = createFolder({
    'rules/a.yaml': 'watches: [{ id: head, kind: blocks, every: 1s, alerts: [{ id: any, on: new }] }]\n',
    'config.yaml': `explorers: { chain: { form: sandbox } }\nchannels: { ops: { ${keys}, allow: [127.0.0.0/8] } }\n`,
  });
  const file = join(folder.path, 'config.yaml');
  const good = await run(['notify', 'test', 'ops', '-c', file]);
  expect([good.code, good.out]).toEqual([0, expect.stringMatching(/^ops: sent: \d{3}/)]);
  served.answerNext(status(403, {}, 'no such luck'));
  const bad = await run(['notify', 'test', 'ops', '-c', file]);
  expect([bad.code, bad.out]).toEqual([1, expect.stringContaining('answered 403 no such luck')]);
  expect([served.refused, served.calls.all.length]).toEqual([[], 2]);
});
