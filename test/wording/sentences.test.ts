// How every kind and event reads: each story goes through the daemon's own `poll` and `step`, and what follows is the
// subject of its last message, its first lines, and the line of the log channel.
import { describe, expect, test } from '@jest/globals';
import type { Message } from '../../src/core/model/delivery.ts';
import { showRange } from '../../src/core/wording/words.ts';
import { log } from '../../src/notifiers/log.ts';
import { toLines } from '../../src/notifiers/rendering/lines.ts';
import { aDelivery, aTry, never, someTools } from '../notifiers/samples.ts';
import { run, testOf } from '../rule-tests/support/trials.ts';

const SENDER = '0x3c54a1b2c3d4e5f60718293a4b5c6d7e8f90b3ab';
const TOKEN = '0x9f2e0000000000000000000000000000000041c7';
const TX = '0x0346000000000000000000000000000000000000000000000000000000008120';

const CONFIG = `
explorers: { ethereum: { form: instance, instance_url: 'https://api.example', page_url: 'https://pages.example' } }
addresses: { treasury: '0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0', vault: '0xca55518dF8A55440f3834CE64D573ABa5E458550' }
tokens: { USDC: '0x51BEEe539Ee496D28B2Bf8BED91D0b7F3A5599D8', ACME: '0x58417121Ca53640bD6260680dE6633ee049b5159' }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;

interface Story {
  readonly watch: string;
  readonly alert: string;
  readonly saw: readonly string[];
  readonly more?: string;
  /** Subject, then the first lines. */
  readonly reads: readonly string[];
  /** Behind the time. */
  readonly log: string;
}

async function messagesOf({ watch, alert, saw, more = '' }: Omit<Story, 'reads' | 'log'>): Promise<Message[]> {
  const [id = 'w'] = alert.split(':');
  const body = alert.slice(id.length + 1);
  const rules = `watches: [{ id: ${id}, ${watch}, every: 1m, notify: [screen], alerts: [{ ${body} }] }]\n`;
  const text = testOf(saw, [], more)
    .replace('rules.yaml', 'rules.yaml\nconfig: config.yaml')
    .replace('watch: w', `watch: ${id}`);
  const { runs } = await run(text, { 'rules.yaml': rules, 'config.yaml': CONFIG });
  expect(runs.map(({ broken }) => broken)).toEqual([null]);
  return runs.flatMap(({ sent }) => sent.map(({ message }) => message));
}

async function lineOf(message: Message): Promise<string> {
  const tools = someTools();
  await using sender = log.open({ format: 'text' }, tools);
  await sender.send(aDelivery({ message }), aTry(), never);
  return (tools.printed[0] ?? '').replace(/^\S+ /, '');
}

const USDC = 'kind: balance, of: treasury, token: USDC';
const TOKENS = 'kind: holdings, of: treasury';
const ACME = 'kind: token, token: ACME';
const CALLS = 'kind: internal-transactions, of: vault, direction: to';
const VAULT = 'kind: transactions, of: vault';
const HEAD = 'kind: blocks';
const LOW = 'treasury-usdc: id: low, while: balance < 1_000_000, until: balance > 1_050_000, severity: critical';
const LARGE = 'vault-transactions: id: large, on: new, if: status == "ok" && value > 100';
const FAILED = 'vault-calls: id: call-failed, on: new, if: success == false';
const call = (n: number, more = ''): string =>
  `{ id: c${n}, transaction_hash: '0x0346${String(n).padStart(56, '0')}8120', block_number: ${14_035_096 + n}, timestamp: -${9 - n}s, success: false, from: '${SENDER}'${more} }`;
const tx = (value: number, more = 'status: ok, block_number: 1000'): string =>
  `{ hash: '${TX}', from: vault, to: '${SENDER}', value: ${value}, ${more} }`;

const word = (digits: string): string => digits.padStart(64, '0');
/** `execute(address target, uint256 value, bytes data)` with `pause()` of the vault. */
const EXECUTE = `0xb61d27f6${word('ca55518df8a55440f3834ce64d573aba5e458550')}${word('')}${word('60')}${word('4')}${'8456cb59'.padEnd(64, '0')}`;

const STORIES: Readonly<Record<string, Story>> = {
  'balance, firing': {
    watch: USDC,
    alert: LOW,
    saw: ['{ at: 0s, balance: 1_090_237 }', '{ at: 1m, balance: 970_030 }'],
    reads: [
      '[CRITICAL] treasury USDC 970,030, below 1,000,000',
      'Fell 120,207 since the last poll. Clears above 1,050,000. ethereum, 00:01 UTC.',
    ],
    log: 'CRITICAL treasury-usdc/low FIRING treasury USDC 970,030, below 1,000,000 - Fell 120,207 since the last poll. Clears above 1,050,000. ethereum, 00:01 UTC.',
  },
  'balance, resolved': {
    watch: USDC,
    alert: LOW,
    saw: ['{ at: 0s, balance: 1_090_237 }', '{ at: 1m, balance: 970_030 }', '{ at: 89s, balance: 1_120_423 }'],
    reads: [
      '[RESOLVED after 29s] treasury USDC 1,120,423, above 1,050,000',
      'When it fired: 970,030.',
      'ethereum, 00:01 UTC.',
    ],
    log: 'CRITICAL treasury-usdc/low RESOLVED treasury USDC 1,120,423, above 1,050,000 - When it fired: 970,030. ethereum, 00:01 UTC. (after 29s)',
  },
  'balance, resolved without `until`': {
    watch: USDC,
    alert: 'treasury-usdc: id: low, while: balance < 1_000_000',
    saw: ['{ at: 0s, balance: 970_030 }', '{ at: 29s, balance: 1_000_000 }'],
    reads: [
      '[RESOLVED after 29s] treasury USDC 1,000,000, at or above 1,000,000',
      'When it fired: 970,030.',
      'ethereum, 00:00 UTC.',
    ],
    log: 'WARNING treasury-usdc/low RESOLVED treasury USDC 1,000,000, at or above 1,000,000 - When it fired: 970,030. ethereum, 00:00 UTC. (after 29s)',
  },
  'balance, changed': {
    watch: USDC,
    alert: 'treasury-usdc: id: moved, on: changed, severity: info',
    saw: ['{ at: 0s, balance: 1_090_237 }', '{ at: 1m, balance: 970_030 }'],
    reads: ['[INFO] treasury USDC 970,030, was 1,090,237', 'Fell 120,207 since the last poll.'],
    log: 'INFO treasury-usdc/moved EVENT treasury USDC 970,030, was 1,090,237 - Fell 120,207 since the last poll.',
  },
  'balance, window': {
    watch: USDC,
    alert: 'treasury-usdc: id: draining, while: change("10m") < percent("-20")',
    saw: ['{ at: 0s, balance: 1_250_040 }', '{ at: 2m, balance: 1_250_040 }', '{ at: 10m, balance: 970_030 }'],
    reads: ['[WARNING] treasury USDC fell 22.4 % in 10 min (limit 20 %)', '970,030 now, 1,250,040 ten minutes ago.'],
    log: 'WARNING treasury-usdc/draining FIRING treasury USDC fell 22.4 % in 10 min (limit 20 %) - 970,030 now, 1,250,040 ten minutes ago.',
  },
  'balance of the coin, a hair below': {
    watch: 'kind: balance, of: treasury',
    alert: 'coins: id: empty, while: balance < 0.05',
    saw: ['{ at: 0s, balance: 1 }', '{ at: 1m, balance: 0.049999999999999999 }'],
    reads: ['[WARNING] treasury coin 0.05, just below 0.05', 'Fell 0.95 since the last poll. ethereum, 00:01 UTC.'],
    log: 'WARNING coins/empty FIRING treasury coin 0.05, just below 0.05 - Fell 0.95 since the last poll. ethereum, 00:01 UTC.',
  },
  'balance, several parts': {
    watch: USDC,
    alert: 'treasury-usdc: id: odd, while: balance < 1_000_000 && exchange_rate < 0.98',
    saw: ['{ at: 0s, balance: 1_090_237, exchange_rate: 1 }', '{ at: 1m, balance: 970_030, exchange_rate: 0.9712 }'],
    reads: [
      '[WARNING] treasury USDC 970,030, below 1,000,000',
      'balance 970,030, exchange rate 0.9712. ethereum, 00:01 UTC.',
    ],
    log: 'WARNING treasury-usdc/odd FIRING treasury USDC 970,030, below 1,000,000 - balance 970,030, exchange rate 0.9712. ethereum, 00:01 UTC.',
  },
  'balance in dollars': {
    watch: USDC,
    alert: 'treasury-usdc: id: low, while: balance_usd < 1_000_000, until: balance_usd > 1_050_000',
    saw: [
      '{ at: 0s, balance: 1_090_237, exchange_rate: 0.9996 }',
      '{ at: 1m, balance: 970_030.25, exchange_rate: 0.9712 }',
    ],
    reads: [
      '[WARNING] treasury USDC $942,093, below $1,000,000',
      'Clears above $1,050,000. ethereum, 00:01 UTC.',
      'Price $0.9712 as the explorer shows it.',
    ],
    log: 'WARNING treasury-usdc/low FIRING treasury USDC $942,093, below $1,000,000 - Clears above $1,050,000. ethereum, 00:01 UTC. Price $0.9712 as the explorer shows it.',
  },
  'balance in dollars, at an old price': {
    watch: USDC,
    alert: 'treasury-usdc: id: low, while: balance_usd < 1_000',
    saw: [
      '{ at: 0s, balance: 2_000, exchange_rate: 0.9 }',
      '{ at: 1h, balance: 2_000, exchange_rate: 0.99 }',
      '{ at: 2h, balance: 2_000, exchange_rate: null }',
      '{ at: 27h30m, balance: 1_000, exchange_rate: 0.99 }',
    ],
    reads: [
      '[WARNING] treasury USDC $990, below $1,000',
      'ethereum, 03:30 UTC.',
      'Price $0.99 as the explorer shows it. Price unchanged for 26 h.',
    ],
    log: 'WARNING treasury-usdc/low FIRING treasury USDC $990, below $1,000 - ethereum, 03:30 UTC. Price $0.99 as the explorer shows it. Price unchanged for 26 h.',
  },
  'balance in dollars, at a price that never moved': {
    watch: USDC,
    alert: 'treasury-usdc: id: low, while: balance_usd < 1_000',
    saw: ['{ at: 0s, balance: 2_000, exchange_rate: 1 }', '{ at: 27h, balance: 900, exchange_rate: 1 }'],
    reads: ['[WARNING] treasury USDC $900, below $1,000', 'ethereum, 03:00 UTC.', 'Price $1 as the explorer shows it.'],
    log: 'WARNING treasury-usdc/low FIRING treasury USDC $900, below $1,000 - ethereum, 03:00 UTC. Price $1 as the explorer shows it.',
  },
  'balance in dollars, resolved': {
    watch: USDC,
    alert: 'treasury-usdc: id: low, while: balance_usd < 1_000',
    saw: ['{ at: 0s, balance: 999, exchange_rate: 1.0001 }', '{ at: 1m, balance: 2_000, exchange_rate: 1.0001 }'],
    reads: [
      '[RESOLVED after 1m] treasury USDC $2,000, at or above $1,000',
      'When it fired: $999.10.',
      'ethereum, 00:01 UTC.',
      'Price $1.0001 as the explorer shows it.',
    ],
    log: 'WARNING treasury-usdc/low RESOLVED treasury USDC $2,000, at or above $1,000 - When it fired: $999.10. ethereum, 00:01 UTC. Price $1.0001 as the explorer shows it. (after 1m)',
  },
  'balance in dollars, window': {
    watch: USDC,
    alert: `treasury-usdc: id: draining, while: 'delta(balance_usd, "10m") < -100_000'`,
    saw: ['{ at: 0s, balance: 1_000_000, exchange_rate: 1 }', '{ at: 10m, balance: 800_000, exchange_rate: 1 }'],
    reads: [
      '[WARNING] treasury USDC fell $200,000 in 10 min (limit $100,000)',
      '$800,000 now, $1,000,000 ten minutes ago.',
      'Price $1 as the explorer shows it.',
    ],
    log: 'WARNING treasury-usdc/draining FIRING treasury USDC fell $200,000 in 10 min (limit $100,000) - $800,000 now, $1,000,000 ten minutes ago. Price $1 as the explorer shows it.',
  },
  'holdings, added, in dollars': {
    watch: TOKENS,
    alert: 'treasury-tokens: id: arrived, on: added, if: balance_usd > 1_000',
    saw: [
      '{ at: 0s, holdings: [{ token: USDC, balance: 1 }] }',
      `{ at: 1m, holdings: [{ token: USDC, balance: 1 }, { token: { address_hash: '${TOKEN}', symbol: ACME, exchange_rate: 1.5 }, balance: 8000 }] }`,
    ],
    reads: [
      '[WARNING] treasury received token 0x9f2e…41c7, $12,000, above $1,000',
      'Symbol given: "ACME". Contract 0x9f2e…41c7. Balance 8,000.',
      'Price $1.5 as the explorer shows it.',
    ],
    log: 'WARNING treasury-tokens/arrived EVENT treasury received token 0x9f2e…41c7, $12,000, above $1,000 - Symbol given: "ACME". Contract 0x9f2e…41c7. Balance 8,000. Price $1.5 as the explorer shows it.',
  },
  'holdings, total': {
    watch: TOKENS,
    alert: 'treasury-tokens: id: low, while: total_usd < 1_000_000',
    saw: [
      `{ at: 0s, holdings: [{ token: { address_hash: USDC, exchange_rate: 1 }, balance: 900_000 }, { token: { address_hash: ACME, exchange_rate: 2 }, balance: 100_000.25 }] }`,
      `{ at: 1m, holdings: [{ token: { address_hash: USDC, exchange_rate: 1 }, balance: 700_000 }, { token: { address_hash: ACME, exchange_rate: 2 }, balance: 100_000.25 }] }`,
    ],
    reads: ['[WARNING] treasury tokens $900,001, below $1,000,000', 'ethereum, 00:01 UTC.'],
    log: 'WARNING treasury-tokens/low FIRING treasury tokens $900,001, below $1,000,000 - ethereum, 00:01 UTC.',
  },
  'holdings, a token without a price': {
    watch: TOKENS,
    alert: 'treasury-tokens: id: unpriced, while: unpriced > 0',
    saw: [`{ at: 0s, holdings: [{ token: { address_hash: '${TOKEN}' }, balance: 900_000 }] }`],
    reads: ['[WARNING] treasury tokens without a price 1, above 0', 'ethereum, 00:00 UTC.'],
    log: 'WARNING treasury-tokens/unpriced FIRING treasury tokens without a price 1, above 0 - ethereum, 00:00 UTC.',
  },
  'holdings, added': {
    watch: TOKENS,
    alert: 'treasury-tokens: id: scam-arrived, on: added, if: token.reputation == "scam"',
    saw: [
      '{ at: 0s, holdings: [{ token: USDC, balance: 1 }] }',
      `{ at: 1m, holdings: [{ token: USDC, balance: 1 }, { token: { address_hash: '${TOKEN}', symbol: 'claim-"usdt".com', reputation: scam }, balance: 8000 }] }`,
    ],
    reads: [
      '[WARNING] treasury received a token with reputation scam',
      'Symbol given: "claim-\'usdt\'[.]com". Contract 0x9f2e…41c7. Balance 8,000.',
    ],
    log: 'WARNING treasury-tokens/scam-arrived EVENT treasury received a token with reputation scam - Symbol given: "claim-\'usdt\'[.]com". Contract 0x9f2e…41c7. Balance 8,000.',
  },
  'holdings, changed': {
    watch: TOKENS,
    alert: 'treasury-tokens: id: turned-scam, on: changed, if: token.reputation == "scam"',
    saw: [
      `{ at: 0s, holdings: [{ token: { address_hash: '${TOKEN}', reputation: ok }, balance: 8000 }] }`,
      `{ at: 1m, holdings: [{ token: { address_hash: '${TOKEN}', reputation: scam }, balance: 8000 }] }`,
    ],
    reads: ['[WARNING] treasury token 0x9f2e…41c7: reputation scam, was ok', 'Contract 0x9f2e…41c7. Balance 8,000.'],
    log: 'WARNING treasury-tokens/turned-scam EVENT treasury token 0x9f2e…41c7: reputation scam, was ok - Contract 0x9f2e…41c7. Balance 8,000.',
  },
  'holdings, removed': {
    watch: TOKENS,
    alert: 'treasury-tokens: id: gone, on: removed, severity: info',
    saw: [
      '{ at: 0s, holdings: [{ token: USDC, balance: 1 }, { token: ACME, balance: 1200 }] }',
      '{ at: 1m, holdings: [{ token: USDC, balance: 1 }] }',
    ],
    reads: ['[INFO] treasury no longer holds ACME', 'Last poll: 1,200.'],
    log: 'INFO treasury-tokens/gone EVENT treasury no longer holds ACME - Last poll: 1,200.',
  },
  'token, changed': {
    watch: ACME,
    alert: 'our-token: id: supply-changed, on: changed, if: total_supply != before.total_supply',
    saw: ['{ at: 0s, total_supply: 1_000_000 }', '{ at: 1m, total_supply: 1_000_500 }'],
    reads: ['[WARNING] ACME total supply 1,000,500, was 1,000,000', 'Rose 500 since the last poll.'],
    log: 'WARNING our-token/supply-changed EVENT ACME total supply 1,000,500, was 1,000,000 - Rose 500 since the last poll.',
  },
  'token, another name': {
    watch: ACME,
    alert: 'our-token: id: renamed, on: changed, if: name != before.name',
    saw: ['{ at: 0s, name: Acme }', '{ at: 1m, name: "evil.com" }'],
    reads: ['[WARNING] ACME name changed', 'Now "evil[.]com". Last poll "Acme".'],
    log: 'WARNING our-token/renamed EVENT ACME name changed - Now "evil[.]com". Last poll "Acme".',
  },
  'token, firing': {
    watch: ACME,
    alert: 'our-token: id: flagged, while: reputation == "scam", severity: critical',
    saw: ['{ at: 0s, reputation: ok }', '{ at: 1m, reputation: scam }'],
    reads: ['[CRITICAL] ACME reputation is scam', 'Last poll: ok.'],
    log: 'CRITICAL our-token/flagged FIRING ACME reputation is scam - Last poll: ok.',
  },
  'transactions, new': {
    watch: VAULT,
    alert: LARGE,
    saw: ['{ at: 0s, items: [] }', `{ at: 1m, items: [${tx(250, 'status: ok, block_number: 14_035_098')}] }`],
    reads: ['[WARNING] vault sent 250 coin, above 100', 'vault to 0x3c54…b3ab, block 14,035,098, tx 0x0346…8120.'],
    log: 'WARNING vault-transactions/large EVENT vault sent 250 coin, above 100 - vault to 0x3c54…b3ab, block 14,035,098, tx 0x0346…8120.',
  },
  'transactions, failed': {
    watch: VAULT,
    alert: 'vault-transactions: id: reverted, on: new, if: status == "error"',
    saw: ['{ at: 0s, items: [] }', `{ at: 1m, items: [${tx(0, 'status: error, block_number: 1000')}] }`],
    reads: [
      '[WARNING] Transaction from vault failed',
      'No reason given. vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.',
    ],
    log: 'WARNING vault-transactions/reverted EVENT Transaction from vault failed - No reason given. vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.',
  },
  'transactions, a call that is told to make another one': {
    watch: VAULT,
    alert: 'vault-transactions: id: any, on: new, if: status == "ok"',
    saw: [
      '{ at: 0s, items: [] }',
      `{ at: 1m, items: [${tx(0, `status: ok, block_number: 1000, raw_input: '${EXECUTE}'`)}] }`,
    ],
    reads: [
      '[WARNING] vault called execute on 0x3c54…b3ab',
      'Written in the call data: pause on vault.',
      'vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.',
    ],
    log: 'WARNING vault-transactions/any EVENT vault called execute on 0x3c54…b3ab - Written in the call data: pause on vault. vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.',
  },
  'transactions, mined': {
    watch: VAULT,
    alert: 'vault-transactions: id: mined, on: mined, severity: info',
    saw: [
      `{ at: 0s, items: [{ hash: '${TX}', from: '${SENDER}', to: vault }] }`,
      `{ at: 1m, items: [{ hash: '${TX}', from: '${SENDER}', to: vault, status: ok, block_number: 14_035_098 }] }`,
    ],
    reads: ['[INFO] Transaction to vault was mined', 'Status ok. Block 14,035,098, tx 0x0346…8120.'],
    log: 'INFO vault-transactions/mined EVENT Transaction to vault was mined - Status ok. Block 14,035,098, tx 0x0346…8120.',
  },
  'internal-transactions, new': {
    watch: CALLS,
    alert: FAILED,
    saw: ['{ at: 0s, items: [] }', `{ at: 1m, items: [${call(2, ', error: "stack underflow"')}] }`],
    reads: [
      '[WARNING] Call to vault failed',
      'Reason given: "stack underflow". 0x3c54…b3ab to vault, block 14,035,098, tx 0x0346…8120.',
    ],
    log: 'WARNING vault-calls/call-failed EVENT Call to vault failed - Reason given: "stack underflow". 0x3c54…b3ab to vault, block 14,035,098, tx 0x0346…8120.',
  },
  'internal-transactions, without a reason': {
    watch: CALLS,
    alert: FAILED,
    saw: ['{ at: 0s, items: [] }', `{ at: 1m, items: [${call(2)}] }`],
    reads: [
      '[WARNING] Call to vault failed',
      'No reason given. 0x3c54…b3ab to vault, block 14,035,098, tx 0x0346…8120.',
    ],
    log: 'WARNING vault-calls/call-failed EVENT Call to vault failed - No reason given. 0x3c54…b3ab to vault, block 14,035,098, tx 0x0346…8120.',
  },
  'count, firing': {
    watch: CALLS,
    alert:
      'vault-calls: id: many-failures, on: new, if: success == false, at_least: { count: 3, within: 10m }, per: from.hash, severity: critical',
    saw: ['{ at: 0s, items: [] }', `{ at: 1m, items: [${call(3)}, ${call(2)}, ${call(1)}] }`],
    reads: [
      '[CRITICAL] 3 failed vault calls in 10 min from 0x3c54…b3ab',
      'Block 14,035,099, tx 0x0346…8120, 00:00 UTC.',
      'Block 14,035,098, tx 0x0346…8120, 00:00 UTC.',
      'Block 14,035,097, tx 0x0346…8120, 00:00 UTC.',
    ],
    log: 'CRITICAL vault-calls/many-failures FIRING 3 failed vault calls in 10 min from 0x3c54…b3ab - Block 14,035,099, tx 0x0346…8120, 00:00 UTC. Block 14,035,098, tx 0x0346…8120, 00:00 UTC. Block 14,035,097, tx 0x0346…8120, 00:00 UTC.',
  },
  'count, resolved': {
    watch: CALLS,
    alert: 'vault-calls: id: many-failures, on: new, if: success == false, at_least: { count: 2, within: 10m }',
    saw: [
      '{ at: 0s, items: [] }',
      `{ at: 1m, items: [${call(2)}, ${call(1)}] }`,
      `{ at: 11m, items: [${call(2)}, ${call(1)}] }`,
    ],
    reads: ['[RESOLVED after 10m] no failed vault calls in 10 min', 'When it fired: 2.'],
    log: 'WARNING vault-calls/many-failures RESOLVED no failed vault calls in 10 min - When it fired: 2. (after 10m)',
  },
  'none for, firing': {
    watch: CALLS,
    alert: 'vault-calls: id: quiet, on: new, none_for: 6h, severity: info',
    saw: [
      '{ at: 0s, items: [] }',
      `{ at: 1m, items: [${call(2, ', success: true').replace('success: false, ', '')}] }`,
      '{ at: 361m, items: [] }',
    ],
    reads: ['[INFO] no call to vault for 6 h', 'Last one at 00:00 UTC.'],
    log: 'INFO vault-calls/quiet FIRING no call to vault for 6 h - Last one at 00:00 UTC.',
  },
  'none for, of what a condition asks for': {
    watch: CALLS,
    alert: 'vault-calls: id: quiet, on: new, if: value > 1, none_for: 6h, severity: info',
    saw: ['{ at: 0s, items: [] }', '{ at: 361m, items: [] }'],
    reads: [
      '[INFO] no call to vault with value above 1 for 6 h',
      'None since it is watched. No other vault call since.',
    ],
    log: 'INFO vault-calls/quiet FIRING no call to vault with value above 1 for 6 h - None since it is watched. No other vault call since.',
  },
  'none for, and what was there': {
    watch: 'kind: transactions, of: vault',
    alert: 'vault-deposits: id: silent, on: new, if: status == "ok" && method == "deposit", none_for: 6h',
    saw: [
      '{ at: 0m, items: [] }',
      '{ at: 60m, items: [{ id: a, status: ok, method: deposit, timestamp: 0s }, { id: b, status: ok, method: swap, timestamp: -30m }] }',
      '{ at: 180m, items: [{ id: c, status: error, method: deposit, timestamp: 0s }] }',
      '{ at: 360m, items: [{ id: d, status: ok, method: swap, timestamp: 0s }, { id: e, status: ok, method: swap, timestamp: -30m }] }',
      '{ at: 420m, items: [] }',
    ],
    reads: [
      '[WARNING] no successful transaction of vault that the explorer names deposit for 6 h',
      'Last one at 01:00 UTC. 3 other vault transactions since, the newest at 06:00 UTC.',
    ],
    log: 'WARNING vault-deposits/silent FIRING no successful transaction of vault that the explorer names deposit for 6 h - Last one at 01:00 UTC. 3 other vault transactions since, the newest at 06:00 UTC.',
  },
  'none for, and what the baseline had': {
    watch: CALLS,
    alert: 'vault-calls: id: quiet, on: new, if: success == true, none_for: 10m',
    saw: [
      '{ at: 30m, items: [{ id: b, success: false, timestamp: -5m }, { id: a, success: true, timestamp: -20m }] }',
      '{ at: 31m, items: [{ id: b, success: false, timestamp: -6m }] }',
    ],
    reads: [
      '[WARNING] no successful call to vault for 10 min',
      'Last one at 00:10 UTC. 1 other vault call since, at 00:25 UTC.',
    ],
    log: 'WARNING vault-calls/quiet FIRING no successful call to vault for 10 min - Last one at 00:10 UTC. 1 other vault call since, at 00:25 UTC.',
  },
  'calls in a row, with the reasons of failures': {
    watch: CALLS,
    alert: 'vault-calls: id: row, on: new, if: success == false, at_least: { in_a_row: 3 }',
    saw: [
      '{ at: 0s, items: [] }',
      `{ at: 1m, items: [${call(4)}, ${call(3, ', error: Paused')}, ${call(2, ', error: Paused')}, ${call(1, ', error: early').replace('false', 'true')}] }`,
    ],
    reads: [
      '[WARNING] 3 failed vault calls in a row',
      'Reasons: "Paused" 2, none given 1.',
      'Block 14,035,100, tx 0x0346…8120, 00:00 UTC.',
      'Block 14,035,099, tx 0x0346…8120, 00:00 UTC.',
      'Block 14,035,098, tx 0x0346…8120, 00:00 UTC.',
    ],
    log: 'WARNING vault-calls/row FIRING 3 failed vault calls in a row - Reasons: "Paused" 2, none given 1. Block 14,035,100, tx 0x0346…8120, 00:00 UTC. Block 14,035,099, tx 0x0346…8120, 00:00 UTC. Block 14,035,098, tx 0x0346…8120, 00:00 UTC.',
  },
  'items in a row, over': {
    watch: HEAD,
    alert: 'head: id: full, on: new, if: gas_used_percentage > 95, at_least: { in_a_row: 2 }',
    saw: [
      '{ at: 0s, items: [{ height: 5, gas_used_percentage: 50 }] }',
      `{ at: 1m, items: [${[8, 7, 6].map((height) => `{ height: ${height}, gas_used_percentage: 99 }`).join(', ')}] }`,
      '{ at: 2m, items: [{ height: 9, gas_used_percentage: 50 }] }',
    ],
    reads: ['[RESOLVED after 1m] no longer 2 blocks in a row with gas used percentage above 95', 'When it fired: 3.'],
    log: 'WARNING head/full RESOLVED no longer 2 blocks in a row with gas used percentage above 95 - When it fired: 3. (after 1m)',
  },
  'count, with the reasons of failures': {
    watch: CALLS,
    alert: 'vault-calls: id: many-failures, on: new, if: success == false, at_least: { count: 4, within: 10m }',
    saw: [
      '{ at: 0s, items: [] }',
      `{ at: 1m, items: [${call(4, ', error: "no \\"liquidity\\" at evil.example"')}, ${call(3)}, ${call(2, ', error: Paused')}, ${call(1, ', error: Paused')}] }`,
    ],
    reads: [
      '[WARNING] 4 failed vault calls in 10 min',
      `Reasons: "Paused" 2, "no 'liquidity' at evil[.]example" 1, none given 1.`,
      'Block 14,035,100, tx 0x0346…8120, 00:00 UTC.',
      'Block 14,035,099, tx 0x0346…8120, 00:00 UTC.',
      'Block 14,035,098, tx 0x0346…8120, 00:00 UTC.',
      'Block 14,035,097, tx 0x0346…8120, 00:00 UTC.',
    ],
    log: `WARNING vault-calls/many-failures FIRING 4 failed vault calls in 10 min - Reasons: "Paused" 2, "no 'liquidity' at evil[.]example" 1, none given 1. Block 14,035,100, tx 0x0346…8120, 00:00 UTC. Block 14,035,099, tx 0x0346…8120, 00:00 UTC. Block 14,035,098, tx 0x0346…8120, 00:00 UTC. Block 14,035,097, tx 0x0346…8120, 00:00 UTC.`,
  },
  'count, of all, the newest of which failed': {
    watch: CALLS,
    alert: 'vault-calls: id: busy, on: new, at_least: { count: 2, within: 10m }',
    saw: ['{ at: 0s, items: [] }', `{ at: 1m, items: [${call(2)}, ${call(1).replace('false', 'true')}] }`],
    reads: [
      '[WARNING] 2 vault calls in 10 min',
      'Block 14,035,098, tx 0x0346…8120, 00:00 UTC.',
      'Block 14,035,097, tx 0x0346…8120, 00:00 UTC.',
    ],
    log: 'WARNING vault-calls/busy FIRING 2 vault calls in 10 min - Block 14,035,098, tx 0x0346…8120, 00:00 UTC. Block 14,035,097, tx 0x0346…8120, 00:00 UTC.',
  },
  'blocks, firing': {
    watch: HEAD,
    alert: 'head: id: stalled, while: age > duration("5s"), severity: critical',
    saw: ['{ at: 0s, items: [{ height: 14_035_134, timestamp: -9s }] }'],
    reads: ['[CRITICAL] ethereum: no block for 9 s (limit 5 s)', 'Last 14,035,134 at 2025-12-31 23:59:51 UTC.'],
    log: 'CRITICAL head/stalled FIRING ethereum: no block for 9 s (limit 5 s) - Last 14,035,134 at 2025-12-31 23:59:51 UTC.',
  },
  'blocks, resolved': {
    watch: HEAD,
    alert: 'head: id: stalled, while: age > duration("5s"), severity: critical',
    saw: [
      '{ at: 0s, items: [{ height: 14_035_134, timestamp: -9s }] }',
      '{ at: 40s, items: [{ height: 14_035_135, timestamp: -1s }] }',
    ],
    reads: [
      '[RESOLVED after 40s] ethereum: new block 14,035,135',
      'When it fired: ethereum: no block for 9 s (limit 5 s).',
      'Made at 00:00:39 UTC.',
    ],
    log: 'CRITICAL head/stalled RESOLVED ethereum: new block 14,035,135 - When it fired: ethereum: no block for 9 s (limit 5 s). Made at 00:00:39 UTC. (after 40s)',
  },
  'blocks, window': {
    watch: HEAD,
    alert: 'head: id: slow, while: delta("2m") < 5',
    saw: [
      '{ at: 0s, items: [{ height: 100, timestamp: -1s }] }',
      '{ at: 1m, items: [{ height: 101, timestamp: -1s }] }',
      '{ at: 2m, items: [{ height: 103, timestamp: -1s }] }',
    ],
    reads: ['[WARNING] ethereum head height rose 3 in 2 min (limit 5)', '103 now, 100 two minutes ago.'],
    log: 'WARNING head/slow FIRING ethereum head height rose 3 in 2 min (limit 5) - 103 now, 100 two minutes ago.',
  },
  'blocks, new': {
    watch: HEAD,
    alert: 'head: id: every-tenth, on: new, if: height % 10 == 0, severity: info',
    saw: [
      '{ at: 0s, items: [{ height: 14_035_129 }] }',
      '{ at: 1m, items: [{ height: 14_035_130, timestamp: -20s, transactions_count: 182 }] }',
    ],
    reads: ['[INFO] block 14,035,130', '00:00:40 UTC, 182 transactions.'],
    log: 'INFO head/every-tenth EVENT block 14,035,130 - 00:00:40 UTC, 182 transactions.',
  },
  'blocks, of a condition': {
    watch: HEAD,
    alert: 'head: id: full, on: new, if: gas_used_percentage > 95 && base_fee_per_gas > 10 && block.type == "block"',
    saw: [
      '{ at: 0s, items: [] }',
      '{ at: 1m, items: [{ height: 14_035_130, timestamp: -20s, gas_used_percentage: 97.2, base_fee_per_gas: 31, type: block }] }',
    ],
    reads: [
      '[WARNING] block 14,035,130, gas used percentage 97.2, above 95',
      '00:00:40 UTC.',
      'Matched: base fee per gas 31 gwei (above 10), type block.',
    ],
    log: 'WARNING head/full EVENT block 14,035,130, gas used percentage 97.2, above 95 - 00:00:40 UTC. Matched: base fee per gas 31 gwei (above 10), type block.',
  },
  'transaction, of a text': {
    watch: VAULT,
    alert:
      'vault-transactions: id: claims, on: new, if: method.contains("claim") && status == "ok" && value > 100 && nonce < 5',
    saw: [
      '{ at: 0s, items: [] }',
      `{ at: 1m, items: [${tx(250).replace('value', 'method: \'claim"now".com\', nonce: 3, value')}] }`,
    ],
    reads: [
      '[WARNING] vault sent 250 coin, above 100',
      'vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.',
      'Matched: method "claim\'now\'[.]com", nonce 3 (below 5).',
    ],
    log: 'WARNING vault-transactions/claims EVENT vault sent 250 coin, above 100 - vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120. Matched: method "claim\'now\'[.]com", nonce 3 (below 5).',
  },
  'transaction, of a choice': {
    watch: VAULT,
    alert: 'vault-transactions: id: odd, on: new, if: nonce < 5 || gas_used > 100_000',
    saw: ['{ at: 0s, items: [] }', `{ at: 1m, items: [${tx(250).replace('value', 'nonce: 3, value')}] }`],
    reads: ['[WARNING] vault sent 250 coin', 'vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.', 'Matched: nonce 3.'],
    log: 'WARNING vault-transactions/odd EVENT vault sent 250 coin - vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120. Matched: nonce 3.',
  },
  'balance, changed, with a limit': {
    watch: USDC,
    alert: 'treasury-usdc: id: moved, on: changed, if: balance < 1_000_000',
    saw: ['{ at: 0s, balance: 1_090_237 }', '{ at: 1m, balance: 970_030 }'],
    reads: ['[WARNING] treasury USDC 970,030, below 1,000,000, was 1,090,237', 'Fell 120,207 since the last poll.'],
    log: 'WARNING treasury-usdc/moved EVENT treasury USDC 970,030, below 1,000,000, was 1,090,237 - Fell 120,207 since the last poll.',
  },
  'blocks, reorg': {
    watch: HEAD,
    alert: 'head: id: reorg, on: reorg, if: depth > 1',
    saw: [
      `{ at: 0s, items: [{ height: 14_035_132, hash: '0x77${'0'.repeat(58)}01d2' }, { height: 14_035_131, hash: '0x88ab${'0'.repeat(56)}01d2' }] }`,
      `{ at: 1m, items: [{ height: 14_035_132, hash: '0x66${'0'.repeat(58)}7c30' }, { height: 14_035_131, hash: '0x91fe${'0'.repeat(56)}7c30' }] }`,
    ],
    reads: ['[WARNING] 2 blocks, above 1, replaced from 14,035,131', 'Old 0x88ab…01d2, new 0x91fe…7c30.'],
    log: 'WARNING head/reorg EVENT 2 blocks, above 1, replaced from 14,035,131 - Old 0x88ab…01d2, new 0x91fe…7c30.',
  },
  'any, retracted': {
    watch: VAULT,
    alert: `${LARGE}, title: Large transfer from vault`,
    saw: [
      '{ at: 0s, items: [] }',
      `{ at: 1m, items: [${tx(250)}] }`,
      ...[2, 3, 4, 5].map(
        (n) => `{ at: ${n}m, head: { height: 1010 }, items: [{ id: below, status: ok, block_number: 990 }] }`,
      ),
    ],
    reads: ['[RETRACTED] Large transfer from vault: not found any more', 'Sent at 00:01 UTC.'],
    log: 'WARNING vault-transactions/large RETRACTED Large transfer from vault: not found any more - Sent at 00:01 UTC.',
  },
  'any, corrected': {
    watch: VAULT,
    alert: LARGE,
    saw: ['{ at: 0s, items: [] }', `{ at: 1m, items: [${tx(250)}] }`, `{ at: 2m, items: [${tx(240)}] }`],
    reads: [
      '[CORRECTED] vault sent 240 coin, above 100',
      'Before: 250. Now: 240.',
      'vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.',
    ],
    log: 'WARNING vault-transactions/large CORRECTED vault sent 240 coin, above 100 - Before: 250. Now: 240. vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.',
  },
  'any, corrected in what no amount shows': {
    watch: VAULT,
    alert: 'vault-transactions: id: any, on: new',
    saw: [
      '{ at: 0s, items: [] }',
      `{ at: 1m, items: [${tx(250)}] }`,
      `{ at: 2m, items: [${tx(250).replace('status: ok', 'status: error')}] }`,
    ],
    reads: [
      '[CORRECTED] Transaction from vault failed',
      'Before: successful. Now: failed.',
      'No reason given. vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.',
    ],
    log: 'WARNING vault-transactions/any CORRECTED Transaction from vault failed - Before: successful. Now: failed. No reason given. vault to 0x3c54…b3ab, block 1,000, tx 0x0346…8120.',
  },
  'a title of the rule, and its text': {
    watch: USDC,
    alert: `${LOW}, title: The treasury runs dry, text: 'Call {{ address | short }}, {{ balance }} left.', runbook: 'https://wiki.example/dry#now'`,
    saw: ['{ at: 0s, balance: 1_090_237 }', '{ at: 1m, balance: 970_030.123456789 }'],
    reads: [
      '[CRITICAL] The treasury runs dry: 970,030.12, below 1,000,000',
      'Fell 120,206.88 since the last poll. Clears above 1,050,000. ethereum, 00:01 UTC.',
    ],
    log: 'CRITICAL treasury-usdc/low FIRING The treasury runs dry: 970,030.12, below 1,000,000 - Call 0xa14C…0db0, 970,030.123456789 left.',
  },
  'a title that shows a number itself': {
    watch: USDC,
    alert: `${LOW}, title: 'Only {{ balance | rounded }} USDC left'`,
    saw: ['{ at: 0s, balance: 1_090_237 }', '{ at: 1m, balance: 970_030 }'],
    reads: [
      '[CRITICAL] Only 970,030 USDC left',
      'Fell 120,207 since the last poll. Clears above 1,050,000. ethereum, 00:01 UTC.',
    ],
    log: 'CRITICAL treasury-usdc/low FIRING Only 970,030 USDC left - Fell 120,207 since the last poll. Clears above 1,050,000. ethereum, 00:01 UTC.',
  },
  'a word that the field is not known to have': {
    watch: ACME,
    alert: 'our-token: id: flagged, while: token.type != "ERC-20"',
    saw: ['{ at: 0s, type: ERC-20 }', '{ at: 1m, type: claim now }'],
    reads: ['[WARNING] ACME type is other'],
    log: 'WARNING our-token/flagged FIRING ACME type is other',
  },
};

test('a range over a change of the clocks names both offsets', () => {
  const [summer, winter] = [Date.parse('2026-10-25T00:50:00Z'), Date.parse('2026-10-25T01:10:00Z')];
  const moment = { now: winter, zone: 'Europe/Berlin' };
  expect(showRange(summer, winter, moment)).toBe('02:50 CEST–02:10 CET');
  expect(showRange(summer, summer + 60_000, moment)).toBe('02:50–02:51 CEST');
});

describe('the subject, the first lines and the log line', () => {
  test.each(Object.entries(STORIES))('of %s', async (_name, story) => {
    const message = (await messagesOf(story)).at(-1);
    if (message === undefined) throw new Error('nothing was told');
    const { headline, lead } = toLines(aDelivery({ message }), aTry());
    expect([headline, ...lead.map(({ text }) => text)]).toEqual(story.reads);
    expect(await lineOf(message)).toBe(story.log);
  });
});

test('the runbook is the first link, the explorer’s page follows', async () => {
  const story = STORIES['a title of the rule, and its text'];
  const [message] = story === undefined ? [] : await messagesOf(story);
  expect(message === undefined ? [] : toLines(aDelivery({ message }), aTry()).links).toEqual([
    { label: 'Runbook', url: 'https://wiki.example/dry#now' },
    { label: 'Address', url: 'https://pages.example/address/0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0' },
  ]);
});

test('items that were counted are linked, the newest first', async () => {
  const story = STORIES['count, firing'];
  const [message] = story === undefined ? [] : await messagesOf(story);
  expect(message?.links).toEqual(
    [3, 2, 1].map((n) => `https://pages.example/tx/0x0346${String(n).padStart(56, '0')}8120?tab=internal`),
  );
});

test('of more items than are kept a message does not say that there are no more', async () => {
  const calls = Array.from({ length: 120 }, (_, n) => call(1).replace('id: c1', `id: c${n}`));
  const [message] = await messagesOf({
    watch: CALLS,
    alert: 'vault-calls: id: many, on: new, if: success == false, at_least: { count: 2, within: 10m }',
    saw: ['{ at: 0s, items: [] }', `{ at: 1m, items: [${calls.join(', ')}] }`],
  });
  expect(message?.title).toBe('120 or more failed vault calls in 10 min');
});
