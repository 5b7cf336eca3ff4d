// One daemon and five explorers, one of each release that is found in practice. The shortest story that goes through
// every operation: a daemon for each release, or the whole of the other stories five times, would take minutes.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.ts';
import { ADDRESSES, TOKENS } from '../../src/sandbox/names.ts';
import { RELEASES, type Release } from '../../src/sandbox/releases/release.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { createFolder, start, type Process } from '../support/daemon.ts';
import { createWebhookSink } from '../support/sinks.ts';

const WATCHES = ['calls', 'code', 'coins', 'usdc', 'held', 'sent', 'chain', 'acme'];

const watchesOf = (release: Release): string => `
  - { id: calls-${release}, explorer: release-${release}, kind: internal-transactions, of: vault, alerts: [{ id: failed, on: new, if: success == false }] }
  - { id: code-${release}, explorer: release-${release}, kind: contract, of: vault, alerts: [{ id: upgraded, on: changed, if: implementations != before.implementations }] }
  - { id: coins-${release}, explorer: release-${release}, kind: balance, of: treasury, alerts: [{ id: moved, on: changed }] }
  - { id: usdc-${release}, explorer: release-${release}, kind: balance, of: treasury, token: USDC, alerts: [{ id: low, while: balance < 1 }] }
  - { id: held-${release}, explorer: release-${release}, kind: holdings, of: treasury, alerts: [{ id: arrived, on: added }] }
  - { id: sent-${release}, explorer: release-${release}, kind: transactions, of: vault, alerts: [{ id: withdrawn, on: new, if: method == "withdraw" }] }
  - { id: chain-${release}, explorer: release-${release}, kind: blocks, alerts: [{ id: full, on: new, if: transactions_count > 1 }] }
  - { id: acme-${release}, explorer: release-${release}, kind: token, token: ACME, alerts: [{ id: scam, on: changed, if: reputation == "scam" }] }
`;

const EVERYWHERE = [
  'calls failed',
  'chain full',
  'code upgraded',
  'coins moved',
  'held arrived',
  'sent withdrawn',
  'usdc low',
];
/** Before 9.1 tokens have no reputation: nothing can be said of it. */
const SINCE_REPUTATION: readonly Release[] = ['11', '12'];

interface Told {
  readonly data: { readonly watch: string; readonly alert: string };
}

let told: readonly string[];
let metrics: string;

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const hook = stack.use(await createWebhookSink());
  const sandboxes = RELEASES.map((as) =>
    createSandbox({ seed: 1, blockTimeMs: 'manual', clock: systemClock, quiet: true, as }),
  );
  const urls: string[] = [];
  for (const sandbox of sandboxes) urls.push(stack.use(await serveSandbox(sandbox)).url);
  const folder = stack.use(createFolder({ 'rules/all.yaml': rules(), 'config.yaml': configFor(urls) }));
  const daemon = stack.use(start(['run'], folder.path, { HOOK: hook.origin }));
  const started = JSON.parse(await daemon.says('daemon:started')) as { metrics: string };
  await allBaselines(daemon);
  for (const sandbox of sandboxes) letThingsHappen(sandbox);
  const calls = await hook.calls.reached(EVERYWHERE.length * RELEASES.length + SINCE_REPUTATION.length);
  metrics = await (await fetch(started.metrics)).text();
  daemon.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
  told = calls.map(({ body }) => JSON.parse(body) as Told).map(({ data }) => `${data.watch} ${data.alert}`);
});

function rules(): string {
  return `defaults: { notify: [hook], every: 1s }\nwatches:${RELEASES.map(watchesOf).join('')}`;
}

function configFor(urls: readonly string[]): string {
  const explorers = RELEASES.map(
    (release, n) => `  release-${release}: { form: instance, instance_url: '${urls[n]}' }`,
  );
  return `
explorers:
${explorers.join('\n')}
addresses: { vault: ${ADDRESSES.vault}, treasury: ${ADDRESSES.treasury} }
tokens: { USDC: ${TOKENS.USDC}, ACME: ${TOKENS.ACME} }
channels: { hook: { type: webhook, url: { env: HOOK }, allow: [127.0.0.0/8] } }
http: { listen: 127.0.0.1:0 }
rules: [rules/*.yaml]
`;
}

async function allBaselines(daemon: Process): Promise<void> {
  for (const release of RELEASES)
    for (const watch of WATCHES) await daemon.says(`"watch:baseline","watch":"${watch}-${release}`);
}

function letThingsHappen(sandbox: Sandbox): void {
  sandbox.mine();
  sandbox.upgrade({ implementation: 'router' });
  sandbox.failCall({ to: 'vault', reason: 'paused' });
  sandbox.addTransaction({ to: 'vault', method: 'withdraw' });
  sandbox.setBalance({ address: 'treasury', value: 7n });
  sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 1 });
  sandbox.giveToken({ address: 'treasury', name: 'Free' });
  sandbox.flagToken({ token: 'ACME' });
}

describe.each(RELEASES)('release %s', (release) => {
  test('tells everything once that the release can show, and nothing else', () => {
    const reputation = SINCE_REPUTATION.includes(release) ? ['acme scam'] : [];
    const own = told.filter((one) => one.includes(`-${release} `)).map((one) => one.replace(`-${release}`, ''));
    expect(own.toSorted()).toEqual([...reputation, ...EVERYWHERE].toSorted());
  });

  test('is read well: every watch is up, and no field is unknown', () => {
    for (const watch of WATCHES)
      expect(metrics).toMatch(new RegExp(`chainwarden_watch_up\\{watch="${watch}-${release}",of="[^"]*"\\} 1`));
    expect(metrics).not.toContain(`chainwarden_explorer_unknown_fields_total{explorer="release-${release}"`);
  });
});
