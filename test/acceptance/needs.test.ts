// The needs that people asked for first: each is a rule of rules/packs/needs.yaml without a title. Its subject stands in the
// test of the pack, and arrives at a webhook from raw topics and call data.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { formatProblems, formatWarnings } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { loadRuleTests } from '../../src/rule-tests/reading/load.ts';
import { resultOf } from '../../src/rule-tests/reporting/report.ts';
import { runRuleTest } from '../../src/rule-tests/run.ts';
import { ADDRESSES, CONTRACTS } from '../../src/sandbox/names.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { kinds } from '../../src/watches/index.ts';
import { runApp } from '../support/app.ts';
import { createFolder } from '../support/daemon.ts';
import { createStoryClock } from '../support/fake-clock.ts';
import { createWebhookSink } from '../support/sinks.ts';

const CONFIG = 'rules/packs/needs.config.yaml';
const RULES = 'rules/packs/needs.yaml';
const readFile = (file: string): string => readFileSync(file, 'utf8');

/** Takes a week, and has a test of its own. */
const REPORTED = 'report weekly: $12,340,120 in 9 balances, rose 2.1 % in 7 d';

/** By the number of the need. A new need is a line here, a rule and its test in the pack. */
const SUBJECTS: Readonly<Record<number, readonly string[]>> = {
  1: ['treasury USDC 900,000, below 1,000,000'],
  2: ['hot_wallet ETH fell 16 % in 1 h (limit 10 %)'],
  3: [
    'vault sent 110,000 USDC to 0x3c54…b3AB, $109,890, above $100,000',
    'vault sent 5 ACME to 0x3c54…b3AB, no price known',
  ],
  4: ['treasury received a token with reputation scam'],
  5: ['treasury token 0x9f2e…041c: reputation scam, was ok'],
  6: ['swap call of hot_wallet to router failed', 'swap call of vault to router failed'],
  7: ['22 failed router transactions in 10 min', '22 failed router calls in 10 min'],
  8: ['ethereum: no block for 2 min 5 s (limit 2 min)'],
  9: ['10 blocks in a row with gas used percentage above 95'],
  10: ['admin called transferOwnership on vault'],
  11: ['vault implementation is now 0x2222…2222, was 0x1111…1111'],
  12: ['owner of vault is now 0x3c54…b3AB, was treasury', 'hot_wallet got MINTER_ROLE on vault, from admin'],
  13: ['vault was paused by admin'],
  14: ['USDC exchange rate 0.93, below 0.98'],
  15: ['ACME total supply 950, was 1,005'],
  16: ['treasury approved 0x3c54…b3AB to spend USDC without limit'],
  17: ['no successful deposit transaction of bridge for 6 h'],
  18: [REPORTED],
};

test('each need is a rule without a title, and its test expects the subject', async () => {
  const { setup, problems } = loadSetup(CONFIG, { env: {}, readFile });
  expect(formatProblems(problems)).toBe('');
  expect(formatWarnings(setup?.warnings ?? [])).toBe('');
  const alerts = setup?.watches.flatMap((watch) => watch.alerts) ?? [];
  expect(alerts.filter(({ title, text }) => title !== null || text !== null)).toEqual([]);
  const loaded = loadRuleTests('rules/packs/needs.test.yaml', {
    env: {},
    readFile,
    notifiers,
    kinds,
    mayShow: () => true,
  });
  expect(formatProblems(loaded.problems)).toBe('');
  const told: string[] = [];
  for (const trial of loaded.tests) {
    expect(resultOf(trial, await runRuleTest(trial)).details).toEqual([]);
    told.push(JSON.stringify(trial.expected));
  }
  const missing = Object.entries(SUBJECTS).flatMap(([need, subjects]) =>
    subjects.filter((subject) => !told.some((output) => output.includes(subject))).map((one) => `${need}: ${one}`),
  );
  expect(missing).toEqual([]);
});

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const BLOCK_MS = 12_000;
const STRANGER = CONTRACTS.router;
const SWAP = 'swap(address from, address to, uint256 amount)';
const UNLIMITED = String(2n ** 256n - 1n);

