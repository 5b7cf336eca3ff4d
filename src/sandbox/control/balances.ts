import type * as z from 'zod';
import { drawHex, PURPOSE } from '../chain/draw.ts';
import { keyOf } from '../chain/keys.ts';
import type { TokenBase } from '../chain/catalogue.ts';
import { ZERO_ADDRESS } from '../chain/transaction.ts';
import { assertRoom, holdingKey } from '../overlay.ts';
import { ControlProblem } from '../problem.ts';
import type { World } from '../world.ts';
import type * as schemas from './schemas.ts';

interface Piece {
  readonly token?: string | undefined;
  readonly tokenId?: string | undefined;
}

/** From now on the balance has this value, whatever the chain's plan is. */
export function setBalance(world: World, options: z.output<typeof schemas.SetBalance>): { value: string } {
  setAmount(world, options.address, options, options.value);
  return { value: String(options.value) };
}

/** Moves an amount between two accounts; both balances stay fixed after that. */
export function moveBalance(world: World, options: z.output<typeof schemas.MoveBalance>): { from: string; to: string } {
  const { from, to, value } = options;
  const left = amountOf(world, from, options) - value;
  if (left < 0n) throw new ControlProblem(`${from} holds less than ${value}`);
  setAmount(world, from, options, left);
  const gained = amountOf(world, to, options) + value;
  setAmount(world, to, options, gained);
  return { from: String(left), to: String(gained) };
}

/** Like `moveBalance`; tokens from and to the zero address are minted and burned. */
export function moveTokens(world: World, options: z.output<typeof schemas.TransferToken>): void {
  const { from, to, value, token } = options;
  const left = from === ZERO_ADDRESS ? 0n : amountOf(world, from, options) - value;
  if (left < 0n) throw new ControlProblem(`${from} holds less than ${value}`);
  if (from !== ZERO_ADDRESS) setAmount(world, from, options, left);
  if (to !== ZERO_ADDRESS) setAmount(world, to, options, amountOf(world, to, options) + value);
  const { minted } = world.overlay;
  const added = (from === ZERO_ADDRESS ? value : 0n) - (to === ZERO_ADDRESS ? value : 0n);
  if (added !== 0n) minted.set(keyOf(token), (minted.get(keyOf(token)) ?? 0n) + added);
}

export interface Given {
  readonly token: string;
  readonly value: string;
}

export function giveToken(world: World, options: z.output<typeof schemas.GiveToken>): Given {
  const token = options.token ?? makeToken(world, options);
  const gained = amountOf(world, options.address, { ...options, token }) + options.value;
  setAmount(world, options.address, { ...options, token }, gained);
  return { token, value: String(gained) };
}

const FIRST_RANK = 10_000;

function makeToken(world: World, options: z.output<typeof schemas.GiveToken>): string {
  const { made, reputations } = world.overlay;
  assertRoom(made.size, 'new tokens');
  const address = `0x${drawHex(world.seed, PURPOSE.control, made.size, 1, 5)}`;
  const { name, symbol, type } = options;
  const isCollection = type === 'ERC-721' || type === 'ERC-1155';
  const decimals = isCollection ? null : options.decimals;
  const token: TokenBase = {
    address,
    name,
    symbol,
    type,
    decimals,
    rate: null,
    supply: options.value,
    rank: FIRST_RANK + made.size,
  };
  made.set(keyOf(address), token);
  reputations.set(keyOf(address), options.reputation);
  return address;
}

function amountOf(world: World, address: string, { token, tokenId }: Piece): bigint {
  if (token === undefined) return world.coin(address) ?? 0n;
  const wanted = holdingKey(token, tokenId ?? null);
  const held = world.holdings(address).find((holding) => holdingKey(holding.token.address, holding.tokenId) === wanted);
  return held?.value ?? 0n;
}

function setAmount(world: World, address: string, { token, tokenId }: Piece, value: bigint): void {
  const { coins, holdings } = world.overlay;
  const holder = keyOf(address);
  if (token === undefined) {
    assertRoom(coins.size, 'balances set');
    coins.set(holder, value);
    return;
  }
  const base = tokenAt(world, token);
  const changes = holdings.get(holder) ?? new Map<string, never>();
  assertRoom(Math.max(holdings.size, changes.size), 'balances set');
  const piece = tokenId ?? null;
  holdings.set(holder, new Map([...changes, [holdingKey(token, piece), { token: base, tokenId: piece, value }]]));
}

/** The token of an address. Throws a ControlProblem if it does not exist. */
export function tokenAt({ tokens }: World, address: string): TokenBase {
  const token = tokens.find(address);
  if (token === undefined) throw new ControlProblem(`there is no token ${address}: give it to somebody first`);
  return token;
}
