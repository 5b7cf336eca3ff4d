// Words for transactions that call a function: `admin called transferOwnership on vault`.
import { NO_SELECTOR, selectorIn } from '../../core/calls/call-data.ts';
import { isAdministrative, knownFunction } from '../../core/calls/catalogue.ts';
import { safeBatch, wrappedCalls, type WrappedCall } from '../../core/calls/wrapped-calls.ts';
import { Address, shortHex } from '../../core/values/address.ts';
import { recordTypeOf, valueAt, type AnyRecord, type AnyView } from '../../core/values/fields.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import type { Sentence, WatchNames, WordingContext } from '../../core/model/watch/wording.ts';
import { addressWords, ownValue, textAt } from '../../core/wording/values.ts';
import { lineOf, quotedText } from '../../core/wording/words.ts';
import { isDelegated } from '../../explorer/reading/resources/internal-transaction.ts';
import { rawText } from '../../lib/untrusted.ts';
import { argumentLine, shownArguments } from './arguments.ts';

/** `pause`, or `0x12ab34cd` if the name is not known here; null: no function is called, or it is unknown. */
export function functionWords({ names, view }: Pick<WordingContext, 'names' | 'view'>): string | null {
  const selector = valueAt(view, 'selector');
  if (typeof selector !== 'string' || selector === NO_SELECTOR) return null;
  return ownValue({ names, view }, 'called') ?? selector;
}

/** `admin called pause on vault` */
export function calledTitle({ names, view }: Pick<WordingContext, 'names' | 'view'>, called: string): string {
  const [from, to] = [addressText(names, view, 'from.hash'), addressText(names, view, 'to.hash')];
  const on = to === null ? '' : ` on ${to}`;
  return from === null ? `${called} called${on}` : `${from} called ${called}${on}`;
}

/** `pause called on vault by 0x3c54...b3AB`, for a call inside a transaction: another account may have signed that. */
export function calledByTitle({ names, view }: Pick<WordingContext, 'names' | 'view'>, called: string): string {
  const [from, to] = [addressText(names, view, 'from.hash'), addressText(names, view, 'to.hash')];
  return [`${called} called`, to && `on ${to}`, from && `by ${from}`].filter((part) => part !== null).join(' ');
}

/** `vault delegated a call to 0x9f2e...41c7`, `vault delegated a pause call to 0x9f2e...41c7`; null if an end is unknown. */
export function delegatedTitle(
  { names, view }: Pick<WordingContext, 'names' | 'view'>,
  called: string | null,
): string | null {
  const [from, to] = [addressText(names, view, 'from.hash'), addressText(names, view, 'to.hash')];
  const call = called === null ? 'a call' : `a ${called} call`;
  return from === null || to === null ? null : `${from} delegated ${call} to ${to}`;
}

/** `vault destroyed itself` */
export function destroyedTitle({ names, view }: Pick<WordingContext, 'names' | 'view'>): string | null {
  const from = addressText(names, view, 'from.hash');
  return from === null ? null : `${from} destroyed itself`;
}

/** `pause call of admin to vault`, for messages about the end of the call. */
export function callWords({ names, view }: Pick<WordingContext, 'names' | 'view'>, called: string): string {
  const [from, to] = [addressText(names, view, 'from.hash'), addressText(names, view, 'to.hash')];
  return [`${called} call`, from && `of ${from}`, to && `to ${to}`].filter((part) => part !== null).join(' ');
}

/** `newOwner 0x3c54..., delay 5. `, or the name that only the explorer gives; empty if neither is known. */
export function callLine({ names, view }: Pick<WordingContext, 'names' | 'view'>): readonly Segment[] {
  const args = argumentLine({ names, view });
  if (args.length > 0) return args;
  const isUnnamed = functionWords({ names, view }) !== null && valueAt(view, 'called') === undefined;
  const given = isUnnamed ? textAt(view, 'method') : undefined;
  return given === undefined || rawText(given).startsWith('0x')
    ? []
    : [...quotedText('Name given:', given), { text: ' ' }];
}

const MOST_WRAPPED = 3;

/**
 * `Written in the call data: transferOwnership on vault.`, for calls that are arguments, to addresses that the config
 * names. Whether they were made is not known from the data. Empty if there are none.
 */
