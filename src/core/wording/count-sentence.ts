// The sentence of an alert that counts items: enough of them within a time, or none for a time.
import type { Instant } from '../../lib/clock.ts';
import type { CountedItem, OtherItems } from '../model/memory.ts';
import { untrusted } from '../../lib/untrusted.ts';
import type { Condition, Segment } from '../model/watch/condition.ts';
import type { AnyKind } from '../model/watch/kind.ts';
import type { CountAlert, Threshold } from '../model/watch/watch.ts';
import { Amount } from '../values/amount.ts';
import type { WordingContext, Sentence } from '../model/watch/wording.ts';
import { conditionWords, type ConditionWords } from './condition-words.ts';
import { boundWords, numberWords, ownValue } from './values.ts';
import { capital, lineOf, showPart, showPath, showSpan, showTime } from './words.ts';

export interface CountedSort extends Pick<WordingContext, 'names'> {
  readonly kind: AnyKind;
  readonly alert: Pick<CountAlert, 'id' | 'fires' | 'per' | 'if'>;
}

export interface CountOccasion extends WordingContext, CountedSort {
  /** The number within the time; 0 if the alert waits for absence. */
  readonly count: number;
  /** The true number may be higher. */
  readonly isLeast: boolean;
  /** The sum of the added values; for a ratio, the number of matching items. */
  readonly total: Amount;
  /** The time at which the newest item happened; null if no time is known. */
  readonly newest: Instant | null;
  /** The newest items, the newest first. */
  readonly items: readonly CountedItem[];
  /** The number of times each reason was given, the most frequent first. Untrusted texts; null: none was given. */
  readonly reasons: ReadonlyMap<string | null, number>;
  /** Items that do not match, since the last one that does; null: none are counted. */
  readonly others: OtherItems | null;
  readonly at: Instant;
  readonly isOver: boolean;
}

export function countSentence(occasion: CountOccasion): Sentence {
  const { fires } = occasion.alert;
  switch (fires.type) {
    case 'none-for':
      return absence(occasion, fires.ms);
    case 'at-least':
      return crowd(occasion, fires.withinMs);
    case 'in-a-row':
      return streak(occasion, fires.count);
    case 'sum':
      return sum(occasion, fires);
    case 'ratio':
      return ratio(occasion, fires);
  }
}

/** `3 failed vault calls in 10 min from 0x3c54…b3ab` */
function crowd(occasion: CountOccasion, withinMs: number): Sentence {
  const { count, isLeast, isOver } = occasion;
  const when = `in ${showSpan(withinMs)}${groupWords(occasion)}`;
  return {
    title: `${manyWords(occasion)} ${when}`,
    detail: `${count}${isLeast ? ' or more' : ''} ${when}`,
    measured: String(count),
    lines: isOver ? [] : [...conditionLines(occasion), ...reasonLine(occasion), ...crowdLines(occasion)],
  };
}

/** `10 blocks in a row with gas used percentage above 95`, and its end. */
function streak(occasion: CountOccasion, limit: number): Sentence {
  const { count, isLeast, isOver } = occasion;
  if (isOver)
    return {
      title: `no longer ${limit} ${itemWords(occasion, limit, IN_A_ROW)}`,
      detail: null,
      measured: String(count),
      lines: [],
    };
  const many = `${count}${isLeast ? ' or more' : ''}`;
  return {
    title: `${many} ${itemWords(occasion, count, IN_A_ROW)}`,
    detail: `${many}${IN_A_ROW}`,
    measured: String(count),
    lines: [...conditionLines(occasion), ...reasonLine(occasion), ...crowdLines(occasion)],
  };
}

export const IN_A_ROW = ' in a row';

/** `value of 3 vault transactions in 1 h: 120.5, at or above 100` */
function sum(occasion: CountOccasion, { path, least, withinMs }: Extract<Threshold, { type: 'sum' }>): Sentence {
  const { kind, total, isOver } = occasion;
  const show = numberWords(kind.fields, path);
  const when = `in ${showSpan(withinMs)}${groupWords(occasion)}`;
  const limit = boundWords({ operator: isOver ? '<' : '>=', bound: least }, total, show);
  return {
    title: `${showPath(path)} of ${manyWords(occasion)} ${when}: ${show(total)}, ${limit}`,
    detail: `${show(total)} ${when}, ${limit}`,
    measured: show(total),
    lines: isOver ? [] : [...conditionLines(occasion), ...reasonLine(occasion), ...crowdLines(occasion)],
  };
}

/** `24 failed of 100 vault calls in 10 min: 24 %, limit 20 %` */
function ratio(occasion: CountOccasion, { part, withinMs }: Extract<Threshold, { type: 'ratio' }>): Sentence {
  const { count, total, isOver } = occasion;
  const share = count === 0 ? '' : `: ${showPart(total.dividedBy(new Amount(BigInt(count), 0)))}`;
  const { before, behind } = selectionWords(occasion, occasion.alert.if);
  const matching = `${total.toString()} ${before}`.trimEnd() + behind;
  const when = `in ${showSpan(withinMs)}${groupWords(occasion)}`;
  const limit = `${share}, limit ${showPart(part)}`;
  return {
    title: `${matching} of ${count} ${itemWords(occasion, count)} ${when}${limit}`,
    detail: `${total.toString()} of ${count} ${when}${limit}`,
    measured: `${total.toString()} of ${count}`,
    lines: isOver
      ? []
      : [...conditionLines(occasion), ...reasonLine(occasion), ...crowdLines({ ...occasion, count: total.toNumber() })],
  };
}

