// What the daemon is told to watch, and what the oracle is told about it. Rules as a person writes them; the references
// beside them say the same in plain functions over rows as explorers serve them, without a line of the code under test.
import { CHAIN_ID, TOKENS } from '../../src/sandbox/names.ts';
import { addressOf, REQUESTS_PER_SECOND } from './chain/chain.ts';

const EXPLORER = 'chain';
export const BASE_URL = `https://explorer.example/${CHAIN_ID}`;
export const INTERVAL_MS = 600_000;

export const CONFIG = `
explorers:
  ${EXPLORER}:
    form: multichain
    base_url: 'https://explorer.example'
    chain_id: ${CHAIN_ID}
    api_key: { env: EXPLORER_KEY }
    plan: { requests_per_second: ${REQUESTS_PER_SECOND}, credits: 1_000_000 }
addresses:
  treasury: ${addressOf('treasury')}
  vault: ${addressOf('vault')}
  newcomer: ${addressOf('bridge')}
  busy: ${addressOf('factory')}
  wallet: ${addressOf('hot_wallet')}
tokens: { USDC: ${TOKENS.USDC}, ACME: ${TOKENS.ACME} }
channels:
  hook: { type: program }
  post: { type: people, to: [b@example.com, c@example.com] }
rules: [rules.yaml]
`;

export const PEOPLE = ['post/b@example.com', 'post/c@example.com'];
/** Channel and recipient of everyone who is told. */
export const RECIPIENTS = ['hook/hook', ...PEOPLE];

export const RULES = `
watches:
  - id: vault
    kind: internal-transactions
    of: vault
    every: 10m
    notify: [hook, post]
    alerts:
      - { id: failed, on: new, if: success == false }
      - { id: deep, on: new, if: success == false, confirmations: 12 }
  - id: newcomer
    kind: internal-transactions
    of: newcomer
    every: 10m
    notify: [hook, post]
    alerts: [{ id: call, on: new }]
  - id: busy
    kind: internal-transactions
    of: busy
    every: 10m
    max_pages: 16
    notify: [hook, post]
    alerts: [{ id: failed, on: new, if: success == false }]
  - id: wallet
    kind: transactions
    of: wallet
    every: 10m
    notify: [hook, post]
    alerts:
      - { id: sent, on: new }
      - { id: failed, on: mined, if: 'status == "error"' }
  - id: large
    kind: transactions
    every: 10m
    notify: [hook, post]
    alerts: [{ id: large, on: new, if: value >= 1000 }]
  - id: blocks
    kind: blocks
    every: 10m
    notify: [hook, post]
    alerts:
      - { id: reorg, on: reorg }
      - { id: stalled, while: 'age > duration("30m")' }
  - id: coin
    kind: balance
    of: treasury
    every: 10m
    notify: [hook, post]
    alerts:
      - { id: low, while: balance < 100, until: balance > 120, for: 10m }
      - { id: lowest, while: 'balance < min("2h")' }
  - id: usdc
    kind: balance
    of: treasury
    token: USDC
    every: 10m
    notify: [hook, post]
    alerts: [{ id: low, while: balance < 1_000_000 }]
  - id: tokens
    kind: holdings
    of: treasury
    every: 10m
    notify: [hook, post]
    alerts:
      - { id: arrived, on: added }
      - { id: left, on: removed }
  - id: acme
    kind: token
    token: ACME
    every: 10m
    notify: [hook, post]
    alerts:
      - { id: scam, on: changed, if: 'reputation == "scam"' }
      - { id: cleared, on: changed, if: 'reputation == "ok"' }
`;

const listOf = (party: Parameters<typeof addressOf>[0], list: string): string =>
  `addresses/${addressOf(party).toLowerCase()}/${list}`;

export const PATHS = {
  vault: listOf('vault', 'internal-transactions'),
  newcomer: listOf('bridge', 'internal-transactions'),
  busy: listOf('factory', 'internal-transactions'),
  wallet: listOf('hot_wallet', 'transactions'),
  large: 'transactions',
  blocks: 'blocks',
  coin: `addresses/${addressOf('treasury').toLowerCase()}`,
  tokens: listOf('treasury', 'tokens'),
  acme: `tokens/${TOKENS.ACME.toLowerCase()}`,
} as const;
