// The control API: the changes that a test or a person can make to the chain. Every change holds from the current head
// on.
import type * as z from 'zod';
import { parseSignature, selectorOf } from '../../lib/abi/signature.ts';
import { keyOf } from '../chain/keys.ts';
import { createFaultQueue, FaultOptions, type FaultQueue } from '../faults/fault.ts';
import type { Credits } from '../limits.ts';
import { assertRoom, type Overlay, type SetWord } from '../overlay.ts';
import { ControlProblem } from '../problem.ts';
import type { World } from '../world.ts';
import { giveToken, moveBalance, setBalance, tokenAt, type Given } from './balances.ts';
import * as schemas from './schemas.ts';
import {
  addTransaction,
  callContract,
  changeTransaction,
  dropTransaction,
  emit,
  failCall,
  transferToken,
  type Added,
  type AddedCall,
} from './transactions.ts';

type Input<S extends z.ZodType> = z.input<S>;

export interface Control {
  /** Mines blocks. Throws a ControlProblem unless `blockTimeMs` is `manual`. */
  mine(options?: Input<typeof schemas.Mine>): { head: number };
  setBalance(options: Input<typeof schemas.SetBalance>): { value: string };
  moveBalance(options: Input<typeof schemas.MoveBalance>): { from: string; to: string };
  /** Puts a transaction into the head block with one internal transaction that fails. */
  failCall(options: Input<typeof schemas.FailCall>): AddedCall;
  /** Puts a transaction into the head block with one internal transaction that goes through. */
  callContract(options: Input<typeof schemas.CallContract>): AddedCall;
  /** Puts a transaction into the head block, or lets it wait. */
  addTransaction(options?: Input<typeof schemas.AddTransaction>): Added;
  /** Puts a transaction into the head block that emits events. */
  emit(options?: Input<typeof schemas.Emit>): Added;
  /** Puts a transaction into the head block that moves tokens. */
  transferToken(options: Input<typeof schemas.TransferToken>): Added;
  /** Removes a pending transaction, as if it was replaced or given up. */
  dropTransaction(options: Input<typeof schemas.DropTransaction>): { hash: string };
  /** Changes the result of an added transaction, and of the calls inside it, as after its block was replaced. */
  changeTransaction(options: Input<typeof schemas.ChangeTransaction>): { hash: string };
  flagToken(options: Input<typeof schemas.FlagToken>): { reputation: string };
  setPrice(options: Input<typeof schemas.SetPrice>): { price: string | null };
  giveToken(options: Input<typeof schemas.GiveToken>): Given;
  /** Gives a proxy another implementation. */
  upgrade(options: Input<typeof schemas.Upgrade>): { implementation: string };
  /** Lets a function of a contract revert. */
  revertCall(options?: Input<typeof schemas.RevertCall>): { reverting: number };
  /** Sets a word in the storage of a contract. */
  setSlot(options: Input<typeof schemas.SetSlot>): { value: string };
  /** Sets the word that a function of a contract returns. */
  setResult(options: Input<typeof schemas.SetResult>): { value: string };
  /** Replaces the last blocks. */
  reorganise(options?: Input<typeof schemas.Reorganise>): { from: number; to: number };
  freeze(): { head: number };
  unfreeze(): { head: number };
  delayInternals(options?: Input<typeof schemas.DelayInternals>): { after: number };
  /** Shows delayed traces, and ends the delay. */
  releaseInternals(): { released: number };
  hideTraces(options: Input<typeof schemas.HideTraces>): { block: number };
  /** Answers of one operation stay this many blocks behind the others. */
  lag(options: Input<typeof schemas.Lag>): { behind: number };
  /** Spends credits, as another program with the same key would. */
  spend(options: Input<typeof schemas.Spend>): { left: number };
  fail(options: FaultOptions): { pending: number };
  clearFaults(): { pending: number };
}

/** The same calls with unchecked options: each call checks its own options. */
export type Calls = Readonly<Record<keyof Control, (options?: unknown) => unknown>>;