/** `3 failed vault calls` */
function manyWords(occasion: CountOccasion): string {
  const { count, isLeast } = occasion;
  const many = count === 0 ? 'no' : `${count}${isLeast ? ' or more' : ''}`;
  return `${many} ${itemWords(occasion, count)}`;
}

/**
 * `failed vault calls with value above 5`: the items that are counted; for a ratio, all of which a part matches. `how`
 * is put behind the noun.
 */
export function itemWords(sort: CountedSort, count: number, how = ''): string {
  const { before, behind } = selectionWords(sort, selectorOf(sort.alert));
  return `${before}${sort.kind.wording.items(sort.names).noun}${count === 1 ? '' : 's'}${how}${behind}`;
}

function selectorOf({ if: selector, fires }: CountedSort['alert']): Condition | null {
  return fires.type === 'ratio' ? fires.of : selector;
}

const ALL_ITEMS: ConditionWords = { before: '', behind: '' };

/** A condition without words of its own is named by its alert, and `conditionLines` shows it. */
function selectionWords({ kind, names, alert }: CountedSort, condition: Condition | null): ConditionWords {
  if (condition === null) return ALL_ITEMS;
  return conditionWords(condition, kind.fields, names) ?? { before: '', behind: ` that match ${alert.id}` };
}

/** `Condition: value > fee * 2.` */
function conditionLines({ kind, names, alert }: CountedSort): Sentence['lines'] {
  const { if: selector, fires } = alert;
  const textOf = (condition: Condition | null, label: string): string | null =>
    condition === null || conditionWords(condition, kind.fields, names) !== null
      ? null
      : `${label}: ${shortened(condition.text.trim().replaceAll(/\s+/g, ' '))}`;
  const counted = fires.type === 'ratio' ? textOf(fires.of, 'Condition of all that count') : null;
  return [textOf(selector, 'Condition'), counted].flatMap((line) => lineOf(line));
}

const MOST_CONDITION = 200;

function shortened(text: string): string {
  return text.length <= MOST_CONDITION ? text : `${text.slice(0, MOST_CONDITION - 1)}…`;
}

/** One line for each item, the number of further items, and the time of the newest if nothing else shows it. */
function crowdLines(occasion: CountOccasion): Sentence['lines'] {
  const { items, count, isLeast, at, names } = occasion;
  const moment = { now: at, zone: names.zone };
  const listed = items.filter(({ place }) => place !== '');
  if (listed.length === 0) return lineOf(newestWords(occasion, 'Newest at'));
  const more = count > listed.length ? [`and ${isLeast ? 'at least ' : ''}${count - listed.length} more.`] : [];
  const lines = listed.map((item) => `${capital(item.place)}, ${showTime(item.at, moment)}.`);
  return [...lines, ...more].flatMap((line) => lineOf(line));
}

/** ` from 0x3c54…b3ab`; empty without groups. */
function groupWords(occasion: CountOccasion): string {
  const words = occasion.alert.per.map((path) => {
    const value = ownValue(occasion, path) ?? 'unknown';
    const [, end] = /^(from|to)\.hash$/.exec(path) ?? [];
    return end === undefined ? `with ${showPath(path)} ${value}` : `${end} ${value}`;
  });
  return words.length === 0 ? '' : ` ${words.join(', ')}`;
}

/** `no successful call to vault for 6 h` */
function absence(occasion: CountOccasion, ms: number): Sentence {
  const { before, behind } = selectionWords(occasion, occasion.alert.if);
  const one = `${before}${occasion.kind.wording.items(occasion.names).one}${behind}`;
  if (occasion.isOver)
    return { title: `${one} again`, detail: null, measured: null, lines: lineOf(newestWords(occasion, 'At')) };
  const detail = `none for ${showSpan(ms)}`;
  const newest = newestWords(occasion, 'Last one at') ?? 'None since it is watched.';
  return {
    title: `no ${one} for ${showSpan(ms)}`,
    detail,
    measured: null,
    lines: [...conditionLines(occasion), ...lineOf(newest, othersWords(occasion))],
  };
}

/** `3 other bridge transactions since, the newest at 05:00 UTC.`; null without a condition, since then all would match. */
function othersWords({ kind, names, alert, others, at }: CountOccasion): string | null {
  if (alert.if === null) return null;
  const { noun } = kind.wording.items(names);
  if (others === null || others.newest === null) return `No other ${noun} since.`;
  const { count, newest } = others;
  const time = showTime(newest, { now: at, zone: names.zone });
  return count === 1 ? `1 other ${noun} since, at ${time}.` : `${count} other ${noun}s since, the newest at ${time}.`;
}

const MOST_REASONS = 3;

/** `Reasons: "insufficient liquidity" 14, none given 8.`; empty if no item gave one. */
function reasonLine({ reasons }: CountOccasion): Sentence['lines'] {
  if (![...reasons.keys()].some((text) => text !== null)) return [];
  const all = [...reasons];
  const rest = all.slice(MOST_REASONS).reduce((sum, [, count]) => sum + count, 0);
  const parts = all
    .slice(0, MOST_REASONS)
    .map(([text, count]): Segment[] =>
      text === null
        ? [{ text: `none given ${count}` }]
        : [{ text: '"' }, { untrusted: untrusted(text) }, { text: `" ${count}` }],
    );
  const listed = parts.flatMap((part, i) => (i === 0 ? part : [{ text: ', ' }, ...part]));
  return [[{ text: 'Reasons: ' }, ...listed, { text: rest === 0 ? '.' : `, others ${rest}.` }]];
}

function newestWords({ newest, at, names }: CountOccasion, label: string): string | null {
  return newest === null ? null : `${label} ${showTime(newest, { now: at, zone: names.zone })}.`;
}
