// Rule files that are good, from which one thing at a time is broken.
import { pick, type Chance } from './chance.ts';

/** What a kind has, as far as broken conditions need it. */
export interface KindParts {
  readonly kind: string;
  /** Keys beside `id` and `kind`. */
  readonly keys: readonly string[];
  readonly on: string;
  readonly hasWhile: boolean;
  /** Never below zero. */
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
  /** Words of a closed set, with the values that it has. */
  readonly words: readonly (readonly [field: string, ...values: string[]])[];
  readonly addresses: readonly string[];
  readonly bools: readonly string[];
  readonly times: readonly string[];
}

const REPUTATION = ['ok', 'scam'] as const;

export const KINDS: readonly KindParts[] = [
  {
    kind: 'balance',
    keys: ['of: treasury', 'token: USDC'],
    on: 'changed',
    hasWhile: true,
    numbers: ['balance', 'raw', 'decimals', 'before.balance', 'token.total_supply'],
    texts: ['symbol', 'token.name'],
    words: [['token.reputation', ...REPUTATION]],
    addresses: ['address', 'token', 'token.address_hash'],
    bools: ['has(token)'],
    times: [],
  },
  {
    kind: 'holdings',
    keys: ['of: [treasury, hot_wallets]'],
    on: 'added',
    hasWhile: false,
    numbers: ['balance', 'raw', 'token.holders_count'],
    texts: ['token.symbol', 'token_id'],
    words: [['token.reputation', ...REPUTATION]],
    addresses: ['token', 'token_instance.holder_address_hash'],
    bools: ['token_instance.is_unique'],
    times: [],
  },
  {
    kind: 'token',
    keys: ['token: ACME'],
    on: 'changed',
    hasWhile: true,
    numbers: ['total_supply', 'before.total_supply', 'holders_count'],
    texts: ['name', 'symbol'],
    words: [['reputation', ...REPUTATION]],
    addresses: ['address_hash', 'foreign_address'],
    bools: ['has(name)'],
    times: [],
  },
  {
    kind: 'transactions',
    keys: ['of: vault'],
    on: 'new',
    hasWhile: false,
    numbers: ['value', 'gas_used', 'fee.value', 'nonce', 'gas_price'],
    texts: ['method', 'revert_reason', 'to.name'],
    words: [
      ['status', 'ok', 'error'],
      ['fee.type', 'maximum', 'actual'],
      ['to.reputation', ...REPUTATION],
    ],
    addresses: ['from', 'to', 'to.hash', 'created_contract.hash'],
    bools: ['to.is_contract', 'has_error_in_internal_transactions', 'token_transfers_overflow'],
    times: ['timestamp'],
  },
  {
    kind: 'internal-transactions',
    keys: ['of: vault', 'direction: to'],
    on: 'new',
    hasWhile: false,
    numbers: ['value', 'gas_limit', 'block_number', 'index'],
    texts: ['error', 'from.name'],
    words: [['from.reputation', ...REPUTATION]],
    addresses: ['from', 'to.hash', 'created_contract'],
    bools: ['success', 'call.success'],
    times: ['timestamp'],
  },
  {
    kind: 'blocks',
    keys: [],
    on: 'new',
    hasWhile: true,
    numbers: ['height', 'gas_used', 'transactions_count', 'burnt_fees', 'head.height'],
    texts: ['nonce', 'miner.name'],
    words: [['block.type', 'block', 'uncle', 'reorg']],
    addresses: ['miner', 'miner.hash'],
    bools: ['miner.is_contract', 'has(height)'],
    times: ['timestamp', 'head.timestamp'],
  },
];

export interface Written {
  readonly parts: KindParts;
  /** Lines of the watch beside id, kind and alerts. */
  readonly keys?: readonly string[];
  /** Lines of its alert beside its id. */
  readonly alert?: readonly string[];
  readonly id?: string;
}

/** A watch as YAML, two spaces in. */
export function watchText({ parts, keys = parts.keys, alert = [`on: ${parts.on}`], id = 'w' }: Written): string {
  const lines = [`id: ${id}`, `kind: ${parts.kind}`, ...keys, 'alerts:'];
  const alertLines = ['id: a', ...alert].map((line, i) => `${i === 0 ? '      - ' : '        '}${line}`);
  return `${lines.map((line, i) => `${i === 0 ? '  - ' : '    '}${line}`).join('\n')}\n${alertLines.join('\n')}\n`;
}

/** A file with the watch among some that are good. */
export function fileText(chance: Chance, watch: string): string {
  const good = Array.from({ length: chance(4) }, (_, i) => watchText({ parts: pick(chance, KINDS), id: `good-${i}` }));
  const all = good.toSpliced(chance(good.length + 1), 0, watch);
  return `# what is watched\ndefaults: { explorer: ethereum, notify: [ops], every: 1m }\nwatches:\n${all.join('')}`;
}
