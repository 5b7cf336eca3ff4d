// Selects the sentence of a message by the type of the alert and by the wording of its kind.
import { type Instant, showDuration } from '../../lib/clock.ts';
import { quotable } from '../../lib/untrusted.ts';
import { ON_SCHEDULE } from '../model/delivery.ts';
import type { CountedItem, OtherItems } from '../model/memory.ts';
import type { Comparison, Condition, EvaluationContext, Segment } from '../model/watch/condition.ts';
import type { AlertRule, CountAlert, EventAlert, Watch } from '../model/watch/watch.ts';
import type { Sentence, WatchNames, WordingContext } from '../model/watch/wording.ts';
import { shortHex } from '../values/address.ts';
import type { Amount } from '../values/amount.ts';
import { exactOf, isDollars, recordTypeOf, typeAt, valueAt } from '../values/fields.ts';
import { conditionSentence } from '../wording/condition-sentence.ts';
import { countSentence } from '../wording/count-sentence.ts';
import { reportSentence } from '../wording/report-sentence.ts';
import { boundWords, limitOn, limitsOf, numberWords, ownValue, textAt } from '../wording/values.ts';
import { showDate, showPart, showPath } from '../wording/words.ts';
import { ZERO } from './tallies.ts';

/** The counted items of an alert. */
export interface Counted {
  /** The number of items within the time; null if the alert waits for their absence. */
  readonly count: number | null;
  /** The number is a lower bound: only `count` items are kept. */
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
}

const NOTHING_COUNTED: Counted = {
  count: null,
  isLeast: false,
  total: ZERO,
  newest: null,
  items: [],
  reasons: new Map(),
  others: null,
};

interface Circumstances {
  readonly at: Instant;
  readonly isOver: boolean;
  readonly isStale: boolean;
  readonly counted: Counted | null;
}

export function sentenceOf(
  watch: Watch,
  alert: AlertRule,
  context: EvaluationContext,
  { at, isOver, isStale, counted }: Circumstances,
): Sentence {
  const { kind } = watch;
  const occasion = occasionOf(watch, alert, context);
  switch (alert.type) {
    case 'condition':
      return conditionSentence({ ...occasion, kind, alert, context, at, isOver, isStale });
    case 'count': {
      const found = counted ?? NOTHING_COUNTED;
      return countSentence({ ...occasion, ...found, count: found.count ?? 0, kind, alert, at, isOver });
    }
    case 'event':
      if (alert.report !== null) return reportSentence({ ...occasion, kind, context, report: alert.report });
      return withMatched(
        kind.wording.event({ ...occasion, on: alert.on, compared: alert.if?.reads ?? kind.comparedByDefault }),
        alert.if,
        occasion,
      );
  }
}

function occasionOf(watch: Watch, alert: AlertRule, { view, before }: EvaluationContext): WordingContext {
  const condition = alert.type === 'condition' ? alert.while : alert.if;
  return {
    names: namesOf(watch),
    view,
    before,
    limitOf(path) {
      const limit = limitOn(condition, path);
      const value = exactOf(valueAt(view, path));
      return limit === null || value === undefined
        ? null
        : boundWords(limit, value, numberWords(watch.kind.fields, path));
    },
  };
}

export function namesOf({ of, token, target, place, zone, nameOf, lookAlikeOf }: Watch): WatchNames {
  const named = (one: Watch['of']): string | null => (one === null ? null : (one.name ?? shortHex(one.address)));
  return {
    of: named(of),
    token: named(token),
    coin: target.coin.symbol,
    explorer: target.explorer,
    place,
    zone,
    known: nameOf,
    lookAlike: lookAlikeOf,
    isWatched: (address) => address !== undefined && target.address?.equals(address) === true,
  };
}

// The condition of an event in its message: its first comparison with a constant in the subject, other values that it
// read in a line of their own. A value that the kind's sentence shows is not repeated.

type Occasion = Pick<WordingContext, 'names' | 'view'>;

/** The sentence of an event that `condition` selected, with what it matched. */
function withMatched(sentence: Sentence, condition: Condition | null, occasion: Occasion): Sentence {
  if (condition === null) return sentence;
  const { lines, shows = [], implies = [], ...said } = sentence;
  const first = firstLimit(condition, { title: said.title, implies }, occasion);
  const shown = new Set(first === null ? shows : [...shows, first.path]);
  const paths = condition.reads.filter((path) => !shown.has(path));
  const matched = matchedLine(paths, condition, occasion);
  return {
    ...said,
    ...(first === null ? {} : withFirst(said, first.words)),
    lines: matched === null ? lines : [...lines, matched],
  };
}

function withFirst({ title, detail }: Pick<Sentence, 'title' | 'detail'>, words: string) {
  return { title: `${title}, ${words}`, detail: detail === null ? words : `${detail}, ${words}` };
}

interface FirstLimit {
  readonly path: string;
  /** `gas used percentage 97.2, above 95` */
  readonly words: string;
}

