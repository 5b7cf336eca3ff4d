// What a silence is about: which rules and alerts of the config in force, and which open alerts.
import { BUILT_IN_RULE } from '../../core/model/ids.ts';
import { labelsOf } from '../../core/model/labels.ts';
import type { Watch } from '../../core/model/watch.ts';
import { isSilencedBy, namesSelf } from '../../dispatch/silenced.ts';
import { fitsGlob } from '../../dispatch/match.ts';
import type { Labels, Matcher } from '../../dispatch/model.ts';
import { selfLabels } from '../../engine/self/self-watch.ts';
import { LabelValues, type LabelMistake } from '../../rules/label-values.ts';
import { patternComplaint } from '../../config/route-shape.ts';
import type { Mistake } from '../../web/problem.ts';

/** One alert of a rule, over all of the rule's watches. */
export interface SilencedAlert {
  /** The id of the rule. */
  readonly watch: string;
  readonly alert: string;
  /** How many watches of the rule. */
  readonly watches: number;
}

export interface Reach {
  readonly rules: number;
  /** Of so many in all. */
  readonly ofRules: number;
  /** Alerts of single watches. */
  readonly alerts: number;
  readonly silenced: readonly SilencedAlert[];
}

interface Named {
  /** Name of the watch. */
  readonly name: string;
  readonly labels: Labels;
}

/** Of the config in force. A matcher that is no valid one, or matches nothing, is a list of mistakes. */
export function reachOf(matchers: Matcher, watches: readonly Watch[]): Reach | readonly Mistake[] {
  const alerts = namedAlerts(watches, namesSelf(matchers));
  const mistakes = mistakesIn(matchers, alerts);
  if (mistakes.length > 0) return mistakes;
  const own = alerts.filter(({ labels }) => isSilencedBy(matchers, labels));
  if (own.length === 0) return [{ pointer: '/matchers', detail: nothingMatches(matchers) }];
  const silenced = [...Map.groupBy(own, ({ labels }) => JSON.stringify([labels['watch'], labels['alert']])).values()];
  return {
    rules: new Set(own.map(({ labels }) => labels['watch']).filter((rule) => rule !== BUILT_IN_RULE)).size,
    ofRules: new Set(watches.map(({ rule }) => rule)).size,
    alerts: new Set(own.map(({ name, labels }) => JSON.stringify([name, labels['alert']]))).size,
    silenced: silenced.map((same) => ({
      watch: same[0]?.labels['watch'] ?? '',
      alert: same[0]?.labels['alert'] ?? '',
      watches: new Set(same.map(({ name }) => name)).size,
    })),
  };
}

function namedAlerts(watches: readonly Watch[], withSelf: boolean): Named[] {
  const own = watches.flatMap((watch) => {
    return watch.alerts.map((alert): Named => ({ name: watch.name, labels: labelsOf(watch, alert) }));
  });
  if (!withSelf) return own;
  const explorers = new Set(watches.map(({ target }) => target.explorer));
  return [...own, ...selfLabels(explorers).map((labels): Named => ({ name: BUILT_IN_RULE, labels }))];
}

function mistakesIn(matchers: Matcher, alerts: readonly Named[]): Mistake[] {
  const values = new LabelValues();
  for (const { labels } of alerts) values.add(labels);
  const complaints = Object.entries(matchers).flatMap(([label, patterns]): Mistake[] => {
    const detail = patternComplaint(typeof patterns === 'string' ? [patterns] : patterns);
    return detail === undefined ? [] : [{ pointer: pointerTo(label, null), detail }];
  });
  return complaints.length > 0 ? complaints : values.mistakesIn(matchers).map((one) => mistakeOf(one, matchers));
}

function mistakeOf({ label, index, message, hint }: LabelMistake, matchers: Matcher): Mistake {
  const patterns = [matchers[label] ?? []].flat();
  const meansSelf = label === 'watch' && fitsGlob(patterns[index ?? 0] ?? '', BUILT_IN_RULE);
  const advice = meansSelf
    ? `What the daemon tells of itself is silenced as watch=${BUILT_IN_RULE}, written in full.`
    : hint;
  return { pointer: pointerTo(label, index), detail: [`${message}.`, advice].filter(Boolean).join(' ') };
}

/** RFC 6901. A label has neither a tilde nor a slash. */
function pointerTo(label: string, index: number | null): string {
  return `/matchers/${label}${index === null ? '' : `/${index}`}`;
}

function nothingMatches(matchers: Matcher): string {
  const isOne = Object.keys(matchers).length < 2;
  return `match no alert${isOne ? '' : ': none has all of these labels at once'}`;
}
