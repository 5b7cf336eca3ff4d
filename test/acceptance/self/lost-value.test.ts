// An explorer that loses a value: it still answers, and everything else of the answer is believed.
import { expect, test } from '@jest/globals';
import { systemClock } from '../../../src/lib/clock.ts';
import { CONTRACTS } from '../../../src/sandbox/names.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../../src/sandbox/server.ts';
import { runApp } from '../../support/app.ts';
import { createFolder } from '../../support/daemon.ts';
import { createInbox } from '../../support/sinks.ts';

const RULES = `watches:
  - id: code
    kind: contract
    of: vault
    every: 1m
    expected: '${CONTRACTS.implementation}'
    alerts: [{ id: foreign, while: is_expected == false, severity: critical }]
`;

test('an implementation that is lost is told once, by its name, and that it is known again', async () => {
  const sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock: systemClock, quiet: true });
  const served = await serveSandbox(sandbox);
  using folder = createFolder({
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { vault: ${sandbox.addresses.vault} }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
channels: { screen: { type: log } }
routes: [{ notify: [screen] }]
`,
    'rules.yaml': RULES,
  });
  const printed = createInbox<string>();
  const print = (line: string): Promise<void> => {
    printed.push(line);
    return Promise.resolve();
  };
  {
    await using running = await runApp(folder, { print });
    const minutes = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        const { length } = running.polls.all;
        await running.clock.advance(60_000);
        await running.polls.reached(length + 1);
      }
    };
    await running.polls.reached(1);
    sandbox.fail({ fault: 'lost-implementations', times: 1000, operation: 'address' });
    await minutes(10);
    expect(printed.all.map((line) => /CRITICAL.*? - /.exec(line)?.[0])).toEqual([
      expect.stringMatching(/blind-field FIRING blind-field: implementation of vault not known since 00:0\d UTC - /),
    ]);
    // Without answers nobody knows whether the explorer shows it again.
    sandbox.clearFaults();
    sandbox.fail({ fault: 'server-error', times: 1000, operation: 'address' });
    await minutes(10);
    expect(printed.all.filter((line) => line.includes('blind-field'))).toHaveLength(1);
    sandbox.clearFaults();
    await minutes(3);
    expect(printed.all.filter((line) => line.includes('blind-field RESOLVED'))).toHaveLength(1);
  }
  await served.close();
});
