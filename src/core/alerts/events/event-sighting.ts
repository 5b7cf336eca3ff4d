// What one poll says of a tracked event: present as it was sent, changed, missing, or not read.
import { needOf } from '../../chain/tick-chain.ts';
import type { DetectedEvent, Range } from '../../model/detection.ts';
import type { EventState } from '../../model/memory.ts';
import type { HeadNeed } from '../../model/observation.ts';
import type { EventAlert } from '../../model/watch/watch.ts';
import { isAddressText } from '../../values/address.ts';
import type { AnyRecord, Json } from '../../values/fields.ts';
import { standing } from '../../values/standing.ts';
import type { Remembered } from '../../values/tracked.ts';
import type { Poll } from '../alert-evaluation.ts';
import { contextOf, truthOf } from './event-matching.ts';
import { blockOf } from './event-message.ts';
import { isGone, type Sighting } from './event-progress.ts';

export interface TrackedEvent {
  readonly key: string;
  readonly before: EventState;
  /** Undefined: this poll did not show it. */
  readonly event: DetectedEvent | undefined;
  /** It was pending and will never be in a block, whether or not the poll shows it. */
  readonly isReplaced: boolean;
  /** Of the alert: what its messages show, and what makes a correction. */
  readonly paths: { readonly shown: readonly string[]; readonly compared: readonly string[] };
}

/**
 * An item is only shown to be gone by a complete reading of its range, from an explorer that has read as far as its
 * block.
 */
export function missingSighting(poll: Poll, { before, isReplaced }: TrackedEvent): Sighting {
  if (isReplaced) return { type: 'absent', isProven: true };
  if (poll.detection !== null && poll.detection.doubt !== null) return { type: 'doubted' };
  const range = poll.detection?.range ?? null;
  const { block } = before;
  if (!poll.isComplete || range === null) return { type: 'unread' };
  if (block === null) return missingWhileWaiting(poll, before, range);
  if (block < range.from)
    return isWithin(range.below, block)
      ? { type: 'absent', isProven: isBlockReplaced(poll, before, block) }
      : { type: 'unread' };
  const to = range.to === 'head' ? poll.reach : range.to;
  if (to !== null && block <= to)
    return { type: 'absent', isProven: range.replaced.includes(block) || isBlockReplaced(poll, before, block) };
  return isGone(before) || range.to !== 'head' ? { type: 'unread' } : { type: 'behind' };
}

function isWithin(heights: Range['below'], block: number): boolean {
  return heights?.some(({ from, to }) => from <= block && block <= to) === true;
}

/**
 * Pending items are listed above all blocks, so a reading up to the head includes them. A replica that is behind may
 * never have heard of one.
 */
function missingWhileWaiting({ chain }: Poll, before: EventState, { to }: Range): Sighting {
  if (to !== 'head') return { type: 'unread' };
  return isGone(before) || (typeof chain === 'object' && !chain.isBehind)
    ? { type: 'absent', isProven: false }
    : { type: 'behind' };
}

/** Another block has its height, and was first shown after the item was last seen. */
function isBlockReplaced({ chain, time }: Poll, { turnedAt }: EventState, block: number): boolean {
  const seenUntil = turnedAt ?? time.coveredUntil ?? Infinity;
  return typeof chain === 'object' && chain.replaced.some(([height, since]) => height === block && since > seenUntil);
}

/** The explorer's head may show that the item is gone; the block at its height may prove it. */
export function needFor(poll: Poll, before: EventState, sighting: Sighting): HeadNeed | null {
  const isOpen = sighting.type === 'behind' || (sighting.type === 'absent' && !sighting.isProven && !isGone(before));
  const head = before.block ?? (before.absentHead ?? -1) + 1;
  return isOpen && poll.detection?.range?.to === 'head' ? needOf(poll.chain, head) : null;
}

interface SeenEvent extends TrackedEvent {
  readonly seen: { readonly event: DetectedEvent; readonly values: Remembered };
}

/** Of what this poll shows. */
export function sightingOf(poll: Poll, alert: EventAlert, { before, paths, seen }: SeenEvent): Sighting {
  const block = blockOf(seen.event);
  // How it ended was unknown while it was pending, and is known now: that corrects what was sent.
  const hasEnded = before.block === null && block !== null;
  const isComparable = (path: string): boolean => hasEnded || isKnown(before.values, path);
  const compared = paths.compared.filter((path) => isComparable(path) && isKnown(seen.values, path));
  const { fields } = poll.watch.kind;
  const isOther = compared.some((path) => differ(fields, path, [before.values, seen.values]));
  if (!isOther) return { type: 'seen', as: 'same', block };
  const truth = truthOf(poll, alert, contextOf(seen.event, null, seen.event.happenedAt ?? before.since));
  return { type: 'seen', as: truth === 'unknown' ? 'same' : truth ? 'other' : 'no-match', block };
}

/** Paths that were matched on or are shown, without those that change while the item stays the same. */
export function comparedPaths({ watch: { kind } }: Poll, alert: EventAlert): string[] {
  const paths = new Set([...kind.shown, ...(alert.if?.reads ?? [])]);
  return [...paths].filter((path) => !kind.fleeting.some((one) => path === one || path.startsWith(`${one}.`)));
}

export function isKnown(values: Remembered, path: string): boolean {
  return (values[path] ?? null) !== null;
}

function differ(table: AnyRecord, path: string, [one, other]: readonly [Remembered, Remembered]): boolean {
  const [a, b] = [one, other].map((values) => comparable(standing(table, path, values[path] ?? null)));
  return a !== b;
}

/** Servers differ in the letter case of addresses, which is no change. */
function comparable(value: Json): string {
  const text = JSON.stringify(value);
  return isAddressText(value) ? text.toLowerCase() : text;
}
