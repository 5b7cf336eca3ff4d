import type * as z from 'zod';
import { parseEvent, parseSignature, selectorOf } from '../../lib/abi/signature.ts';
import { partiesOf } from '../chain/chain.ts';
import { numberCalls } from '../chain/compose.ts';
import { drawHex, PURPOSE } from '../chain/draw.ts';
import {
  GWEI,
  METHODS,
  ZERO_ADDRESS,
  type EmittedLog,
  type Method,
  type Transaction,
  type Transfer,
} from '../chain/transaction.ts';
import { ADDRESSES, CONTRACTS } from '../names.ts';
import { assertRoom, originOf, type Placed } from '../overlay.ts';
import { ControlProblem } from '../problem.ts';
import { encodeValues } from '../render/call-data.ts';
import { emitted } from '../render/logs.ts';
import type { World } from '../world.ts';
import { moveTokens, tokenAt } from './balances.ts';
import type * as schemas from './schemas.ts';

export interface Added {
  readonly hash: string;
  /** Null if it stays pending for ever. */
  readonly block: number | null;
}

export interface AddedCall extends Added {
  readonly index: number;
}

export function addTransaction(world: World, options: z.output<typeof schemas.AddTransaction>): Added {
  const { status, minedAfter, reason, nonce, function: called, args, ...rest } = options;
  const empty = blank(world);
  const failure = status === 'error' ? failedWith(reason) : {};
  const input = options.input ?? (called === null ? null : inputOf(called, args));
  const transaction = { ...empty, ...rest, input, nonce: nonce ?? empty.nonce, ...failure, ...kindOf(options) };
  if (status !== 'pending') return place(world, transaction, world.head());
  return place(world, transaction, minedAfter === null ? Infinity : world.head() + minedAfter);
}

/** The transaction itself goes through: only the call inside fails. */
export function failCall(world: World, options: z.output<typeof schemas.FailCall>): AddedCall {
  return addCall(world, options);
}

export function callContract(world: World, options: z.output<typeof schemas.CallContract>): AddedCall {
  return addCall(world, { ...options, reason: null });
}

type AddedInside = Omit<z.output<typeof schemas.FailCall>, 'reason'> & { readonly reason: string | null };

function addCall(world: World, options: AddedInside): AddedCall {
  const { to, from = CONTRACTS.router, reason, type, value } = options;
  const isCreation = type === 'create' || type === 'create2';
  const target = isCreation ? { to: null, created: to } : { to, created: null };
  const data = options.function === null ? {} : { input: inputOf(options.function, options.args) };
  const calls = numberCalls([{ type, from, ...target, value, gas: 60_000, error: reason, ...data }]);
  const transaction = { ...blank(world), to: from, method: METHODS.execute, parameters: ['0x'], calls };
  return { ...place(world, { ...transaction, types: ['contract_call'] }, world.head()), index: calls[0]?.index ?? 1 };
}

function inputOf(text: string, args: readonly schemas.WrittenArgument[]): string {
  const parsed = parseSignature(text);
  if ('mistake' in parsed) throw new ControlProblem(`function: ${parsed.mistake.message}`);
  const { signature } = parsed;
  const wanted = signature.args.length;
  if (args.length !== wanted) throw new ControlProblem(`args: ${text} has ${wanted} arguments, not ${args.length}`);
  const types = signature.args.map(({ type }) => type);
  const values = args.map(addressOrValue);
  try {
    return selectorOf(signature) + encodeValues(types, values);
  } catch {
    throw new ControlProblem(`args: the values do not fit ${text}`);
  }
}

function addressOrValue(value: schemas.WrittenArgument): string {
  if (typeof value !== 'string') return inputOf(value.function, value.args);
  return Object.entries(ADDRESSES).find(([name]) => name === value)?.[1] ?? value;
}

export function emit(world: World, options: z.output<typeof schemas.Emit>): Added {
  const { address, from, times } = options;
  const log = logOf(options);
  const logs = Array.from({ length: times }, () => log);
  return place(world, { ...blank(world), from, to: address, logs, types: ['contract_call'] }, world.head());
}

function logOf({ address, event, args, topics, data }: z.output<typeof schemas.Emit>): EmittedLog {
  if (topics !== undefined) return { address, topics, data: data ?? '0x' };
  const parsed = parseEvent(event);
  if ('mistake' in parsed) throw new ControlProblem(`event: ${parsed.mistake.message}`);
  const wanted = parsed.signature.args.length;
  if (args.length !== wanted) throw new ControlProblem(`args: ${event} has ${wanted} arguments, not ${args.length}`);
  const values = args.map(addressOrValue);
  try {
    const log = emitted(address, parsed.signature, values);
    return data === undefined ? log : { ...log, data };
  } catch {
    throw new ControlProblem(`args: the values do not fit ${event}`);
  }
}

