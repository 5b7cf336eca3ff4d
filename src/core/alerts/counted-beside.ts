// Facts of a count beside its number: the reasons of counted failures, and the items that were there while the counted
// ones were absent.
import { quotable, rawText } from '../../lib/untrusted.ts';
import type { Instant } from '../../lib/clock.ts';
import type { DetectedEvent } from '../model/detection.ts';
import type { GroupState, OtherItems, ReasonGiven } from '../model/memory.ts';
import type { AnyKind } from '../model/watch/kind.ts';
import { textAt } from '../wording/values.ts';

export const MOST_REASONS = 100;
const MOST_TEXT = 120;

/** The reason why an item failed: untrusted text, condensed; null: no reason was given; undefined: it did not fail. */
export function reasonOf({ wording }: AnyKind, { view }: DetectedEvent): string | null | undefined {
  const path = wording.reasonPath?.(view) ?? null;
  if (path === null) return undefined;
  const text = textAt(view, path);
  return text === undefined ? null : rawText(quotable(text, MOST_TEXT));
}

/** Adds the reason of one more item, which may be null. Returns the same object if the item is no failure. */
export function withReason(
  kind: AnyKind,
  reasons: readonly ReasonGiven[] | undefined,
  { event, at }: { readonly event: DetectedEvent; readonly at: Instant },
): readonly ReasonGiven[] | undefined {
  const text = reasonOf(kind, event);
  if (text === undefined) return reasons;
  return [...(reasons ?? []), { text, at }].toSorted((a, b) => a.at - b.at).slice(-MOST_REASONS);
}

/** The reasons that were given between two times, by how often. */
export function reasonsBetween(
  { reasons = [] }: Pick<GroupState, 'reasons'>,
  from: Instant,
  until: Instant,
): ReadonlyMap<string | null, number> {
  return byNumber(reasons.flatMap(({ text, at }) => (at > from && at <= until ? [text] : [])));
}

/**
 * Counts equal texts, and sorts them by their number, the most frequent first. Null means that no reason was given, and
 * comes last.
 */
export function byNumber(texts: readonly (string | null)[]): ReadonlyMap<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  return new Map([...sorted.filter(([text]) => text !== null), ...sorted.filter(([text]) => text === null)]);
}

const NO_OTHERS: OtherItems = { count: 0, newest: null };

/**
 * Adds the items of a poll that do not match to the group, if they are later than the last item that matches. Returns
 * the same object if nothing changes.
 */
export function withOthers(
  group: GroupState,
  before: GroupState | undefined,
  { others, at }: { readonly others: readonly DetectedEvent[]; readonly at: Instant },
): GroupState {
  const last = group.matches.at(-1);
  const isAnew = last !== before?.matches.at(-1);
  const times = others.map(({ happenedAt }) => happenedAt ?? at).filter((time) => last === undefined || time > last);
  if (times.length === 0) return isAnew && group.others !== undefined ? { ...group, others: undefined } : group;
  const { count, newest } = isAnew || group.others === undefined ? NO_OTHERS : group.others;
  return { ...group, others: { count: count + times.length, newest: Math.max(...times, newest ?? 0) } };
}