export interface Controls {
  readonly control: Control;
  readonly calls: Calls;
  readonly faults: FaultQueue;
}

export function createControl(world: World, credits: Credits): Controls {
  const { overlay, calendar } = world;
  const faults = createFaultQueue();
  const changed = <T>(result: T): T => {
    overlay.version += 1;
    return result;
  };
  const control = {
    mine: (options: unknown = {}) => changed({ head: calendar.mine(read(schemas.Mine, options).blocks) }),
    setBalance: (options: unknown) => changed(setBalance(world, read(schemas.SetBalance, options))),
    moveBalance: (options: unknown) => changed(moveBalance(world, read(schemas.MoveBalance, options))),
    failCall: (options: unknown) => changed(failCall(world, read(schemas.FailCall, options))),
    callContract: (options: unknown) => changed(callContract(world, read(schemas.CallContract, options))),
    addTransaction: (options: unknown = {}) => changed(addTransaction(world, read(schemas.AddTransaction, options))),
    emit: (options: unknown = {}) => changed(emit(world, read(schemas.Emit, options))),
    transferToken: (options: unknown) => changed(transferToken(world, read(schemas.TransferToken, options))),
    dropTransaction: (options: unknown) => changed(dropTransaction(world, read(schemas.DropTransaction, options))),
    changeTransaction: (options: unknown) =>
      changed(changeTransaction(world, read(schemas.ChangeTransaction, options))),
    flagToken: (options: unknown) => changed(flagToken(world, read(schemas.FlagToken, options))),
    setPrice: (options: unknown) => changed(setPrice(world, read(schemas.SetPrice, options))),
    giveToken: (options: unknown) => changed(giveToken(world, read(schemas.GiveToken, options))),
    upgrade: (options: unknown) => changed(upgrade(world, read(schemas.Upgrade, options))),
    revertCall: (options: unknown = {}) => changed(revertCall(overlay, read(schemas.RevertCall, options))),
    setSlot: (options: unknown) => changed(setSlot(world, read(schemas.SetSlot, options))),
    setResult: (options: unknown) => changed(setResult(world, read(schemas.SetResult, options))),
    reorganise: (options: unknown = {}) => changed(reorganise(world, read(schemas.Reorganise, options))),
    freeze() {
      calendar.freeze();
      return changed({ head: world.head() });
    },
    unfreeze() {
      calendar.unfreeze();
      return changed({ head: world.head() });
    },
    delayInternals: (options: unknown = {}) => changed(delayInternals(world, read(schemas.DelayInternals, options))),
    releaseInternals: () => changed(releaseInternals(overlay)),
    hideTraces: (options: unknown) => changed(hideTraces(overlay, read(schemas.HideTraces, options))),
    lag: (options: unknown) => changed(lag(overlay, read(schemas.Lag, options))),
    spend(options: unknown) {
      credits.spend(read(schemas.Spend, options).credits);
      return { left: credits.left() };
    },
    fail(options: unknown) {
      faults.add(read(FaultOptions, options));
      return { pending: faults.pending };
    },
    clearFaults() {
      faults.clear();
      return { pending: 0 };
    },
  } satisfies Calls;
  return { control, calls: control, faults };
}

function read<S extends z.ZodType>(schema: S, options: unknown): z.output<S> {
  const result = schema.safeParse(options);
  if (result.success) return result.data;
  const said = result.error.issues.map(({ path, message }) => `${path.join('.') || 'options'}: ${message}`);
  throw new ControlProblem(said.join('; '));
}

function flagToken(world: World, { token, reputation }: z.output<typeof schemas.FlagToken>) {
  world.overlay.reputations.set(keyOf(tokenAt(world, token).address), reputation);
  return { reputation };
}

function upgrade(world: World, { address, ...to }: z.output<typeof schemas.Upgrade>) {
  if (world.ref(address).implementation_name === null) throw new ControlProblem(`${address} is no proxy`);
  world.overlay.upgrades.set(keyOf(address), to);
  return { implementation: to.implementation };
}

