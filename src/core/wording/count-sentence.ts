// The sentence of an alert that counts items: enough of them within a time, or none for a time.
import type { Instant } from '../../lib/clock.ts';
import type { CountedItem } from '../model/memory.ts';
import type { AnyKind } from '../model/watch/kind.ts';
import type { CountAlert, Threshold } from '../model/watch/watch.ts';
import { Amount } from '../values/amount.ts';
import { encodedAt, viewOf } from '../values/tracked.ts';
import type { WordingContext, Sentence } from '../model/watch/wording.ts';
import { boundWords, numberWords } from './comparisons.ts';
import { ownValue } from './values.ts';
import { capital, lineOf, showPart, showPath, showSpan, showTime } from './words.ts';

export interface CountedSort extends Pick<WordingContext, 'names' | 'view'> {
  readonly kind: AnyKind;
  readonly alert: Pick<CountAlert, 'fires' | 'per' | 'if'>;
}

export interface CountOccasion extends WordingContext, CountedSort {
  /** The number within the time; 0 if the alert waits for absence. */
  readonly count: number;
  /** The true number may be higher. */
  readonly isLeast: boolean;
  /** The sum of the added values; for a ratio, the number of matching items. */
  readonly total: Amount;
  /** When the newest item happened; null if no time is known. */
  readonly newest: Instant | null;
  /** The newest items, the newest first. */
  readonly items: readonly CountedItem[];
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
    lines: isOver ? [] : crowdLines(occasion),
  };
}

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
    lines: isOver ? [] : crowdLines(occasion),
  };
}

/** `24 of 100 vault calls in 10 min: 24 %, limit 20 %` */
function ratio(occasion: CountOccasion, { part, withinMs }: Extract<Threshold, { type: 'ratio' }>): Sentence {
  const { count, total, isOver } = occasion;
  const share = count === 0 ? '' : `: ${showPart(total.dividedBy(new Amount(BigInt(count), 0)))}`;
  const many = manyWords(occasion);
  const when = `in ${showSpan(withinMs)}${groupWords(occasion)}`;
  const limit = `${share}, limit ${showPart(part)}`;
  return {
    title: `${count === 0 ? '' : `${total.toString()} of `}${many} ${when}${limit}`,
    detail: `${total.toString()} of ${count} ${when}${limit}`,
    measured: `${total.toString()} of ${count}`,
    lines: isOver ? [] : crowdLines({ ...occasion, count: total.toNumber() }),
  };
}

/** `3 failed vault calls` */
function manyWords(occasion: CountOccasion): string {
  const { count, isLeast } = occasion;
  const many = count === 0 ? 'no' : `${count}${isLeast ? ' or more' : ''}`;
  return `${many} ${sortWords(occasion).noun}${count === 1 ? '' : 's'}`;
}

/**
 * The name of all counted items, and not only of the newest: `failed vault call` if the condition selects failed calls,
 * `matching vault call` if it selects by something else. For a ratio, the name of all items.
 */
export function sortWords({ kind, names, view, alert }: CountedSort): { readonly one: string; readonly noun: string } {
  const { fields, wording } = kind;
  const all = wording.items(names, fields.make({}));
  if (alert.if === null || alert.fires.type === 'ratio') return all;
  const asked = Object.fromEntries(alert.if.reads.map((path) => [path, encodedAt(view, path)]));
  const { one, noun } = wording.items(names, viewOf(fields, asked));
  return noun === all.noun ? { one: `matching ${one}`, noun: `matching ${noun}` } : { one, noun };
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

/** `no call to vault for 6 h` */
function absence(occasion: CountOccasion, ms: number): Sentence {
  const { one } = sortWords(occasion);
  if (occasion.isOver)
    return { title: `${one} again`, detail: null, measured: null, lines: lineOf(newestWords(occasion, 'At')) };
  const detail = `none for ${showSpan(ms)}`;
  const newest = newestWords(occasion, 'Last one at') ?? 'None since it is watched.';
  return { title: `no ${one} for ${showSpan(ms)}`, detail, measured: null, lines: lineOf(newest) };
}

function newestWords({ newest, at, names }: CountOccasion, label: string): string | null {
  return newest === null ? null : `${label} ${showTime(newest, { now: at, zone: names.zone })}.`;
}
