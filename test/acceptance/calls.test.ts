import { expect, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { createFolder, start } from '../support/daemon.ts';
import { createWebhookSink } from '../support/sinks.ts';

const PAUSE = '0x8456cb59';
const SWEEP = `0x6ea056a9${'11'.repeat(20).padStart(64, '0')}${(5_000_000).toString(16).padStart(64, '0')}`;

function rules(calls: string, alerts: string): string {
  return `watches: [{ id: admin, kind: transactions, of: vault, every: 1s, notify: hook, ${calls} alerts: [${alerts}] }]\n`;
}

const STRANGER = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';
const SAFE =
  'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)';

/** One call of `multiSend`, without coins. */
function packed(to: string, data: string): string {
  const size = (data.length / 2 - 1).toString(16).padStart(64, '0');
  return `00${to.slice(2)}${'0'.repeat(64)}${size}${data.slice(2)}`;
}

const PAUSED = '{ id: paused, on: new, if: status == "ok" && called == "pause", severity: critical }';
const SWEPT = '{ id: swept, on: new, if: status == "ok" && args.amount > 4 && args.to != vault }';

test('call data becomes a message at a webhook, also of a function that a saved file names', async () => {
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock: systemClock, quiet: true });
  await using served = await serveSandbox(sandbox);
  await using hook = await createWebhookSink();
  using folder = createFolder({
    'rules/a.yaml': rules('', PAUSED),
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { vault: ${sandbox.addresses.vault}, admin: ${sandbox.addresses.hot_wallet} }
channels: { hook: { type: webhook, url: { env: HOOK }, allow: [127.0.0.0/8] } }
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`,
  });
  await using daemon = start(['run'], folder.path, { HOOK: `${hook.origin}/hook` });
  await daemon.says('watch:baseline');
  sandbox.mine();
  sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', input: PAUSE });
  const [paused] = await hook.calls.reached(1);
  expect(JSON.parse(paused?.body ?? '{}')).toMatchObject({ data: { title: 'admin called pause on vault' } });

  folder.write(
    'rules/a.yaml',
    rules('calls: "sweep(address to, uint256 amount)", units: { amount: 6 },', `${PAUSED}, ${SWEPT}`),
  );
  await daemon.says('config:reloaded');
  sandbox.mine();
  sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', input: SWEEP });
  const [, swept, ...others] = await hook.calls.reached(2);
  expect(JSON.parse(swept?.body ?? '{}')).toMatchObject({
    data: {
      title: 'admin called sweep on vault, amount 5, above 4',
      fields: { args: { amount: '5' }, called: 'sweep' },
    },
  });
  expect(others).toEqual([]);
});

test('the batch of a Safe becomes a line at a webhook', async () => {
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock: systemClock, quiet: true });
  const { vault, treasury, hot_wallet: admin } = sandbox.addresses;
  await using served = await serveSandbox(sandbox);
  await using hook = await createWebhookSink();
  using folder = createFolder({
    'rules.yaml':
      'watches: [{ id: safe, kind: transactions, of: treasury, every: 1s, notify: hook, alerts: [{ id: any, on: new }] }]\n',
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { vault: ${vault.toLowerCase()}, treasury: '0x${treasury.slice(2).toUpperCase()}', admin: ${admin} }
channels: { hook: { type: webhook, url: { env: HOOK }, allow: [127.0.0.0/8] } }
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`,
  });
  await using daemon = start(['run'], folder.path, { HOOK: `${hook.origin}/hook` });
  await daemon.says('watch:baseline');
  sandbox.mine();
  const calls = [packed(vault, PAUSE), packed(treasury, '0x694e80c3'), packed(STRANGER, PAUSE)];
  const batch = { function: 'multiSend(bytes transactions)', args: [`0x${calls.join('')}`] };
  sandbox.addTransaction({
    from: 'hot_wallet',
    to: 'treasury',
    function: SAFE,
    args: [STRANGER, 0, batch, 1, 0, 0, 0, STRANGER, STRANGER, '0x'],
  });
  const [told] = await hook.calls.reached(1);
  expect(JSON.parse(told?.body ?? '{}')).toMatchObject({
    data: {
      title: 'admin called execTransaction on treasury',
      lines: [
        'Written in the call data: pause on vault, changeThreshold on treasury and 1 more, in a multiSend call delegated to 0x3c54…b3ab.',
        expect.stringMatching(/^admin to treasury, block /),
      ],
    },
  });
});