/** Subjects whose values are those of the sandbox. */
const ON_SANDBOX: Readonly<Record<number, readonly string[]>> = {
  5: ['treasury token 0x76be…e309: reputation scam, was ok'],
  8: ['ethereum: no block for 2 min 1 s (limit 2 min)'],
  11: ['vault implementation is now 0x2222…2222, was 0x4cb3…6af8'],
  15: ['ACME total supply 200,000,000, was 100,000,000'],
};

/** Transactions that fill a block of the sandbox. */
const FULL = 480;

const FAILURES = 22;

function word(digits: string): string {
  return digits.replace(/^0x/, '').toLowerCase().padStart(64, '0');
}

test('each need arrives at a webhook with its subject, and nothing else does', async () => {
  const clock = createStoryClock();
  const sandbox = createSandbox({ seed: 1, blockTimeMs: BLOCK_MS, clock, quiet: true });
  await using served = await serveSandbox(sandbox);
  await using hook = await createWebhookSink();
  const written = configOf(served, hook);
  using folder = createFolder({ 'config.yaml': written, 'needs.yaml': readFile(RULES) });
  const router = /router: (\S+)/.exec(written)?.[1] ?? '';
  const admin = /admin: (\S+)/.exec(written)?.[1] ?? '';
  sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 1_200_000n * 10n ** 6n });
  sandbox.setBalance({ address: 'vault', token: 'USDC', value: 500_000n * 10n ** 6n });
  sandbox.setBalance({ address: 'vault', token: 'ACME', value: 10n ** 20n });
  sandbox.setBalance({ address: 'hot_wallet', value: 10n ** 20n });
  sandbox.setPrice({ token: 'USDC', price: '0.999' });
  sandbox.setPrice({ token: 'ACME', price: null });
  const held = sandbox.giveToken({ address: 'treasury' });
  await using running = await runApp(folder, { clock });
  await clock.advance(15 * MINUTE);
  expect(hook.calls.all.length).toBe(0);

  sandbox.setBalance({ address: 'treasury', token: 'USDC', value: 900_000n * 10n ** 6n }); // 1
  sandbox.transferToken({ token: 'USDC', from: ADDRESSES.vault, to: STRANGER, value: 110_000n * 10n ** 6n }); // 3
  sandbox.transferToken({ token: 'ACME', from: ADDRESSES.vault, to: STRANGER, value: 5n * 10n ** 18n });
  sandbox.giveToken({ address: 'treasury', reputation: 'scam' }); // 4
  sandbox.flagToken({ token: held.token }); // 5
  for (let i = 0; i < FAILURES; i += 1) {
    const input = `0xdf791e50${word('1')}${word('2')}${word('3')}`;
    sandbox.addTransaction({ from: 'hot_wallet', to: router, input, status: 'error' }); // 6 and 7
    sandbox.failCall({ from: ADDRESSES.vault, to: router, function: SWAP, args: ['1', '2', 3] });
  }
  const owner = `0xf2fde38b${word(STRANGER)}`;
  sandbox.addTransaction({ from: admin, to: 'vault', input: owner }); // 10
  sandbox.upgrade({ implementation: `0x${'2'.repeat(40)}` }); // 11
  sandbox.emit({
    event: 'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
    args: ['treasury', STRANGER],
  }); // 12
  sandbox.emit({
    event: 'RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
    args: ['0x9f2df0fed2c77648de5860a4cc508cd0818c85b8b8a1ab4ceeef8d981c8956a6', 'hot_wallet', admin],
  });
  sandbox.emit({ event: 'Paused(address account)', args: [admin] }); // 13
  sandbox.emit({
    address: 'USDC',
    event: 'Approval(address indexed owner, address indexed spender, uint256 value)',
    args: ['treasury', STRANGER, UNLIMITED],
  }); // 16
  await clock.advance(10 * MINUTE);

  sandbox.setPrice({ token: 'USDC', price: '0.93' }); // 14
  for (let block = 0; block < 10; block += 1) {
    for (let i = 0; i < FULL; i += 1) sandbox.addTransaction({ from: STRANGER, to: CONTRACTS.market }); // 9
    await clock.advance(BLOCK_MS);
  }
  sandbox.freeze(); // 8
  await clock.advance(3 * MINUTE);
  sandbox.unfreeze();
  sandbox.transferToken({ token: 'ACME', to: STRANGER, value: 10n ** 26n }); // 15
  await clock.advance(50 * MINUTE);
  sandbox.setBalance({ address: 'hot_wallet', value: 84n * 10n ** 18n }); // 2
  await clock.advance(20 * MINUTE);
  // The machine sleeps, which takes less time than the polls of hours.
  clock.stall(4 * 60 * MINUTE);
  await clock.advance(40 * MINUTE); // 17
  await running.page('/readyz');

  // Each failed call is told; all else is told once.
  const subjects = Object.entries(SUBJECTS).flatMap(([need, ofTest]) => {
    const ofSandbox = ON_SANDBOX[Number(need)] ?? ofTest;
    return need === '6' ? Array.from({ length: FAILURES }, () => ofSandbox).flat() : ofSandbox;
  });
  expect(titlesAt(hook).toSorted()).toEqual(subjects.filter((one) => one !== REPORTED).toSorted());
});

