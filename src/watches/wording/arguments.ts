// Words for arguments of functions and events.
import { Address } from '../../core/values/address.ts';
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
import { ownValue } from '../../core/wording/values.ts';
import { quotedText, showAmount } from '../../core/wording/words.ts';
import type { Untrusted } from '../../lib/untrusted.ts';

/**
 * `, amount 1,200,000, above 1,000,000`: the first argument that the rule compares with a constant; else empty. Without
 * name and value if the subject shows the value.
 */
export function argumentLimit(occasion: EventOccasion, subject = ''): string {
  for (const path of occasion.compared) {
    const limit = path.startsWith('args.') ? occasion.limitOf(path) : null;
    const value = limit === null ? undefined : ownValue(occasion, path);
    if (value === undefined) continue;
    const isShown = ` ${subject} `.includes(` ${value} `);
    return `${isShown ? '' : `, ${path.slice('args.'.length)} ${value}`}, ${limit ?? ''}`;
  }
  return '';
}

const MOST_ARGUMENTS = 8;

/** `newOwner 0x3c54..., delay 5. `; empty if no argument is known. */
export function argumentLine({ names, view }: Pick<WordingContext, 'names' | 'view'>): readonly Segment[] {
  const args = valueAt(view, 'args');
  const known = isView(args) ? knownArguments(args) : [];
  return isView(args) && known.length > 0 ? argumentWords(names, args, known) : [];
}

/** Paths that the line shows. */
export function shownArguments(view: AnyView): readonly string[] {
  const args = valueAt(view, 'args');
  return isView(args)
    ? knownArguments(args)
        .slice(0, MOST_ARGUMENTS)
        .map((name) => `args.${name}`)
    : [];
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
  if (typeof value === 'bigint') return showAmount(new Amount(value, 0));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 1 ? 'with 1 item' : `with ${value.length} items`;
  if (type?.type === 'record') return `with ${Object.keys(type.record.fields).length} parts`;
  return type?.type === 'hash' && typeof value === 'string' ? value : 'unknown';
}
