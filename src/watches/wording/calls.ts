// Words for transactions that call a function: `admin called transferOwnership on vault`.
import { NO_SELECTOR } from '../../core/calls/call-data.ts';
import { Address, shortHex } from '../../core/values/address.ts';
import { Amount } from '../../core/values/amount.ts';
import {
  isView,
  recordTypeOf,
  typeAt,
  valueAt,
  type AnyRecord,
  type AnyView,
  type FieldType,
  type ValueAt,
} from '../../core/values/fields.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import type { EventOccasion, WatchNames, WordingContext } from '../../core/model/watch/wording.ts';
import { textAt } from '../../core/wording/change-sentence.ts';
import { addressWords, ownValue } from '../../core/wording/values.ts';
import { quotedText, showAmount } from '../../core/wording/words.ts';
import { rawText, type Untrusted } from '../../lib/untrusted.ts';

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

/** `pause call of admin to vault`, for what is said of its end. */
export function callWords({ names, view }: Pick<WordingContext, 'names' | 'view'>, called: string): string {
  const [from, to] = [addressText(names, view, 'from.hash'), addressText(names, view, 'to.hash')];
  return [`${called} call`, from && `of ${from}`, to && `to ${to}`].filter((part) => part !== null).join(' ');
}

/** `, amount 1,200,000, above 1,000,000`: the first argument that the rule compares with a constant; else empty. */
export function argumentLimit(occasion: EventOccasion): string {
  for (const path of occasion.compared) {
    const limit = path.startsWith('args.') ? occasion.limitOf(path) : null;
    const value = limit === null ? undefined : ownValue(occasion, path);
    if (value !== undefined) return `, ${path.slice('args.'.length)} ${value}, ${limit ?? ''}`;
  }
  return '';
}

const MOST_ARGUMENTS = 8;

/** `newOwner 0x3c54..., delay 5. `, or the name that only the explorer gives; empty if neither is known. */
export function callLine({ names, view }: Pick<WordingContext, 'names' | 'view'>): readonly Segment[] {
  const args = valueAt(view, 'args');
  const known = isView(args) ? knownArguments(args) : [];
  if (isView(args) && known.length > 0) return argumentWords(names, args, known);
  const isUnnamed = functionWords({ names, view }) !== null && valueAt(view, 'called') === undefined;
  const given = isUnnamed ? textAt(view, 'method') : undefined;
  return given === undefined || rawText(given).startsWith('0x')
    ? []
    : [...quotedText('Name given:', given), { text: ' ' }];
}

/** Paths that a subject with the function shows. */
export const CALLED: readonly string[] = ['called', 'selector'];

/** Paths that the subject and the first line show of the call. */
export function shownOfCall(occasion: Pick<WordingContext, 'names' | 'view'>): readonly string[] {
  const args = valueAt(occasion.view, 'args');
  const known = isView(args) ? knownArguments(args).slice(0, MOST_ARGUMENTS) : [];
  return [...(functionWords(occasion) === null ? [] : CALLED), ...known.map((name) => `args.${name}`)];
}

function knownArguments(args: AnyView): readonly string[] {
  return Object.keys(recordTypeOf(args).fields).filter((name) => valueAt(args, name) !== undefined);
}

function argumentWords(names: WatchNames, args: AnyView, known: readonly string[]): readonly Segment[] {
  const shown = known.slice(0, MOST_ARGUMENTS).flatMap((name, i): readonly Segment[] => {
    const divider = i === 0 ? [] : [{ text: ', ' }];
    return [...divider, ...oneArgument(names, args, name)];
  });
  const more = known.length - MOST_ARGUMENTS;
  return [...shown, { text: more > 0 ? ` and ${more} more. ` : '. ' }];
}

function oneArgument(names: WatchNames, args: AnyView, name: string): readonly Segment[] {
  const record: AnyRecord = recordTypeOf(args);
  const [type, value] = [typeAt(record, name), valueAt(args, name)];
  if (type?.type === 'text') return quotedText(name, value as Untrusted, '');
  return [{ text: `${name} ${valueWords(names, type, value)}` }];
}

function valueWords(names: WatchNames, type: FieldType | undefined, value: ValueAt): string {
  if (value instanceof Address) return names.known(value) ?? value.text;
  if (value instanceof Amount) return showAmount(value);
  if (typeof value === 'bigint') return value.toLocaleString('en-US');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 1 ? 'with 1 item' : `with ${value.length} items`;
  if (type?.type === 'record') return `with ${Object.keys(type.record.fields).length} parts`;
  return type?.type === 'hash' && typeof value === 'string' ? value : 'unknown';
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
