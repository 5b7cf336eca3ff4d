// The reach of a silence: the matching rules and alerts of the config in force.
import { patternComplaint } from '../config/routing/route-shape.ts';
import { BUILT_IN_RULE } from '../core/model/ids.ts';
import { labelsOf } from '../core/model/watch/identity.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Report } from '../core/reports/model.ts';
import { fitsGlob, isSilencedBy, namesSelf } from '../dispatch/policy/match.ts';
import type { Labels, Matcher } from '../dispatch/model.ts';
import { LabelValues, type LabelMistake } from '../rules/label-values.ts';

/** Everything that may be silenced. */
export interface Silenceable {
  readonly watches: readonly Watch[];
  readonly reports: readonly Report[];
  /** Labels of the daemon's alerts about itself. */
  readonly selfLabels: readonly Labels[];
}

/** One alert of one watch, or a report. */
export interface SilencedAlert {
  /** Name of the watch or the report. */
  readonly name: string;
  readonly labels: Labels;
  /** The channels of its rule; empty for an alert of the daemon about itself. */
  readonly notify: readonly string[];
}

export interface SilenceReach {
  readonly rules: number;
  /** The number of all rules. */
  readonly ofRules: number;
  /** The matching alerts, at least one. */
  readonly alerts: readonly SilencedAlert[];
}

/** A mistake in a matcher, with its place as a JSON pointer into a request. */
export interface MatcherMistake {
  readonly pointer: string;
  readonly detail: string;
}

/** Computes the reach of matchers. Returns a list of mistakes if one is invalid, or if no alert matches. */
export function reachOf(
  matchers: Matcher,
  { watches, reports, selfLabels }: Silenceable,
): SilenceReach | readonly MatcherMistake[] {
  const all = [
    ...alertsOf(watches),
    ...reports.map(ofReport),
    ...(namesSelf(matchers) ? selfLabels.map(ofDaemon) : []),
  ];
  const mistakes = mistakesIn(matchers, all);
  if (mistakes.length > 0) return mistakes;
  const alerts = all.filter(({ labels }) => isSilencedBy(matchers, labels));
  if (alerts.length === 0) return [{ pointer: '/matchers', detail: nothingMatches(matchers) }];
  return {
    rules: new Set(alerts.map(({ labels }) => labels['watch']).filter((rule) => rule !== BUILT_IN_RULE)).size,
    ofRules: new Set(watches.map(({ rule }) => rule)).size + reports.length,
    alerts,
  };
}

/** True if the silence covers more than half of the rules, so that it may be a mistake. */
export function isWide({ rules, ofRules }: Pick<SilenceReach, 'rules' | 'ofRules'>): boolean {
  return 2 * rules > ofRules;
}

function alertsOf(watches: readonly Watch[]): SilencedAlert[] {
  return watches.flatMap((watch) =>
    watch.alerts.map((rule) => ({ name: watch.name, labels: labelsOf(watch, rule), notify: rule.notify })),
  );
}

function ofReport({ id, labels, notify }: Report): SilencedAlert {
  return { name: id, labels, notify };
}

function ofDaemon(labels: Labels): SilencedAlert {
  return { name: BUILT_IN_RULE, labels, notify: [] };
}

function mistakesIn(matchers: Matcher, alerts: readonly SilencedAlert[]): MatcherMistake[] {
  const values = new LabelValues();
  for (const { labels } of alerts) values.add(labels);
  const complaints = Object.entries(matchers).flatMap(([label, patterns]): MatcherMistake[] => {
    const detail = patternComplaint(typeof patterns === 'string' ? [patterns] : patterns);
    return detail === undefined ? [] : [{ pointer: pointerTo(label, null), detail }];
  });
  return complaints.length > 0 ? complaints : values.mistakesIn(matchers).map((one) => mistakeOf(one, matchers));
}

function mistakeOf({ label, index, message, hint }: LabelMistake, matchers: Matcher): MatcherMistake {
  const patterns = [matchers[label] ?? []].flat();
  const meansSelf = label === 'watch' && fitsGlob(patterns[index ?? 0] ?? '', BUILT_IN_RULE);
  const advice = meansSelf
    ? `Alerts about the daemon itself are silenced as watch=${BUILT_IN_RULE}, written in full.`
    : hint;
  return { pointer: pointerTo(label, index), detail: [`${message}.`, advice].filter(Boolean).join(' ') };
}

/** A JSON Pointer (RFC 6901). A label contains neither a tilde nor a slash, so it needs no escapes. */
function pointerTo(label: string, index: number | null): string {
  return `/matchers/${label}${index === null ? '' : `/${index}`}`;
}

function nothingMatches(matchers: Matcher): string {
  const isOne = Object.keys(matchers).length < 2;
  return `match no alert${isOne ? '' : ': none has all of these labels at once'}`;
}