export function transferToken(world: World, options: z.output<typeof schemas.TransferToken>): Added {
  const { from, to, value, tokenId = null, method, times, moves } = options;
  const token = tokenAt(world, options.token).address;
  const type =
    from === ZERO_ADDRESS ? 'token_minting' : to === ZERO_ADDRESS ? 'token_burning' : ('token_transfer' as const);
  if (moves) moveTokens(world, { ...options, value: value * BigInt(times) });
  const transfer: Transfer = { token, from, to, value, tokenId, type };
  const transaction: Transaction = {
    ...blank(world),
    ...(from === ZERO_ADDRESS || !moves ? {} : { from }),
    to: token,
    method: methodOf(method),
    types: ['contract_call', 'token_transfer'],
    transfers: Array.from({ length: times }, () => transfer),
  };
  return place(world, transaction, world.head());
}

export function dropTransaction(world: World, { hash }: z.output<typeof schemas.DropTransaction>): { hash: string } {
  const { placed, placedByHeight, placedByParty } = world.overlay;
  const found = placedWith(world, hash);
  if (found.height <= world.head())
    throw new ControlProblem(`${hash} is mined: only a pending transaction can be dropped`);
  placed.splice(placed.indexOf(found), 1);
  removeFrom(placedByHeight, found.height, found);
  for (const party of partiesOf(found.transaction)) removeFrom(placedByParty, party, found);
  return { hash };
}

export function changeTransaction(
  world: World,
  { hash, reason }: z.output<typeof schemas.ChangeTransaction>,
): { hash: string } {
  const found = placedWith(world, hash);
  const { transaction } = found;
  const end = reason === null ? { status: 'ok' as const, reason, result: 'success' } : failedWith(reason);
  const calls = transaction.calls.map((call) => ({ ...call, error: reason }));
  found.transaction = calls.length > 0 ? { ...transaction, calls } : { ...transaction, ...end };
  return { hash };
}

function failedWith(reason: string | null): Pick<Transaction, 'status' | 'reason' | 'result'> {
  return { status: 'error', reason, result: reason ?? 'execution reverted' };
}

function placedWith({ overlay: { placed } }: World, hash: string): Placed {
  const found = placed.find(({ transaction }) => transaction.hash === hash);
  if (found === undefined) throw new ControlProblem(`${hash} was not added by the control API`);
  return found;
}

function kindOf({ to, value, method, types }: z.output<typeof schemas.AddTransaction>) {
  const usual = to === null ? ['contract_creation'] : method === null ? [] : ['contract_call'];
  const moved = value > 0n ? ['coin_transfer'] : [];
  return { types: types ?? [...usual, ...moved], method: method === null ? null : methodOf(method) };
}

function methodOf(name: string): Method {
  const known = Object.values(METHODS).find((method) => method.name === name);
  if (known !== undefined) return known;
  // An explorer that does not know a signature shows other words, such as the first four bytes.
  const call = /^[A-Za-z_$][\w$]*$/.test(name) ? `${name}()` : 'unknown()';
  return { name, id: selectorOf({ name: call.slice(0, -2), args: [] }), call };
}

function blank(world: World): Transaction {
  const number = world.overlay.added;
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
    input: null,
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

/**
 * Adds a transaction to a block. It is stored at the origin of the block's content, so that a replaced block has it
 * too.
 */
function place(world: World, transaction: Transaction, height: number): Added {
  const { placed, placedByHeight, placedByParty, reorgs, mostChanges } = world.overlay;
  assertRoom(placed.length, 'transactions added', mostChanges);
  const origin = originOf(reorgs, height);
  if (origin === undefined) throw new ControlProblem(`block ${height} was emptied: mine another one first`);
  const added: Placed = { transaction, height: origin, seenAt: world.head() };
  placed.push(added);
  world.overlay.added += 1;
  addTo(placedByHeight, origin, added);
  for (const party of partiesOf(transaction)) addTo(placedByParty, party, added);
  return { hash: transaction.hash, block: height === Infinity ? null : height };
}

function addTo<Key>(lists: Map<Key, Placed[]>, key: Key, added: Placed): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [added]);
  else list.push(added);
}

function removeFrom<Key>(lists: Map<Key, Placed[]>, key: Key, removed: Placed): void {
  const left = (lists.get(key) ?? []).filter((one) => one !== removed);
  if (left.length === 0) lists.delete(key);
  else lists.set(key, left);
}
