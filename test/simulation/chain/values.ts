// The values that contracts answer when they are asked: where each of them is, and how it is written.
import { ADDRESSES, TOKENS } from '../../../src/sandbox/names.ts';

/** The address at which calls are posted. */
export const RPC = 'eth-rpc';

/** The values that the chain changes. Addresses are written in lower case, numbers in decimal digits. */
export const VALUES = {
  owner: { at: { call: 'owner()', selector: '0x8da5cb5b' }, as: 'address' },
  paused: { at: { call: 'paused()', selector: '0x5c975abb' }, as: 'number' },
  assets: { at: { call: 'totalAssets()', selector: '0x01e1d114' }, as: 'number' },
  limit: { at: { slot: wordOf('0x1') }, as: 'number' },
  other_limit: { at: { slot: wordOf('0x2') }, as: 'number' },
  guardian: { at: { slot: wordOf('0x3') }, as: 'address' },
} as const satisfies Readonly<Record<string, Value>>;
export type ValueName = keyof typeof VALUES;

interface Value {
  /** All of the vault. */
  readonly at: { readonly call: string; readonly selector: string } | { readonly slot: string };
  readonly as: Writing;
}

/** `coins`: a number of whole ones. */
export type Writing = 'address' | 'number' | 'coins';

/** As a command sets it. */
export function hexOf(value: string): string {
  return value.startsWith('0x') ? value : `0x${BigInt(value).toString(16)}`;
}

/** As an answer shows it; null for what is no such value. `isExact`: exactly so many words, as functions return them. */
export function valueIn(hex: string, as: Writing, isExact: boolean): string | null {
  if (!(isExact ? /^0x[0-9a-f]{64}$/i : /^0x[0-9a-f]{1,64}$/i).test(hex)) return null;
  if (as === 'address') return `0x${hex.slice(2).padStart(64, '0').slice(24).toLowerCase()}`;
  return as === 'coins' ? wholeCoins(BigInt(hex)) : String(BigInt(hex));
}

const COIN = 10n ** 18n;

/** Exact: the coins of another chain have eighteen decimals. */
function wholeCoins(units: bigint): string {
  const part = String(units % COIN)
    .padStart(18, '0')
    .replace(/0+$/, '');
  return `${units / COIN}${part === '' ? '' : `.${part}`}`;
}

export interface Answered {
  readonly name: string;
  readonly as: Writing;
}

const VAULT = ADDRESSES.vault.toLowerCase();
const USDC = TOKENS.USDC.toLowerCase();

const FUNCTIONS = new Map<string, Answered>([
  ...Object.entries(VALUES).flatMap(([name, { at, as }]): [string, Answered][] =>
    'slot' in at ? [] : [[`${VAULT} ${at.selector}`, { name, as }]],
  ),
  [`${VAULT} 0x18160ddd`, { name: 'shares', as: 'number' }],
  [`${VAULT} 0x07a2d13a`, { name: 'price', as: 'number' }],
  [`${USDC} 0x70a08231`, { name: 'held', as: 'number' }],
  [`${USDC} 0x313ce567`, { name: 'decimals', as: 'number' }],
]);

const SLOTS = new Map<string, Answered>(
  Object.entries(VALUES).flatMap(([name, { at, as }]): [string, Answered][] =>
    'slot' in at ? [[at.slot, { name, as }]] : [],
  ),
);

/** `data`: what the function is called with. */
export function functionAt(to: string, data: string): Answered {
  const name = `${to} ${data.slice(0, 10)}`.toLowerCase();
  return FUNCTIONS.get(name) ?? unknown(name);
}

export function slotAt(slot: string): Answered {
  return SLOTS.get(slot) ?? unknown(slot);
}

/** The coins of one address in the simulation. */
export const COINS: Answered = { name: 'coins', as: 'coins' };

function unknown(what: string): never {
  throw new Error(`nothing in the simulation asks for ${what}`);
}

function wordOf(hex: string): string {
  return `0x${hex.slice(2).padStart(64, '0')}`;
}
