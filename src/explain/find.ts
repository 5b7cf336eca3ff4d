// Finds the watch and those of its alerts that an argument names.
import { hintFor } from '../config/values/nearest.ts';
import { quote } from '../config/values/scalars.ts';
import type { AlertRule, Watch } from '../core/model/watch/watch.ts';

export interface WatchSelection {
  readonly watch: Watch;
  readonly alerts: readonly AlertRule[];
}

/**
 * `written` is `id` for every address and token of the rule, or `id[label]` for one of them, or either with `/alert`.
 * Returns a mistake with a hint if none fits.
 */
export function findWatches(
  watches: readonly Watch[],
  written: string,
): readonly WatchSelection[] | { complaint: string } {
  const whole = named(watches, written);
  if (whole.length > 0) return whole.map((watch) => ({ watch, alerts: watch.alerts }));
  const slash = written.lastIndexOf('/');
  const found = slash < 0 ? [] : named(watches, written.slice(0, slash));
  if (found.length === 0)
    return { complaint: complaintOf('watch', slash < 0 ? written : written.slice(0, slash), names(watches)) };
  const id = written.slice(slash + 1);
  const meant = found.map((watch) => ({ watch, alerts: watch.alerts.filter((alert) => alert.id === id) }));
  if (meant.some(({ alerts }) => alerts.length > 0)) return meant;
  return { complaint: complaintOf('alert', id, found[0]?.alerts.map((alert) => alert.id) ?? []) };
}

function named(watches: readonly Watch[], name: string): readonly Watch[] {
  const exact = watches.filter((watch) => watch.name === name || watch.id === name);
  return exact.length > 0 ? exact : watches.filter(({ rule }) => rule === name);
}

function names(watches: readonly Watch[]): Iterable<string> {
  return new Set(watches.flatMap(({ rule, name }) => [rule, name]));
}

function complaintOf(what: string, written: string, legal: Iterable<string>): string {
  return [`no ${what} ${quote(written)}.`, hintFor(written, legal)].filter((part) => part !== undefined).join(' ');
}
