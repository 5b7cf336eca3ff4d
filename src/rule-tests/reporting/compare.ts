// Compares the expected messages with the sent ones: their longest common sequence, and the differences.
import { Address } from '../../core/values/address.ts';
import { Amount } from '../../core/values/amount.ts';
import type { Message } from '../../core/model/delivery.ts';
import type { Labels } from '../../core/model/ids.ts';
import { toPlain } from '../../notifiers/rendering/facts.ts';
import { ours, textOf as linesOf } from '../../notifiers/rendering/wording.ts';
import type { AddressOf, Expected, RuleTest, Wanted } from '../model.ts';
import type { RuleTestRun, SentMessage } from '../run-watch.ts';

export type ComparedLine =
  | {
      readonly type: 'as-expected';
      readonly sent: SentMessage;
      readonly expected: Expected;
      readonly differences: readonly string[];
    }
  | { readonly type: 'unexpected'; readonly sent: SentMessage }
  | { readonly type: 'missing'; readonly expected: Expected };

/** The compared messages, in the order of time. */
export function compare({ expected, addressOf }: RuleTest, { sent }: RuleTestRun): ComparedLine[] {
  const common = longestCommon(expected, sent);
  const lines: ComparedLine[] = [];
  let [e, s] = [0, 0];
  while (e < expected.length || s < sent.length) {
    const [want, got] = [expected[e], sent[s]];
    if (want !== undefined && got !== undefined && common[e] === s) {
      lines.push({ type: 'as-expected', sent: got, expected: want, differences: differencesOf(want, got, addressOf) });
      [e, s] = [e + 1, s + 1];
    } else if (got !== undefined && (want === undefined || got.poll.at < want.at || common[e] !== undefined)) {
      lines.push({ type: 'unexpected', sent: got });
      s += 1;
    } else if (want !== undefined) {
      lines.push({ type: 'missing', expected: want });
      e += 1;
    }
  }
  return lines;
}

/** The state in a message's type: `firing` of `alert.firing`. */
export function stateOf({ type }: Message): string {
  return type.slice(type.indexOf('.') + 1);
}

/** The text as it is sent. */
export function textOf(message: Message): string {
  return linesOf(message).join('\n');
}

function isSame(expected: Expected, { poll, message }: SentMessage): boolean {
  return expected.at === poll.at && expected.alert === message.alert && expected.state === stateOf(message);
}

/** For each expectation the index of the message that matches it in the common sequence. */
function longestCommon(expected: readonly Expected[], sent: readonly SentMessage[]): (number | undefined)[] {
  const lengths = commonLengths(expected, sent);
  let from = 0;
  return expected.map((want, e) => {
    const isNext = (got: SentMessage, s: number) =>
      isSame(want, got) && (lengths[e + 1]?.[s + 1] ?? 0) + 1 === lengths[e]?.[from];
    const found = sent.findIndex((got, s) => s >= from && isNext(got, s));
    if (found < 0) return undefined;
    from = found + 1;
    return found;
  });
}

/** `lengths[e][s]`: length of the longest common sequence of `expected` from `e` on and `sent` from `s` on. */
function commonLengths(expected: readonly Expected[], sent: readonly SentMessage[]): number[][] {
  const lengths: number[][] = [];
  lengths[expected.length] = new Array<number>(sent.length + 1).fill(0);
  for (const [e, want] of [...expected.entries()].toReversed()) {
    const row = new Array<number>(sent.length + 1).fill(0);
    for (const [s, got] of [...sent.entries()].toReversed()) {
      const [below, beside] = [lengths[e + 1]?.[s] ?? 0, row[s + 1] ?? 0];
      row[s] = isSame(want, got) ? (lengths[e + 1]?.[s + 1] ?? 0) + 1 : Math.max(below, beside);
    }
    lengths[e] = row;
  }
  return lengths;
}

function differencesOf(expected: Expected, { message, to, group }: SentMessage, addressOf: AddressOf): string[] {
  return [
    ...(expected.severity === null || expected.severity === message.severity
      ? []
      : [`severity: expected ${expected.severity}, is ${message.severity}`]),
    ...textDifference('title', expected.title, ours(message.title)),
    ...textDifference('text', expected.text, textOf(message)),
    ...fieldDifferences(expected, message, addressOf),
    ...channelDifference(expected.to, to),
    ...groupDifference(expected.group, group),
  ];
}

function channelDifference(wanted: readonly string[] | null, is: readonly string[]): string[] {
  if (wanted === null || [...new Set(wanted)].toSorted().join() === is.join()) return [];
  return [`to: expected ${wanted.map(ours).join(', ')}, is ${is.map(ours).join(', ')}`];
}

function groupDifference(wanted: Labels | null, is: Labels): string[] {
  const [expected, actual] = [wanted ?? is, is].map(showLabels);
  return expected === actual ? [] : [`group: expected ${expected ?? ''}, is ${actual ?? ''}`];
}

function showLabels(labels: Labels): string {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{ ${sorted.map(([name, value]) => `${ours(name)}: ${ours(value)}`).join(', ')} }`;
}

function textDifference(name: string, wanted: Wanted | null, is: string): string[] {
  if (wanted === null) return [];
  if ('contains' in wanted)
    return is.includes(wanted.contains)
      ? []
      : [`${name}: expected to contain "${ours(wanted.contains)}"`, `is "${ours(is)}"`];
  const lines = wanted.exactly
    .split('\n')
    .map(ours)
    .filter((line) => line !== '');
  return lines.join('\n') === is ? [] : [`${name}: expected "${ours(wanted.exactly)}"`, `is "${ours(is)}"`];
}

function fieldDifferences({ fields }: Expected, message: Message, addressOf: AddressOf): string[] {
  const plainFields = toPlain(message.fields);
  return fields.flatMap(([path, wanted]) => {
    const is = textAt(plainFields, path);
    if (isEqual(wanted, is, addressOf)) return [];
    const actual = is === null ? `not in the message, which has ${Object.keys(plainFields).join(', ')}` : ours(is);
    return [`fields.${ours(path)}: expected ${wanted === null ? 'nothing' : ours(wanted)}, is ${actual}`];
  });
}

function textAt(fields: unknown, path: string): string | null {
  const found = path.split('.').reduce<unknown>(partOf, fields);
  if (found === undefined) return null;
  return typeof found === 'string' ? found : JSON.stringify(found);
}

function partOf(whole: unknown, name: string): unknown {
  return typeof whole === 'object' && whole !== null && Object.hasOwn(whole, name)
    ? Reflect.get(whole, name)
    : undefined;
}

/** Numbers are compared by value, addresses without letter case or by name, everything else as text. */
function isEqual(wanted: string | null, is: string | null, addressOf: AddressOf): boolean {
  if (wanted === null || is === null || wanted === is) return wanted === is;
  const [a, b] = [Amount.parse(wanted.replaceAll('_', '')), Amount.parse(is)];
  if (a !== undefined && b !== undefined) return a.equals(b);
  const address = Address.parse(is);
  return address !== undefined && (Address.parse(wanted) ?? addressOf(wanted))?.equals(address) === true;
}
