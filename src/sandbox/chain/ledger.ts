// The balances at each height: pure functions of the seed and the height, before changes of the control API.
import { ADDRESSES } from '../names.ts';
import type { TokenBase } from './catalogue.ts';
import { draw, PURPOSE } from './draw.ts';
import { keyOf, type AddressKey } from './keys.ts';
import type { Accounts } from './accounts.ts';
import { COIN_STEP, coinPhaseOf, crowdPositions, planPositions, type Position } from './positions.ts';
import { spamHeldAt } from './spam.ts';
import { WEI_PER_MILLI_COIN } from './transaction-pattern.ts';
import type { TokenBook } from './tokens.ts';
import { AROUND, amountAt, FILLING, isAlive, type PeriodicAmount } from './periodic-amount.ts';

export interface Holding {
  readonly token: TokenBase;
  readonly tokenId: string | null;
  readonly value: bigint;
  readonly isPiece: boolean;
}

export interface Ledger {
  /** The coins of an address; null if the chain has no plan of coins for it. */
  coin(key: AddressKey, height: number): bigint | null;
  /** The amount of a token that its holder always holds. */
  amountOf(key: AddressKey, token: string, height: number): bigint;
  /** The holdings of an address, only amounts above zero. */
  holdings(key: AddressKey, height: number): Holding[];
}

export interface LedgerOptions {
  readonly seed: number;
  readonly isLively: boolean;
  readonly accounts: Accounts;
  readonly tokens: TokenBook;
}

export function createLedger({ seed, isLively, accounts, tokens }: LedgerOptions): Ledger {
  const plans = planPositions(seed, tokens);
  const coinWaves = planCoins(seed);
  const asOf = (height: number): number => (isLively ? height : 0);

  function positionsOf(key: AddressKey): Position[] {
    const number = accounts.numberOf(key);
    return number === undefined ? (plans.get(key) ?? []) : crowdPositions(seed, tokens, number);
  }

  return {
    coin(key, height) {
      const amount = coinWaves.get(key) ?? crowdCoins(seed, accounts.numberOf(key));
      if (amount === undefined) return null;
      return amountAt(amount, asOf(height), (steps) => draw(seed, PURPOSE.balance, amount.step, steps));
    },
    amountOf(key, address, height) {
      const position = positionsOf(key).find(({ token }) => token.address === address);
      return position === undefined ? 0n : (heldAt(seed, position, asOf(height))[0]?.value ?? 0n);
    },
    holdings(key, height) {
      const held = positionsOf(key).flatMap((position) => heldAt(seed, position, asOf(height)));
      if (!isLively || key !== keyOf(ADDRESSES.treasury)) return held;
      return [...held, ...spamHoldings(seed, tokens, height)];
    },
  };
}

function heldAt(seed: number, { token, tokenId, amount, life, isPiece }: Position, height: number): Holding[] {
  if (life !== undefined && !isAlive(height, token.rank, life.cycle, life.alive)) return [];
  const value = amountAt(amount, height, (steps) => draw(seed, PURPOSE.balance, token.rank, steps));
  return value > 0n ? [{ token, tokenId, value, isPiece }] : [];
}

function spamHoldings(seed: number, tokens: TokenBook, height: number): Holding[] {
  return spamHeldAt(height, tokens.spamPhase).flatMap((number) => {
    const token = tokens.spam[number];
    return token === undefined ? [] : [{ token, tokenId: null, value: spamValue(seed, number), isPiece: false }];
  });
}

/** The amount of a rotating spam token that an account receives. */
export function spamValue(seed: number, number: number): bigint {
  return BigInt(1 + (draw(seed, PURPOSE.amount, number) % 100_000)) * 10n ** 18n;
}

function planCoins(seed: number): Map<AddressKey, PeriodicAmount> {
  return new Map<AddressKey, PeriodicAmount>([
    [
      keyOf(ADDRESSES.treasury),
      { base: 1_200_000n * WEI_PER_MILLI_COIN, levels: AROUND, step: COIN_STEP, phase: coinPhaseOf(seed) },
    ],
    [keyOf(ADDRESSES.vault), { base: 35_000_000n * WEI_PER_MILLI_COIN, levels: AROUND, step: 2, phase: 0 }],
    [keyOf(ADDRESSES.hot_wallet), { base: 40_000n * WEI_PER_MILLI_COIN, levels: FILLING, step: 4, phase: 0 }],
    [keyOf(ADDRESSES.collector), { base: 3_000n * WEI_PER_MILLI_COIN, levels: AROUND, step: 25, phase: 0 }],
  ]);
}

function crowdCoins(seed: number, number: number | undefined): PeriodicAmount | undefined {
  if (number === undefined) return undefined;
  const base = BigInt(1 + (draw(seed, PURPOSE.balance, number) % 50_000)) * WEI_PER_MILLI_COIN;
  return { base, levels: AROUND, step: 13, phase: number };
}
