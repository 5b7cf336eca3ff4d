// Compares the values of a sent event with the values in this poll.
import { blockOf, type DetectedEvent } from '../../model/detection.ts';
import { isFleeting } from '../../model/watch/kind.ts';
import type { EventAlert } from '../../model/watch/watch.ts';
import { Address, isAddressText } from '../../values/address.ts';
import { condense, expand } from '../../values/condensed.ts';
import { type AnyRecord, type AnyView, isDollars, type Json, recordTypeOf, valueAt } from '../../values/fields.ts';
import { standing, standingAt } from '../../values/standing.ts';
import { type Remembered, viewOf } from '../../values/encoded.ts';
import { pricePathsOf } from '../../wording/values.ts';
import { remembered } from '../../../lib/remembered.ts';
import { type AlertPoll, contextOf, truthOf } from '../alert-evaluation.ts';
import type { Sighting } from './event-progress.ts';
import type { TrackedEvent } from './event-sighting.ts';

interface ShownEvent extends Pick<TrackedEvent, 'before' | 'paths'> {
  readonly event: DetectedEvent;
}

interface Compared {
  readonly sighting: Sighting;
  /** The remembered values: the same object as before if nothing was added. */
  readonly values: Remembered;
}

/** Remembered values with the row and the rule for which the comparison found no difference. */
const comparedWith = new WeakMap<Remembered, { readonly event: DetectedEvent; readonly alert: EventAlert }>();

/** Compares an event that this poll shows. */
export function compareEvent(poll: AlertPoll, alert: EventAlert, shown: ShownEvent): Compared {
  const { before, event, paths } = shown;
  const same = { type: 'seen', as: 'same', block: blockOf(event) } as const;
  const last = comparedWith.get(before.values);
  // Equal answers have the same row objects, so the result of the last comparison still holds.
  if (last?.event === event && last.alert === alert) return { sighting: same, values: before.values };
  const view = atFirstPrice(event.view, before.values);
  const now = valuesOf(view, paths.shown);
  if (isOther(poll, shown, now)) {
    const sighting = otherSighting(poll, alert, shown, view);
    return { sighting, values: merged(before.values, now, sighting) };
  }
  const values = merged(before.values, now, same);
  if (values === before.values) comparedWith.set(values, { event, alert });
  return { sighting: same, values };
}

function isOther(poll: AlertPoll, { before, event, paths }: ShownEvent, now: Remembered): boolean {
  // The result of a pending item was unknown and is now known, so the sent message is corrected.
  const hasEnded = before.block === null && blockOf(event) !== null;
  const isComparable = (path: string): boolean => hasEnded || isKnown(before.values, path);
  const compared = paths.compared.filter((path) => isComparable(path) && isKnown(now, path));
  const { fields } = poll.watch.kind;
  return compared.some((path) => differs(fields, path, before.values, now));
}

/** The item in dollars at the price with which its event was matched, since prices move from poll to poll. */
export function atFirstPrice(view: AnyView, matched: Remembered): AnyView {
  const record = recordTypeOf(view);
  const paths = dollarPathsOf(record).filter((path) => isKnown(matched, path));
  if (paths.length === 0) return view;
  const fixed = [...paths, ...pricePathsOf(record, paths)];
  const first = viewOf(record, expand(Object.fromEntries(fixed.map((path) => [path, matched[path] ?? null]))));
  return record.over(view, Object.fromEntries(fixed.map((path) => [path, valueAt(first, path)])));
}

// Each poll compares each tracked event, so the paths are computed only once.
const dollarPathsOf = remembered((record: AnyRecord) =>
  Object.keys(record.fields).filter((path) => isDollars(record, path)),
);

function otherSighting(poll: AlertPoll, alert: EventAlert, { before, event }: ShownEvent, view: AnyView): Sighting {
  const truth = truthOf(poll, alert, contextOf({ view }, null, event.happenedAt ?? before.since));
  return { type: 'seen', as: truth === 'unknown' ? 'same' : truth ? 'other' : 'no-match', block: blockOf(event) };
}

/** Paths that were matched on or are shown, without those that change while the item stays the same. */
export function comparedPaths({ watch: { kind } }: AlertPoll, alert: EventAlert): string[] {
  const paths = new Set([...kind.shown, ...(alert.if?.reads ?? [])]);
  return [...paths].filter((path) => !isFleeting(kind, path));
}

function isKnown(values: Remembered, path: string): boolean {
  return (values[path] ?? null) !== null;
}

/** Earlier releases also stored the fleeting fields of a value, so these are removed before the comparison. */
function differs(table: AnyRecord, path: string, before: Remembered, now: Remembered): boolean {
  return comparable(standing(table, path, before[path] ?? null)) !== comparable(now[path] ?? null);
}

/** Servers differ in the letter case of addresses, which is no change. */
function comparable(value: Json): string {
  const text = JSON.stringify(value);
  return isAddressText(value) ? text.toLowerCase() : text;
}

/** The known values at these paths. Long values are condensed. */
export function valuesOf(view: AnyView, paths: readonly string[]): Remembered {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const value = valueAt(view, path);
      if (value === undefined) return [];
      // Addresses keep the spelling that was shown, so that people can compare the two messages.
      return [[path, value instanceof Address ? value.text : condense(standingAt(view, path))]];
    }),
  );
}

/** A value that becomes known later is added without a correction. The same object as before when nothing was added. */
function merged(before: Remembered, now: Remembered, sight: Sighting): Remembered {
  if (sight.type !== 'seen' || sight.as === 'no-match') return before;
  if (sight.as === 'other') return { ...before, ...now };
  const isSame = Object.keys(now).every((path) => isKnown(before, path));
  return isSame ? before : { ...now, ...before };
}
