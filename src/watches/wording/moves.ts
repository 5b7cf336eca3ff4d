// The common words of transactions and calls. Both move coins from one address to another, belong to a block, and may
// fail with a reason.
import { Address, shortHex } from '../../core/values/address.ts';
import type { Amount } from '../../core/values/amount.ts';
import { addressWords, onPlace, textAt } from '../../core/wording/values.ts';
import { quotedText, showAmount } from '../../core/wording/words.ts';
import { valueAt, type AnyView } from '../../core/values/fields.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import type { WatchNames, WordingContext, Sentence } from '../../core/model/watch/wording.ts';

/** `vault sent 250 ETH, above 100`. With ` in a call` as `how`: `vault sent 250 ETH in a call, above 100`. */
export function movedSentence(
  occasion: WordingContext,
  value: Amount,
  how = '',
): Pick<Sentence, 'title' | 'detail' | 'measured'> {
  const { names, view } = occasion;
  const [from, to] = [addressAt(view, 'from.hash'), receiverOf(view)];
  const measured = showAmount(value);
  const limit = occasion.limitOf('value');
  const moved = `${measured} ${names.coin}${how}`;
  const end = limit === null ? '' : `, ${limit}`;
  const isReceipt = !names.isWatched(from) && names.isWatched(to);
  const who = isReceipt || names.isWatched(from) ? (names.of ?? '') : nameOf(names, from);
  const title = `${who} ${isReceipt ? 'received' : 'sent'} ${moved}${onPlace(names)}${end}`;
  return { title, detail: `${moved}${end}`, measured };
}

/** `admin sent 250 ETH to vault, calling deposit, above 100` */
export function paidSentence(
  occasion: WordingContext,
  value: Amount,
  called: string,
): Pick<Sentence, 'title' | 'detail' | 'measured'> {
  const { names, view } = occasion;
  const [from, to] = [addressAt(view, 'from.hash'), receiverOf(view)];
  const measured = showAmount(value);
  const limit = occasion.limitOf('value');
  const bound = limit === null ? '' : `, ${limit}`;
  const coins = `${measured} ${names.coin}`;
  const title = `${nameOf(names, from)} sent ${coins} to ${nameOf(names, to)}, calling ${called}${bound}`;
  return { title, detail: `${coins}${bound}`, measured };
}

/** `to vault`, `from vault`, `from 0x3c54…b3AB` */
export function endWords({ names, view }: Pick<WordingContext, 'names' | 'view'>): string {
  const [from, to] = [addressAt(view, 'from.hash'), receiverOf(view)];
  return !names.isWatched(from) && names.isWatched(to) ? `to ${nameOf(names, to)}` : `from ${nameOf(names, from)}`;
}

/**
 * The reason of the failure, both addresses, and the place: `Reason given: "stack underflow". 0x3c54…b3AB to vault,
 * block 14,035,098`.
 */
export function placeLine(
  occasion: WordingContext,
  { reason, hash }: { readonly reason: string | null; readonly hash: string },
): readonly (readonly Segment[])[] {
  const { names, view } = occasion;
  const ends = `${nameOf(names, addressAt(view, 'from.hash'))} to ${nameOf(names, receiverOf(view))}`;
  const place = [ends, ...blockWords(view, hash)].join(', ');
  return [[...(reason === null ? [] : reasonWords(view, reason)), { text: `${place}.` }]];
}

/** `block 14,035,098`, `tx 0x0346…8120` */
export function blockWords(view: AnyView, hash: string): string[] {
  const [height, tx] = [valueAt(view, 'block_number'), valueAt(view, hash)];
  return [
    ...(typeof height === 'bigint' ? [`block ${height.toLocaleString('en-US')}`] : []),
    ...(typeof tx === 'string' ? [`tx ${shortHex(tx)}`] : []),
  ];
}

function reasonWords(view: AnyView, path: string): Segment[] {
  const given = textAt(view, path);
  return given === undefined ? [{ text: 'No reason given. ' }] : [...quotedText('Reason given:', given), { text: ' ' }];
}

/** A transaction that creates a contract has no receiver. */
function receiverOf(view: AnyView): Address | undefined {
  return addressAt(view, 'to.hash') ?? addressAt(view, 'created_contract.hash');
}

function addressAt(view: AnyView, path: string): Address | undefined {
  const value = valueAt(view, path);
  return value instanceof Address ? value : undefined;
}

function nameOf(names: WatchNames, address: Address | undefined): string {
  return address === undefined ? 'an unknown address' : addressWords(names, address);
}
