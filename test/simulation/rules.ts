// Where the daemon looks. What it is told to watch stands in `scenes/watches.ts`; the references in `reference-rules.ts`
// say the same in plain functions over rows as explorers serve them, without a line of the code under test.
import { CHAIN_ID, TOKENS } from '../../src/sandbox/names.ts';
import { addressOf } from './chain/chain.ts';
import { RPC } from './chain/values.ts';

export const BASE_URL = `https://explorer.example/${CHAIN_ID}`;
export const INTERVAL_MS = 600_000;

/** All questions about events of a contract: what else they ask is their cursor. */
export function eventsOf(contract: string): string {
  return `api?module=logs&action=getLogs&address=${contract.toLowerCase()}`;
}

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
  code: `addresses/${addressOf('vault').toLowerCase()}`,
  moves: listOf('treasury', 'token-transfers'),
  usdc: `tokens/${TOKENS.USDC.toLowerCase()}/transfers`,
  admin: eventsOf(addressOf('vault')),
  approvals: eventsOf(TOKENS.USDC),
  rpc: RPC,
} as const;
