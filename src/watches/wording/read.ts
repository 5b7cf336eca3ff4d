// The sentences of values that contracts answer.
import { Address, shortHex } from '../../core/values/address.ts';
import { exactOf, recordTypeOf, typeAt, valueAt, type AnyView, type ValueAt } from '../../core/values/fields.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import type {
  EventOccasion,
  KindWording,
  Sentence,
  StateOccasion,
  WatchNames,
} from '../../core/model/watch/wording.ts';
import {
  addressWords,
  changedPaths,
  changeSentence,
  ownValue,
  plainWording,
  textAt,
} from '../../core/wording/values.ts';
import { capital, lineOf, quotedText, showAmount, showPath } from '../../core/wording/words.ts';

const plain = plainWording({ noun: 'reading', thing: ({ of }) => of ?? '' });

export const readWording: KindWording = {
  ...plain,
  event: (occasion) => (occasion.on === 'changed' ? changedSentence(occasion) : plain.event(occasion)),
  state: revertSentence,
};

type Lines = Sentence['lines'];

/** One value in the subject, and a line for each other one that changed. */
function changedSentence(occasion: EventOccasion): Sentence {
  const { view, before, compared } = occasion;
  const [path, ...others] = changedPaths(view, before, compared);
  if (path === undefined) return plain.event(occasion);
  const first = { ...occasion, compared: [path] };
  const sentence = addressSentence(first, path) ?? changeSentence(first, (one) => plain.value(occasion, one));
  const lines = [
    ...sentence.lines,
    ...listLines(occasion, path, ''),
    ...others.flatMap((other) => changeLines(occasion, other)),
  ];
  return { ...sentence, lines, shows: [path, ...others] };
}

/** `vault proxy admin is now 0x3c54…b3AB, was timelock`; null for other values. */
function addressSentence(occasion: EventOccasion, path: string): Sentence | null {
  const { names, view, before } = occasion;
  if (before === null || !(valueAt(view, path) instanceof Address)) return null;
  const [now, then] = [ownValue({ names, view }, path), ownValue({ names, view: before }, path)];
  if (now === undefined || then === undefined) return null;
  const detail = `${now}, was ${then}`;
  return { title: `${plain.value(occasion, path)} is now ${detail}`, detail, measured: now, lines: [], shows: [path] };
}

/** `Proxy admin 0x3c54…b3AB, was timelock.` */
function changeLines(occasion: EventOccasion, path: string): Lines {
  const { names, view, before } = occasion;
  const name = capital(showPath(path));
  const now = ownValue({ names, view }, path);
  const then = before === null ? undefined : ownValue({ names, view: before }, path);
  if (now !== undefined) return lineOf(`${name} ${now}${then === undefined ? '' : `, was ${then}`}.`);
  const text = textAt(view, path);
  if (text !== undefined) return [textLine(name, text, before === null ? undefined : textAt(before, path))];
  return listLines(occasion, path, `${name}: `);
}

type Text = NonNullable<ReturnType<typeof textAt>>;

/** `Title "Vault 2", was "Vault".` */
function textLine(name: string, now: Text, then: Text | undefined): readonly Segment[] {
  return then === undefined ? quotedText(name, now) : [...quotedText(name, now, ''), ...quotedText(', was', then)];
}

/** `Added 0x3c54…b3AB. Removed treasury.` Empty for values that are no list. */
function listLines({ names, view, before }: EventOccasion, path: string, label: string): Lines {
  const now = itemsAt(names, view, path);
  const then = before === null ? null : itemsAt(names, before, path);
  if (now === null || then === null) return [];
  const [added, removed] = [missingIn(then, now), missingIn(now, then)];
  const words = [
    ...(added.length === 0 ? [] : [`Added ${someOf(added)}.`]),
    ...(removed.length === 0 ? [] : [`Removed ${someOf(removed)}.`]),
  ];
  return lineOf(`${label}${words.length === 0 ? 'The order of the items differs.' : words.join(' ')}`);
}

/** The items of a list in words; null if it is unknown, or has items without words of ours. */
function itemsAt(names: WatchNames, view: AnyView, path: string): readonly string[] | null {
  const type = typeAt(recordTypeOf(view), path);
  const items = valueAt(view, path);
  if (type?.type !== 'list' || !Array.isArray(items)) return null;
  const words = (items as readonly ValueAt[]).map((item) => itemWords(names, item, type.of.type === 'hash'));
  return words.every((word) => word !== null) ? words : null;
}

function itemWords(names: WatchNames, item: ValueAt, isHash: boolean): string | null {
  if (item instanceof Address) return addressWords(names, item);
  if (typeof item === 'boolean') return item ? 'yes' : 'no';
  if (isHash && typeof item === 'string') return shortHex(item);
  const number = exactOf(item);
  return number === undefined ? null : showAmount(number);
}

/** The words that the first list lacks, each as often as the second one has it more. */
function missingIn(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = [...list];
  return other.filter((word) => {
    const at = left.indexOf(word);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

const MOST_ITEMS = 5;

function someOf(words: readonly string[]): string {
  const more = words.length - MOST_ITEMS;
  return `${words.slice(0, MOST_ITEMS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const REVERTED = 'reverted.';

/** `vault price cannot be read: the call reverts`; null for other values. */
function revertSentence(occasion: StateOccasion): Sentence | null {
  const { view, path } = occasion;
  if (!path.startsWith(REVERTED)) return null;
  const words =
    valueAt(view, path) === true ? 'cannot be read: the call reverts' : 'can be read: the call does not revert';
  const title = `${plain.value(occasion, path.slice(REVERTED.length))} ${words}`;
  return { title, detail: null, measured: null, lines: [], shows: [path] };
}