test('the weekly report arrives at a webhook on two Mondays, the second with the change', async () => {
  const clock = createStoryClock(Date.parse('2026-01-05T06:30:00Z'));
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 3_600_000, clock, quiet: true });
  await using served = await serveSandbox(sandbox);
  await using hook = await createWebhookSink();
  const { defaults, watches, reports } = parse(readFile(RULES)) as PackRules;
  // A poll an hour: a week of minutes takes too long.
  const balances = watches.filter(({ kind }) => kind === 'balance').map((watch) => ({ ...watch, every: '1h' }));
  using folder = createFolder({
    'config.yaml': configOf(served, hook),
    'needs.yaml': stringify({ defaults, watches: balances, reports }),
  });
  const hold = (address: string, units: bigint, token?: 'USDC' | 'ACME'): void => {
    const decimals = token === 'USDC' ? 6n : 18n;
    sandbox.setBalance({ address, ...(token && { token }), value: units * 10n ** decimals });
  };
  for (const [address, coins] of [
    ['hot_wallet', 1_000n],
    ['treasury', 100n],
    ['vault', 10n],
    [CONTRACTS.bridge, 1n],
  ] as const)
    hold(address, coins);
  for (const [address, dollars] of [
    ['treasury', 8_000_000n],
    ['hot_wallet', 500_000n],
    ['vault', 200_000n],
    [CONTRACTS.bridge, 50_000n],
  ] as const)
    hold(address, dollars, 'USDC');
  hold('treasury', 6_616n, 'ACME');
  sandbox.setPrice({ price: '3000' });
  sandbox.setPrice({ token: 'USDC', price: '1' });
  sandbox.setPrice({ token: 'ACME', price: '0.5' });
  await using running = await runApp(folder, { clock });
  await clock.advance(60 * MINUTE);
  await running.page('/readyz');
  expect(titlesAt(hook)).toEqual(['report weekly: $12,086,308 in 9 balances']);
  clock.stall(7 * DAY - 120 * MINUTE);
  hold('treasury', 8_253_812n, 'USDC');
  await clock.advance(120 * MINUTE);
  await running.page('/readyz');
  expect(titlesAt(hook)).toEqual(['report weekly: $12,086,308 in 9 balances', REPORTED]);
});

interface PackRules {
  readonly defaults: object;
  readonly watches: readonly { readonly kind: string }[];
  readonly reports: readonly object[];
}

/** The config of the pack, with this explorer and this channel. */
function configOf(served: { readonly url: string }, hook: { readonly origin: string }): string {
  const written = readFile(CONFIG)
    .replace(/instance_url: [^,]+/, `instance_url: '${served.url}'`)
    .replace('{ type: log }', `{ type: webhook, url: '${hook.origin}/hook', allow: [127.0.0.0/8] }`);
  return `${written}\nself: none\nhttp: { listen: 127.0.0.1:0 }\n`;
}

/** The subjects of all messages but those of an end. */
function titlesAt({ calls }: Awaited<ReturnType<typeof createWebhookSink>>): readonly string[] {
  const told = calls.all.map(({ body }) => JSON.parse(body) as { type: string; data: { title: string } });
  return told.filter(({ type }) => type !== 'alert.resolved').map(({ data }) => data.title);
}
