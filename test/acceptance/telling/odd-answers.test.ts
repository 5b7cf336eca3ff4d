// A receiver whose answers are broken in every way, and a daemon that owes it something each time.
import { expect, test } from '@jest/globals';
import { systemClock } from '../../../src/lib/clock.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../../src/sandbox/server.ts';
import { createFolder, start } from '../../support/daemon.ts';
import { createOddServer, NO_CONTENT, ODD_ANSWERS, type OddAnswer } from '../../support/odd-answers.ts';
import { createInbox } from '../../support/sinks.ts';

// Those that only a deadline ends would take its fifteen seconds each.
const PLAYED = ODD_ANSWERS.filter(({ isEndless }) => !isEndless);

test('no answer of a receiver ends the daemon: what was taken is not sent again, all else is, under its id', async () => {
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock: systemClock, quiet: true });
  await using served = await serveSandbox(sandbox);
  const answerById = new Map<string, OddAnswer>();
  const calls = createInbox<string>();
  await using hook = await createOddServer((request) => {
    const [, id = ''] = /^webhook-id: (\S+)\r$/im.exec(request) ?? [];
    calls.push(id);
    const next = answerById.has(id) ? undefined : PLAYED[answerById.size];
    if (next !== undefined) answerById.set(id, next);
    return next ?? NO_CONTENT;
  });
  using folder = createFolder({
    'rules/a.yaml': 'watches: [{ id: head, kind: blocks, every: 1s, alerts: [{ id: any, on: new }] }]\n',
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
channels: { hook: { type: webhook, url: '${hook.origin}', allow: [127.0.0.0/8] } }
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`,
  });
  await using daemon = start(['run'], folder.path);
  await daemon.says('watch:baseline');
  // In two polls: of more than 50 events of one poll the rest are one message.
  sandbox.mine({ blocks: 40 });
  await Promise.race([calls.reached(40), daemon.ended]);
  sandbox.mine({ blocks: PLAYED.length - 40 });

  const twice = PLAYED.filter(({ webhook }) => webhook !== 'sent').length;
  await Promise.race([calls.reached(PLAYED.length + twice), daemon.ended]);
  daemon.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
  expect(daemon.err()).not.toContain('"level":"error"');

  const callsById = Map.groupBy(calls.all, (id) => id);
  const counts = [...answerById].map(([id, { name, webhook }]) => ({
    name,
    webhook,
    calls: callsById.get(id)?.length,
  }));
  expect(counts).toEqual(PLAYED.map(({ name, webhook }) => ({ name, webhook, calls: webhook === 'sent' ? 1 : 2 })));
});