/** Null if there is none, its value is unknown, or the title shows a limit of its own. */
function firstLimit(
  condition: Condition,
  { title, implies }: Required<Pick<Sentence, 'title' | 'implies'>>,
  occasion: Occasion,
): FirstLimit | null {
  const all = limitsOf(condition).flatMap((limit) => limitWords(limit, occasion));
  const limits = all.filter(({ path }) => !implies.includes(path));
  const [first] = limits;
  if (first === undefined || limits.some(({ bound }) => title.includes(`, ${bound}`))) return null;
  const { path, value, bound } = first;
  const words = isDollars(recordTypeOf(occasion.view), path) ? value : `${showPath(path)} ${value}`;
  return { path, words: `${words}, ${bound}` };
}

function limitWords(limit: Comparison, occasion: Occasion) {
  const { subject } = limit;
  if (subject.type !== 'field' || subject.isBefore) return [];
  const { path } = subject;
  const number = exactOf(valueAt(occasion.view, path));
  const value = valueWords(path, occasion);
  if (number === undefined || value === null) return [];
  return [{ path, value, bound: boundWords(limit, number, numberWords(recordTypeOf(occasion.view), path)) }];
}

const MOST_PATHS = 6;

/** `Matched: gas used percentage 97.2 (above 95), method "deposit".` */
function matchedLine(paths: readonly string[], condition: Condition, occasion: Occasion): readonly Segment[] | null {
  const parts = paths.flatMap((path) => {
    const words = matchedWords(path, condition, occasion);
    return words === null ? [] : [words];
  });
  if (parts.length === 0) return null;
  const listed = parts.slice(0, MOST_PATHS).flatMap((words, i) => (i === 0 ? words : [{ text: ', ' }, ...words]));
  return joined([{ text: 'Matched: ' }, ...listed, { text: '.' }]);
}

/** The same text with as few segments as possible. */
function joined(segments: readonly Segment[]): readonly Segment[] {
  return segments.reduce<readonly Segment[]>((all, segment) => {
    const last = all.at(-1);
    const isText = last !== undefined && 'text' in last && 'text' in segment;
    return isText ? [...all.slice(0, -1), { text: `${last.text}${segment.text}` }] : [...all, segment];
  }, []);
}

function matchedWords(path: string, condition: Condition, occasion: Occasion): readonly Segment[] | null {
  const text = textAt(occasion.view, path);
  if (text !== undefined)
    return [{ text: `${showPath(path)} "` }, { untrusted: quotable(text, MOST_TEXT) }, { text: '"' }];
  const value = valueWords(path, occasion);
  if (value === null) return null;
  const limit = limitOn(condition, path);
  const bound = limit === null ? undefined : limitWords(limit, occasion).at(0)?.bound;
  return [{ text: `${showPath(path)} ${value}${bound === undefined ? '' : ` (${bound})`}` }];
}

const MOST_TEXT = 200;

/** Null for what is unknown, and for what has no short form. */
function valueWords(path: string, occasion: Occasion): string | null {
  const { names, view } = occasion;
  const type = typeAt(recordTypeOf(view), path);
  const value = valueAt(view, path);
  if (type?.type === 'hash' && typeof value === 'string') return shortHex(value);
  if (value instanceof Date) return showDate(value.getTime(), names.zone);
  const own = ownValue(occasion, path);
  if (own === undefined) return null;
  const unit =
    type?.type !== 'amount' ? null : type.unit === 'gwei' ? 'gwei' : type.unit === 'coin' ? names.coin : null;
  return unit === null ? own : `${own} ${unit}`;
}

// The condition of an alert in words, for messages and for `explain`.

/** The condition as written, with its threshold: `at least 3 new within 10m: success == false`. */
export function conditionText(alert: AlertRule): string {
  if (alert.type === 'condition') return alert.while.text;
  const selector = alert.if?.text;
  if (alert.type === 'event') return selector ?? eventText(alert);
  const what = thresholdText(alert);
  return selector === undefined ? what : `${what}: ${selector}`;
}

/** `on new`, `on schedule 0 8 * * *` */
export function eventText({ on, report }: EventAlert): string {
  return report === null ? `on ${on}` : `${ON_SCHEDULE} ${report.cron}`;
}

function thresholdText({ on, fires }: CountAlert): string {
  if (fires.type === 'none-for') return `none ${on} for ${showDuration(fires.ms)}`;
  if (fires.type === 'in-a-row') return `at least ${fires.count} ${on} in a row`;
  const within = `within ${showDuration(fires.withinMs)}`;
  switch (fires.type) {
    case 'at-least':
      return `at least ${fires.count} ${on} ${within}`;
    case 'sum':
      return `sum of ${fires.path} at least ${fires.least.toString()}, ${on} ${within}`;
    case 'ratio': {
      const of = fires.of === null ? '' : ` of those with ${fires.of.text}`;
      return `at least ${showPart(fires.part)} of ${fires.min} or more ${on} ${within}${of}`;
    }
  }
}