export function wrappedLine({ names, view }: Pick<WordingContext, 'names' | 'view'>): Sentence['lines'] {
  const input = textAt(view, 'raw_input');
  if (input === undefined || valueAt(view, 'selector') === NO_SELECTOR) return [];
  const data = rawText(input);
  const list = batchWords({ names, view }, data) ?? listWords({ names, view }, wrappedCalls(data, runsAt(view)));
  return lineOf(list === null ? null : `Written in the call data: ${list}.`);
}

/** The contract is named because only its code decides what becomes of the batch: any contract can have a `multiSend`. */
function batchWords({ names, view }: Pick<WordingContext, 'names' | 'view'>, data: string): string | null {
  const batch = safeBatch(data);
  const list = batch === null ? null : listWords({ names, view }, batch.calls);
  if (batch === null || list === null) return null;
  return `${list}, in a multiSend call delegated to ${addressWords(names, batch.contract)}`;
}

/** `pause on vault (2 times), 0x12345678 on vault and 4 more`, what matters most first; null if no address has a name. */
function listWords(
  { names, view }: Pick<WordingContext, 'names' | 'view'>,
  calls: readonly WrappedCall[],
): string | null {
  const said = Map.groupBy(calls, (call) => wrappedWords(names, call, recordTypeOf(view)));
  const shown = [...said].flatMap(([words, equal]) => {
    return words === null ? [] : [{ words, count: equal.length, rank: Math.min(...equal.map(rankOf)) }];
  });
  const first = shown.toSorted((a, b) => a.rank - b.rank).slice(0, MOST_WRAPPED);
  if (first.length === 0) return null;
  const more = calls.length - first.reduce((sum, { count }) => sum + count, 0);
  const list = first.map(({ words, count }) => (count === 1 ? words : `${words} (${count} times)`)).join(', ');
  return more === 0 ? list : `${list} and ${more} more`;
}

/** Calls that can change the control of a contract must not be hidden behind harmless ones. */
function rankOf({ data, isDelegated: isByDelegation }: WrappedCall): number {
  const selector = selectorIn({ raw_input: data }) ?? NO_SELECTOR;
  if (isByDelegation || isAdministrative(selector)) return 0;
  return selector === NO_SELECTOR || knownFunction(selector) !== undefined ? 2 : 1;
}

/** The code of a delegated call runs at the contract that delegates it. */
function runsAt(view: AnyView): Address | null {
  const address = valueAt(view, isDelegated(valueAt(view, 'type')) ? 'from.hash' : 'to.hash');
  return address instanceof Address ? address : null;
}

/**
 * `transferOwnership on vault`, with a name that `record` knows; null if the config does not name the address, or nothing
 * is called and nothing is paid.
 */
export function wrappedWords(
  names: WatchNames,
  { to, data, value, isDelegated: isByDelegation }: WrappedCall,
  record: AnyRecord,
): string | null {
  const name = names.known(to);
  if (name === null) return null;
  const inner = record.read({ raw_input: data, to: { hash: to.text } }, { coin: 0 });
  const called = inner === undefined ? null : functionWords({ names, view: inner });
  if (called === null) return value > 0n ? `coins to ${name}` : null;
  return isByDelegation ? `a delegated ${called} call to ${name}` : `${called} on ${name}`;
}

/** Paths that a subject with the function shows. */
export const CALLED: readonly string[] = ['called', 'selector'];

/** Paths that the subject and the first line show of the call. */
export function shownOfCall(occasion: Pick<WordingContext, 'names' | 'view'>): readonly string[] {
  return [...(functionWords(occasion) === null ? [] : CALLED), ...shownArguments(occasion.view)];
}

function addressText(names: WatchNames, view: AnyView, path: string): string | null {
  const address = valueAt(view, path);
  return address instanceof Address ? addressWords(names, address) : null;
}

/** `admin created 0x9f2e...41c7`; null if no contract was created. */
export function creationTitle({ names, view }: Pick<WordingContext, 'names' | 'view'>): string | null {
  const created = valueAt(view, 'created_contract.hash');
  if (!(created instanceof Address)) return null;
  const from = addressText(names, view, 'from.hash');
  const what = names.known(created) ?? shortHex(created.text);
  return from === null ? `${what} was created` : `${from} created ${what}`;
}
