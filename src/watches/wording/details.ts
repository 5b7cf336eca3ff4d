// Words for details of a transaction. Names that the explorer gives stand in quotes; addresses and tokens are named by
// the config, or by their short form.
import { callFieldsOf, type ReadCalls } from '../../core/calls/call-fields.ts';
import { knownFunction, type NamedFunction } from '../../core/calls/catalogue.ts';
import type { DetailLine } from '../../core/model/details.ts';
import type { WatchNames } from '../../core/model/watch/wording.ts';
import { Address, shortHex } from '../../core/values/address.ts';
import { Amount, dollarsOf, showDollars } from '../../core/values/amount.ts';
import { sourceOf, valueAt, type AnyRecord, type AnyView } from '../../core/values/fields.ts';
import { addressWords, textAt } from '../../core/wording/values.ts';
import { lineOf, quotedText, showAmount } from '../../core/wording/words.ts';
import { AccountCall, isDelegated } from '../../explorer/reading/resources/internal-transaction.ts';
import { Transaction } from '../../explorer/reading/resources/transaction.ts';
import { selectorOf } from '../../lib/abi/signature.ts';
import {
  calledByTitle,
  calledTitle,
  callLine,
  callWords,
  creationTitle,
  delegatedTitle,
  destroyedTitle,
  functionWords,
  wrappedLine,
} from './calls.ts';

interface DetailContext {
  readonly names: WatchNames;
  /** The functions that the rule names; null: none. */
  readonly calls: ReadCalls | null;
}

interface Occasion {
  readonly names: WatchNames;
  readonly view: AnyView;
}

/** `admin called execTransaction on safe.`, the arguments, the reason of a failure, and calls in the call data. */
export function transactionLines(found: AnyView, context: DetailContext): readonly DetailLine[] {
  const occasion = { names: context.names, view: withArguments(found, Transaction, context.calls) };
  const reason = textAt(occasion.view, 'revert_reason');
  const why = reason === undefined ? [] : quotedText('Reason given:', reason);
  return [
    [{ text: `Transaction: ${transactionTitle(occasion)}. ` }, ...callLine(occasion), ...why],
    ...wrappedLine(occasion),
  ];
}

function transactionTitle(occasion: Occasion): string {
  const status = valueAt(occasion.view, 'status');
  const end = status === 'error' ? ' failed' : status === undefined ? ' is waiting' : '';
  const called = functionWords(occasion);
  if (called !== null && end === '') return calledTitle(occasion, called);
  if (called !== null) return `${callWords(occasion, called)}${end}`;
  return `${(end === '' ? creationTitle(occasion) : null) ?? endsOf(occasion)}${end}`;
}

/** `from admin to vault` */
function endsOf({ names, view }: Occasion): string {
  const [from, to] = [wordsAt(names, view, 'from.hash'), wordsAt(names, view, 'to.hash')];
  return [from && `from ${from}`, to && `to ${to}`].filter((part) => part !== null).join(' ');
}

const MOST_CALLS = 4;

/** A line for each call, those of the watched address first, then those of addresses that the config names. */
export function callLines(rows: readonly AnyView[], context: DetailContext): readonly DetailLine[] {
  const { names } = context;
  const ranked = rows.toSorted((a, b) => rankOf(names, a) - rankOf(names, b));
  const shown = ranked.slice(0, MOST_CALLS).map((row): DetailLine => {
    const occasion = { names, view: withArguments(row, AccountCall, context.calls) };
    const error = textAt(row, 'error');
    const why = error === undefined ? [] : quotedText('Reason given:', error);
    return [{ text: `Call inside: ${callTitle(occasion)}. ` }, ...callLine(occasion), ...why];
  });
  const more = rows.length - shown.length;
  if (shown.length === 0) return lineOf('The transaction has no calls inside.');
  return [...shown, ...lineOf(more === 0 ? null : `${more} more ${more === 1 ? 'call' : 'calls'} inside.`)];
}

function callTitle(occasion: Occasion): string {
  const called = functionWords(occasion);
  const isFailed = valueAt(occasion.view, 'success') === false;
  if (isFailed) return `${called === null ? `call ${endsOf(occasion)}` : callWords(occasion, called)} failed`;
  return specialTitle(occasion, called) ?? (called === null ? paidTitle(occasion) : calledByTitle(occasion, called));
}

function specialTitle(occasion: Occasion, called: string | null): string | null {
  const type = valueAt(occasion.view, 'type');
  if (isDelegated(type)) return delegatedTitle(occasion, called);
  if (type === 'selfdestruct') return destroyedTitle(occasion);
  return creationTitle(occasion);
}

/** `2 ETH from vault to 0x3c54…b3AB` */
function paidTitle(occasion: Occasion): string {
  const value = valueAt(occasion.view, 'value');
  const paid = value instanceof Amount && value.digits > 0n ? `${showAmount(value)} ${occasion.names.coin}` : 'call';
  return `${paid} ${endsOf(occasion)}`;
}

