import { expect, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { createFolder, start } from '../support/daemon.ts';
import { createWebhookSink } from '../support/sinks.ts';

const APPROVAL = 'Approval(address indexed owner, address indexed spender, uint256 value)';
const UNLIMITED = String(2n ** 256n - 1n);
const STRANGER = '0x9f2e0000000000000000000000000000000041c7';
const SPENDER = '0x3c54fbFfcC0dCB1dAA210F8c51Bb20751258b3AB';

const RULES = `
watches:
  - id: approvals
    kind: logs
    every: 1s
    notify: hook
    events: '${APPROVAL}'
    where: { owner: ours }
    alerts:
      - { id: unlimited, on: new, if: address in tokens && unlimited(args.value), severity: critical }
      - { id: any, on: new, if: '!(address in tokens)' }
`;

test('an approval of any token without limit arrives at a webhook, and that of a made-up one as a claim', async () => {
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock: systemClock, quiet: true });
  await using served = await serveSandbox(sandbox);
  await using hook = await createWebhookSink();
  const { treasury, vault } = sandbox.addresses;
  using folder = createFolder({
    'rules/a.yaml': RULES,
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { treasury: ${treasury}, vault: ${vault}, ours: [treasury, vault] }
tokens: { USDC: ${sandbox.tokens.USDC}, ACME: ${sandbox.tokens.ACME} }
channels: { hook: { type: webhook, url: { env: HOOK }, allow: [127.0.0.0/8] } }
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`,
  });
  await using daemon = start(['run'], folder.path, { HOOK: `${hook.origin}/hook` });
  await daemon.says('watch:baseline');
  const bodyOf = (call: { readonly body: string } | undefined): unknown => JSON.parse(call?.body ?? '{}');
  sandbox.mine();
  sandbox.emit({ address: 'ACME', event: APPROVAL, args: [vault, SPENDER, UNLIMITED] });
  const [first] = await hook.calls.reached(1);
  expect(bodyOf(first)).toMatchObject({
    data: { severity: 'critical', title: 'vault approved 0x3c54…b3AB to spend ACME without limit' },
  });
  sandbox.mine();
  sandbox.emit({ address: STRANGER, event: APPROVAL, args: [treasury, SPENDER, UNLIMITED] });
  const [, second, ...others] = await hook.calls.reached(2);
  expect(bodyOf(second)).toMatchObject({
    data: {
      severity: 'warning',
      claim: true,
      title: '0x9f2e…41c7 claims that treasury approved 0x3c54…b3AB to spend 0x9f2e…41c7 without limit',
    },
  });
  expect(others).toEqual([]);
});
