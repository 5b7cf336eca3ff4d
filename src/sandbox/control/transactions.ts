import type * as z from 'zod';
import { numberCalls } from '../chain/compose.ts';
import { draw, drawHex, PURPOSE } from '../chain/draw.ts';
import { GWEI, METHODS, type Method, type Transaction } from '../chain/transaction.ts';
import { CONTRACTS } from '../names.ts';
import { assertRoom, originOf, type Placed } from '../overlay.ts';
import { ControlProblem } from '../problem.ts';
import type { World } from '../world.ts';
import type * as schemas from './schemas.ts';

export interface Added {
  readonly hash: string;
  /** Null while it waits without end. */
  readonly block: number | null;
}

export interface AddedCall extends Added {
  readonly index: number;
}

export function addTransaction(world: World, options: z.output<typeof schemas.AddTransaction>): Added {
  const { status, minedAfter, reason, ...rest } = options;
  const failure = status === 'error' ? { status, reason, result: reason ?? 'execution reverted' } : {};
  const transaction = { ...blank(world), ...rest, ...failure, ...kindOf(options) };
  if (status !== 'pending') return place(world, transaction, world.head());
  return place(world, transaction, minedAfter === null ? Infinity : world.head() + minedAfter);
}

/** The transaction itself goes through: only the call inside fails. */
export function failCall(world: World, options: z.output<typeof schemas.FailCall>): AddedCall {
  const { to, from = CONTRACTS.router, reason, type, value } = options;
  const isCreation = type === 'create' || type === 'create2';
  const target = isCreation ? { to: null, created: to } : { to, created: null };
  const calls = numberCalls([{ type, from, ...target, value, gas: 60_000, error: reason }]);
  const transaction = { ...blank(world), to: from, method: METHODS.execute, parameters: ['0x'], calls };
  return { ...place(world, { ...transaction, types: ['contract_call'] }, world.head()), index: calls[0]?.index ?? 1 };
}

function kindOf({ to, value, method, types }: z.output<typeof schemas.AddTransaction>) {
  const usual = to === null ? ['contract_creation'] : method === null ? [] : ['contract_call'];
  const moved = value > 0n ? ['coin_transfer'] : [];
  return { types: types ?? [...usual, ...moved], method: method === null ? null : methodOf(method) };
}

function methodOf(name: string): Method {
  const known = Object.values(METHODS).find((method) => method.name === name);
  const id = draw(0, PURPOSE.control, name.length, name.charCodeAt(0)).toString(16).padStart(8, '0');
  return known ?? { name, id: `0x${id}`, call: `${name}()` };
}

function blank(world: World): Transaction {
  const number = world.overlay.placed.length;
  return {
    hash: `0x${drawHex(world.seed, PURPOSE.control, number, 2, 8)}`,
    from: world.account(number),
    to: null,
    created: null,
    value: 0n,
    status: 'ok',
    reason: null,
    result: 'success',
    method: null,
    parameters: [],
    types: [],
    envelope: 2,
    transfers: [],
    calls: [],
    action: null,
    gasUsed: 60_000,
    gasLimit: 90_000,
    tip: GWEI,
    nonce: number,
    lead: 0,
  };
}

/** Blocks that were replaced are found by where their content came from. */
function place(world: World, transaction: Transaction, height: number): Added {
  const { placed, placedByHeight, reorgs } = world.overlay;
  assertRoom(placed.length, 'transactions added');
  const origin = originOf(reorgs, height);
  if (origin === undefined) throw new ControlProblem(`block ${height} was emptied: mine another one first`);
  const added: Placed = { transaction, height: origin, seenAt: world.head() };
  placed.push(added);
  placedByHeight.set(origin, [...(placedByHeight.get(origin) ?? []), added]);
  return { hash: transaction.hash, block: height === Infinity ? null : height };
}