/** The row with the arguments of its function, if the rule or the catalogue knows that. */
function withArguments(view: AnyView, record: AnyRecord & Pick<typeof Transaction, 'with'>, calls: ReadCalls | null) {
  const selector = valueAt(view, 'selector');
  const source = view[sourceOf];
  const known = typeof selector === 'string' ? functionBy(selector, calls) : undefined;
  if (known === undefined || source === null) return view;
  const { fields, lacking } = callFieldsOf({ functions: [known], decimals: calls?.decimals ?? {} });
  return record.with(fields, lacking).read(source.row, source.units) ?? view;
}

function functionBy(selector: string, calls: ReadCalls | null): NamedFunction | undefined {
  return calls?.functions.find(({ signature }) => selectorOf(signature) === selector) ?? knownFunction(selector);
}

const MOST_CHANGES = 5;

interface Change {
  readonly words: string;
  readonly rank: number;
  readonly dollars: Amount;
}

/** `Balances: vault lost 110,000 USDC ($109,890), 0x3c54…b3AB gained 110,000 USDC ($109,890) and 2 more.` */
export function balanceLines(
  rows: readonly AnyView[],
  { names, price }: Pick<DetailContext, 'names'> & { readonly price: Amount | undefined },
): readonly DetailLine[] {
  const changes = rows
    .flatMap((view) => changeIn({ names, view }, price) ?? [])
    .toSorted((a, b) => a.rank - b.rank || b.dollars.compare(a.dollars));
  const shown = changes.slice(0, MOST_CHANGES).map(({ words }) => words);
  const more = changes.length - shown.length;
  if (shown.length === 0) return lineOf('Balances: nothing changed.');
  return lineOf(`Balances: ${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}.`);
}

const NO_DOLLARS = new Amount(0n, 0);

/** Null: nothing changed, or it is unknown what. The fees that the maker of the block gets are left out. */
function changeIn(occasion: Occasion, coinPrice: Amount | undefined): Change | null {
  const { names, view } = occasion;
  const who = wordsAt(names, view, 'address.hash');
  const moved = movedIn(occasion);
  if (who === null || moved === null || valueAt(view, 'is_miner') === true) return null;
  const { amount, what } = moved;
  const price = valueAt(view, 'type') === 'coin' ? coinPrice : tokenPrice(view);
  const size = amount.digits < 0n ? amount.negated() : amount;
  const dollars = dollarsOf(size, price);
  const worth = dollars === undefined ? '' : ` (${showDollars(dollars)})`;
  const verb = amount.digits < 0n ? 'lost' : 'gained';
  const words = `${who} ${verb} ${showAmount(size)} ${what}${worth}`;
  return { words, rank: rankOf(names, view), dollars: dollars ?? NO_DOLLARS };
}

interface Moved {
  readonly amount: Amount;
  /** `ETH`, `USDC`, `of 0x9f2e…41c7`, `BADGE pieces` */
  readonly what: string;
}

function movedIn({ names, view }: Occasion): Moved | null {
  const isCoin = valueAt(view, 'type') === 'coin';
  const [value, pieces] = [valueAt(view, isCoin ? 'coins' : 'tokens'), valueAt(view, 'pieces')];
  const isPieces = typeof pieces === 'bigint';
  const amount = isPieces ? new Amount(pieces, 0) : value;
  if (!(amount instanceof Amount) || amount.digits === 0n) return null;
  if (isCoin) return { amount, what: names.coin };
  const contract = valueAt(view, 'token.address_hash');
  const known = contract instanceof Address ? names.known(contract) : null;
  const unnamed = contract instanceof Address ? `of ${shortHex(contract.text)}` : 'of an unknown token';
  const of = known ?? unnamed;
  return { amount, what: isPieces ? `pieces ${known === null ? of : `of ${known}`}` : of };
}

/** The price of a token that the explorer marks as a scam says nothing. */
function tokenPrice(view: AnyView): Amount | undefined {
  const rate = valueAt(view, 'token.exchange_rate');
  return valueAt(view, 'token.reputation') === 'scam' || !(rate instanceof Amount) ? undefined : rate;
}

const ENDS = ['from.hash', 'to.hash', 'address.hash'];

/** 0: the call is about the watched address; 1: about another address that the config names. */
function rankOf(names: WatchNames, view: AnyView): number {
  const ends = ENDS.flatMap((path) => addressAt(view, path) ?? []);
  if (ends.some((address) => names.isWatched(address))) return 0;
  return ends.some((address) => names.known(address) !== null) ? 1 : 2;
}

function wordsAt(names: WatchNames, view: AnyView, path: string): string | null {
  const address = addressAt(view, path);
  return address === undefined ? null : addressWords(names, address);
}

function addressAt(view: AnyView, path: string): Address | undefined {
  const value = valueAt(view, path);
  return value instanceof Address ? value : undefined;
}