function revertCall(
  { reverting, mostChanges }: Overlay,
  { address, call, reverts }: z.output<typeof schemas.RevertCall>,
) {
  const key = functionKey(address, call);
  assertRoom(reverting.size, 'functions that revert', mostChanges);
  if (reverts) reverting.add(key);
  else reverting.delete(key);
  return { reverting: reverting.size };
}

function functionKey(address: string, call: string): string {
  const parsed = parseSignature(call);
  if ('mistake' in parsed) throw new ControlProblem(`call: ${parsed.mistake.message}`);
  return `${keyOf(address)} ${selectorOf(parsed.signature)}`;
}

function setSlot({ overlay, head }: World, { address, slot, value }: z.output<typeof schemas.SetSlot>) {
  const set = { since: head(), word: value };
  addWord(overlay.slots, { key: `${keyOf(address)} ${slot}`, set, most: overlay.mostChanges, what: 'slots set' });
  return { value };
}

function setResult({ overlay, head }: World, { address, call, value }: z.output<typeof schemas.SetResult>) {
  const set = { since: head(), word: value };
  addWord(overlay.results, { key: functionKey(address, call), set, most: overlay.mostChanges, what: 'results set' });
  return { value };
}

interface AddedWord {
  readonly key: string;
  readonly set: SetWord;
  readonly most: number;
  readonly what: string;
}

function addWord(words: Overlay['slots'], { key, set, most, what }: AddedWord): void {
  assertRoom(
    [...words.values()].reduce((sum, known) => sum + known.length, 0),
    what,
    most,
  );
  words.set(key, [...(words.get(key) ?? []), set]);
}

function setPrice(world: World, { token, price }: z.output<typeof schemas.SetPrice>) {
  const { prices } = world.overlay;
  if (token === undefined) prices.coin = price;
  else prices.tokens.set(keyOf(tokenAt(world, token).address), price);
  return { price };
}

/** Each block is compared with each reorganisation, so fewer of them than of other changes are allowed. */
const REORGS_PER_CHANGE = 0.1;

function reorganise(world: World, { blocks, transactions }: z.output<typeof schemas.Reorganise>) {
  const { reorgs, mostChanges, slots, results } = world.overlay;
  const most = mostChanges * REORGS_PER_CHANGE;
  if (reorgs.length >= most) throw new ControlProblem(`the chain was reorganised ${most} times: restart the sandbox`);
  const to = world.head();
  const from = to - blocks + 1;
  if (from < 1) throw new ControlProblem(`only ${to} blocks can be replaced: the first one stays`);
  reorgs.push({ from, to, remined: transactions === 'remined' });
  if (transactions === 'dropped') for (const words of [slots, results]) dropWords(words, from);
  return { from, to };
}

/** Takes back the words that dropped transactions had set. */
function dropWords(words: Overlay['slots'], from: number): void {
  for (const [key, set] of words) {
    const left = set.filter(({ since }) => since < from);
    if (left.length < set.length) words.set(key, left);
  }
}

function delayInternals(world: World, { blocks }: z.output<typeof schemas.DelayInternals>) {
  const { delays } = world.overlay;
  assertRoom(delays.length, 'delays');
  const after = world.head();
  endLastDelay(delays, after);
  delays.push({ after, until: Infinity, blocks: blocks ?? null });
  return { after };
}

function endLastDelay(delays: Overlay['delays'], at: number): void {
  const last = delays.at(-1);
  if (last !== undefined && last.until === Infinity) last.until = at;
}

function releaseInternals({ delays }: Overlay) {
  const released = delays.length;
  delays.length = 0;
  return { released };
}

function lag({ lags }: Overlay, { operation, blocks }: z.output<typeof schemas.Lag>) {
  lags.set(operation, blocks);
  return { behind: blocks };
}

function hideTraces({ hiddenTraces, mostChanges }: Overlay, { block, hidden }: z.output<typeof schemas.HideTraces>) {
  assertRoom(hiddenTraces.size, 'blocks without traces', mostChanges);
  if (hidden) hiddenTraces.add(block);
  else hiddenTraces.delete(block);
  return { block };
}
