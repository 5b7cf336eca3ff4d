// Open alerts that mute others. Example: an alert that a chain does not advance mutes the alerts that this causes.
import type { WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { InhibitRule, Key, Labels, InhibitingAlert, DispatchContext } from '../model.ts';
import { isAbout } from './silenced.ts';

/** If the watch of a source was not polled for this long, the source mutes nothing any more. */
const BELIEVED_MS = 3_600_000;

/** The time after a start for which decisions on a watch wait for its first poll. */
const FIRST_POLL_MS = 300_000;

/**
 * The end of the time that a decision waits for the first poll of a watch after the start. Null: the watch was polled,
 * or the clock was set back behind the start.
 */
export function firstPollUntil(
  { startedAt, lookedAt }: Pick<DispatchContext, 'startedAt' | 'lookedAt'>,
  watch: WatchId,
  now: Instant,
): Instant | null {
  return lookedAt(watch) !== null || now < startedAt ? null : startedAt + FIRST_POLL_MS;
}

export interface Inhibition<S extends InhibitingAlert> {
  readonly source: S;
  readonly rule: InhibitRule;
}

/** The first rule with an open source for an alert; null: nothing mutes it. */
export type InhibitionOf<S extends InhibitingAlert> = (alert: {
  readonly key: Key;
  readonly labels: Labels;
}) => Inhibition<S> | null;

/**
 * Sources are indexed by the labels that must be equal, so the cost for one alert does not grow with the number of
 * sources. If an alert or a source lacks one of these labels, the rule does not apply to it. No alert mutes itself.
 */
export function inhibitionsAt<S extends InhibitingAlert>(
  world: Pick<DispatchContext, 'inhibit' | 'coveredUntil' | 'startedAt'> & { readonly sources: readonly S[] },
  now: Instant,
): InhibitionOf<S> {
  const believed = world.sources.filter(({ watch }) => isBelieved(world, watch, now));
  const rules = world.inhibit.map((rule) => ({ rule, sources: sourcesOf(rule, believed) }));
  return ({ key, labels }) => {
    for (const { rule, sources } of rules) {
      if (!isAbout(rule.mute, labels)) continue;
      const source = sources.get(valuesOf(rule, labels) ?? '')?.find((one) => one.key !== key);
      if (source !== undefined) return { source, rule };
    }
    return null;
  };
}

function isBelieved(
  { coveredUntil, startedAt }: Pick<DispatchContext, 'coveredUntil' | 'startedAt'>,
  watch: WatchId,
  now: Instant,
): boolean {
  const until = coveredUntil(watch) ?? -Infinity;
  // After a long stop, a source stays in force until the first poll, at most for `FIRST_POLL_MS`.
  return now - until <= BELIEVED_MS || (until < startedAt && now - startedAt < FIRST_POLL_MS);
}

/**
 * Keeps at most two sources for the same values. An alert does not mute itself: if it is one of the two sources, the
 * other one mutes it.
 */
function sourcesOf<S extends InhibitingAlert>(rule: InhibitRule, open: readonly S[]): Map<string, S[]> {
  const byValues = new Map<string, S[]>();
  for (const source of open) {
    const values = isAbout(rule.when, source.labels) ? valuesOf(rule, source.labels) : null;
    if (values === null) continue;
    const same = byValues.get(values) ?? [];
    if (same.length < 2) byValues.set(values, [...same, source]);
  }
  return byValues;
}

/** Null if one of the labels is missing. The text is never empty, so a lookup of '' finds no source. */
function valuesOf({ equal }: InhibitRule, labels: Labels): string | null {
  const values = equal.map((label) => (Object.hasOwn(labels, label) ? labels[label] : undefined));
  return values.includes(undefined) ? null : JSON.stringify(values);
}
