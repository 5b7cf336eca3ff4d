// The balances of the accounts, as plans that give the amount at any height.
import { ADDRESSES, TOKENS } from '../names.ts';
import type { TokenBase } from './catalogue.ts';
import { draw, PURPOSE } from './draw.ts';
import { keyOf, type AddressKey } from './keys.ts';
import { CROWD, phaseOf } from './accounts.ts';
import type { TokenBook } from './tokens.ts';
import { AROUND, FILLING, SELDOM_LOW, type PeriodicAmount } from './periodic-amount.ts';

/** One token, or one piece of a collection, of one holder. */
export interface Position {
  readonly token: TokenBase;
  readonly tokenId: string | null;
  readonly amount: PeriodicAmount;
  /** Set if it is held only in `alive` blocks of every `cycle`; left out = always held. */
  readonly life?: { readonly cycle: number; readonly alive: number };
  readonly isPiece: boolean;
}

/** The treasury's USDC and coins move in the very blocks in which the chain shows a transfer of them. */
export const USDC_STEP = 3;
export const COIN_STEP = 5;

export function usdcPhaseOf(seed: number): number {
  return phaseOf(seed, PURPOSE.balance, USDC_STEP);
}

export function coinPhaseOf(seed: number): number {
  return phaseOf(seed, PURPOSE.balance + 100, COIN_STEP);
}

const COIN = 10n ** 18n;

/** Plans of the well-known addresses, by key. */
export function planPositions(seed: number, tokens: TokenBook): Map<AddressKey, Position[]> {
  return new Map([
    [keyOf(ADDRESSES.treasury), treasuryPositions(seed, tokens)],
    [keyOf(ADDRESSES.vault), vaultPositions(seed, tokens)],
    [keyOf(ADDRESSES.hot_wallet), hotWalletPositions(seed, tokens)],
    [keyOf(ADDRESSES.collector), collectorPositions(seed, tokens)],
  ]);
}

/** Two to five tokens for each account of the crowd. */
export function crowdPositions(seed: number, tokens: TokenBook, number: number): Position[] {
  const fungible = tokens.others.filter(({ type }) => type === 'ERC-20');
  const count = 2 + (draw(seed, PURPOSE.holding, number) % 4);
  const first = draw(seed, PURPOSE.holding, number, 1) % fungible.length;
  return fungible
    .concat(fungible)
    .slice(first, first + count)
    .map((token, place) => steady(seed, token, BigInt(1 + number), 11 + place));
}

function treasuryPositions(seed: number, tokens: TokenBook): Position[] {
  const others = tokens.others.filter(({ type }) => type === 'ERC-20').slice(0, 8);
  const usdc = named(tokens, TOKENS.USDC, 1_000_000n * 1_000_000n, USDC_STEP);
  return [
    { ...usdc, amount: { ...usdc.amount, levels: SELDOM_LOW, phase: usdcPhaseOf(seed) } },
    named(tokens, TOKENS.ACME, 2_500_000n * COIN, 7),
    named(tokens, TOKENS.SPAM, 777n * COIN, 50),
    ...others.map((token, place) => steady(seed, token, BigInt(5 + place), 9 + place)),
    { ...named(tokens, TOKENS.BADGE, 1n), tokenId: '1', isPiece: true },
  ].map((position, place) => (place === 5 ? { ...position, life: { cycle: 60, alive: 40 } } : position));
}

function vaultPositions(seed: number, tokens: TokenBook): Position[] {
  const other = tokens.others.slice(0, 2).map((token) => steady(seed, token, 12n, 8));
  return [named(tokens, TOKENS.USDC, 8_000_000_000_000n, 4), named(tokens, TOKENS.ACME, 40_000n * COIN, 6), ...other];
}

function hotWalletPositions(seed: number, tokens: TokenBook): Position[] {
  const [first] = tokens.others;
  const filling = { base: 250_000_000_000n, levels: FILLING, step: 4, phase: 0 };
  const comesAndGoes = first === undefined ? [] : [{ ...steady(seed, first, 3n, 6), life: { cycle: 40, alive: 25 } }];
  return [
    { ...named(tokens, TOKENS.USDC, 0n), amount: filling },
    named(tokens, TOKENS.SPAM, 42n * COIN, 50),
    ...comesAndGoes,
  ];
}

const BADGES = 75;
const ITEMS = 60;

function collectorPositions(seed: number, tokens: TokenBook): Position[] {
  const badge = named(tokens, TOKENS.BADGE, 1n);
  const item = named(tokens, TOKENS.ITEMS, 20n, 12);
  const odd = tokens.others.filter(({ type }) => type === 'ERC-404' || type === 'ERC-7984').slice(0, 4);
  return [
    ...Array.from({ length: BADGES }, (_, place) => piece(badge, place + 1)),
    ...Array.from({ length: ITEMS }, (_, place) => piece(item, place + 1)),
    ...odd.map((token) => steady(seed, token, 2n, 15)),
  ];
}

/** Every fifth piece is sold and bought back. */
function piece(position: Position, number: number): Position {
  const life = number % 5 === 0 ? { life: { cycle: 90 + number, alive: 60 } } : {};
  return { ...position, tokenId: String(number), isPiece: true, ...life };
}

function named(tokens: TokenBook, address: string, base: bigint, step = 10): Position {
  const token = tokens.find(address);
  if (token === undefined) throw new Error(`the catalogue lacks ${address}`);
  return { token, tokenId: null, amount: periodic(base, step), isPiece: false };
}

function steady(seed: number, token: TokenBase, size: bigint, step: number): Position {
  const base = size * 1000n * 10n ** BigInt(token.decimals ?? 0);
  const phase = draw(seed, PURPOSE.phase, token.rank, Number(size % BigInt(CROWD))) % (step * 8);
  return { token, tokenId: null, amount: { ...periodic(base, step), phase }, isPiece: false };
}

function periodic(base: bigint, step: number): PeriodicAmount {
  return { base, levels: base > 1n ? AROUND : [0], step, phase: 0 };
}
