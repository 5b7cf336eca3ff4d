// A rule that waits for a contract to send a transaction, which no contract does: what a person reads of it.
import { expect, test } from '@jest/globals';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../../src/sandbox/server.ts';
import { runApp } from '../../support/app.ts';
import { createFolder } from '../../support/daemon.ts';
import { createStoryClock } from '../../support/fake-clock.ts';
import { createInbox } from '../../support/sinks.ts';

const MINUTE = 60_000;

function rules(sender: string): string {
  return `
watches:
  - id: outflow
    kind: transactions
    of: vault
    alerts: [{ id: large, on: new, if: ${sender} && value > 1_000_000, severity: critical }]
`;
}

async function aDaemon(sender: string) {
  await using opened = new AsyncDisposableStack();
  const clock = createStoryClock();
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock, quiet: true });
  const served = opened.use(await serveSandbox(sandbox));
  const folder = opened.use(
    createFolder({
      'rules.yaml': rules(sender),
      'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { vault: ${sandbox.addresses.vault}, admin: ${sandbox.addresses.hot_wallet}, ours: [vault, admin] }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`,
    }),
  );
  const printed = createInbox<string>();
  const print = (line: string): Promise<void> => {
    printed.push(line);
    return Promise.resolve();
  };
  let running = await runApp(folder, { clock, print });
  const all = opened.move();
  return {
    folder,
    sandbox,
    printed,
    get running() {
      return running;
    },
    /** A block a minute, and a poll after it. */
    async minutes(count: number) {
      for (; count > 0; count -= 1) {
        const { length } = running.polls.all;
        sandbox.mine();
        await clock.advance(MINUTE);
        await running.polls.reached(length + 1);
      }
    },
    async restart() {
      await running[Symbol.asyncDispose]();
      clock.stall(MINUTE);
      running = await runApp(folder, { clock, print });
      await running.polls.reached(1);
    },
    lines: () => printed.all.map((line) => line.slice(line.indexOf(' ') + 1)),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await all.disposeAsync();
    },
  };
}

const WHY =
  'vault is a contract: it signs no transaction, so "from == vault" is never true. ' +
  'Its calls are found by kind: internal-transactions, direction: from.';

test('a rule that waits for a contract as the sender is told once, also over a restart, until a reload mends it', async () => {
  await using daemon = await aDaemon('from == vault');
  await daemon.running.polls.reached(1);
  daemon.sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', value: 5n });
  await daemon.minutes(3);
  await daemon.printed.reached(1);
  expect(daemon.lines()).toEqual([
    expect.stringMatching(
      /^CRITICAL chainwarden\/never-holds FIRING never-holds: outflow\/large waits for a contract to send a transaction - Since 00:0\d UTC: /,
    ),
  ]);
  expect(daemon.lines()[0]).toContain(WHY);
  const { body } = await daemon.running.page('/watches/outflow');
  expect(body).toContain('it signs no transaction');
  await daemon.restart();
  await daemon.minutes(30);
  expect(daemon.lines()).toHaveLength(1);

  daemon.folder.write('rules.yaml', rules('to == vault'));
  await daemon.running.reload();
  await daemon.minutes(2);
  await daemon.printed.reached(2);
  expect(daemon.lines()[1]).toMatch(/^CRITICAL chainwarden\/never-holds RESOLVED .* - The rule was changed, /);
});

test('a group with an account that signs may send, so nothing is said', async () => {
  await using daemon = await aDaemon('from.hash in ours');
  await daemon.running.polls.reached(1);
  daemon.sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', value: 5n });
  await daemon.minutes(20);
  expect(daemon.lines()).toEqual([]);
});
