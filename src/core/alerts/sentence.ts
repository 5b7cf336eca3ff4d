// Selects the sentence of a message by the type of the alert and by the wording of its kind.
import type { Instant } from '../../lib/clock.ts';
import type { EvaluationContext } from '../model/watch/condition.ts';
import type { CountedItem, OtherItems } from '../model/memory.ts';
import type { AlertRule, Watch } from '../model/watch/watch.ts';
import type { WatchNames, WordingContext, Sentence } from '../model/watch/wording.ts';
import type { Amount } from '../values/amount.ts';
import { shortHex } from '../values/address.ts';
import { exactOf, valueAt } from '../values/fields.ts';
import { boundWords, limitOn, numberWords } from '../wording/comparisons.ts';
import { conditionSentence } from '../wording/condition-sentence.ts';
import { countSentence } from '../wording/count-sentence.ts';
import { withMatched } from '../wording/matched-line.ts';
import { reportSentence } from '../wording/report-sentence.ts';
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
