// The result for a tracked event that the poll does not show: missing, or not read.
import { needOf } from '../../chain/tick-chain.ts';
import type { DetectedEvent, BlockRange } from '../../model/detection.ts';
import type { EventState } from '../../model/memory.ts';
import type { HeadNeed } from '../../model/observation.ts';
import type { AlertPoll } from '../alert-evaluation.ts';
import { isGone, type Sighting } from './event-progress.ts';

export interface TrackedEvent {
  readonly key: string;
  readonly before: EventState;
  /** Undefined: this poll did not show it. */
  readonly event: DetectedEvent | undefined;
  /** True if the item was pending and will never be in a block, even if the poll shows it. */
  readonly isReplaced: boolean;
  /** Paths of the alert: those that its messages show, and those whose change is a correction. */
  readonly paths: { readonly shown: readonly string[]; readonly compared: readonly string[] };
}

/**
 * An item counts as missing only if its range was read completely, and the explorer has read as far as the item's
 * block.
 */
export function missingSighting(poll: AlertPoll, { before, isReplaced }: TrackedEvent): Sighting {
  if (isReplaced) return { type: 'absent', isProven: true };
  if (poll.detection !== null && poll.detection.doubt !== null) return { type: 'doubted' };
  const range = poll.detection?.range ?? null;
  const { block } = before;
  if (!poll.isComplete || range === null) return { type: 'incomplete' };
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

function isWithin(heights: BlockRange['below'], block: number): boolean {
  return heights?.some(({ from, to }) => from <= block && block <= to) === true;
}

/**
 * Pending items are listed above all blocks, so a reading up to the head includes them. A replica that is behind may
 * not know a pending item.
 */
function missingWhileWaiting({ chain }: AlertPoll, before: EventState, { to }: BlockRange): Sighting {
  if (to !== 'head') return { type: 'unread' };
  return isGone(before) || (typeof chain === 'object' && !chain.isBehind)
    ? { type: 'absent', isProven: false }
    : { type: 'behind' };
}

/** True if another block has the height of the item, and was first shown after the item was last seen. */
function isBlockReplaced({ chain, time }: AlertPoll, { turnedAt }: EventState, block: number): boolean {
  const seenUntil = turnedAt ?? time.coveredUntil ?? Infinity;
  return typeof chain === 'object' && chain.replaced.some(([height, since]) => height === block && since > seenUntil);
}

/**
 * The height up to which the explorer must have read before the item counts as gone; null if no height is needed. The
 * block that is now at this height may prove that the item is gone.
 */
export function needFor(poll: AlertPoll, before: EventState, sighting: Sighting): HeadNeed | null {
  const isOpen = sighting.type === 'behind' || (sighting.type === 'absent' && !sighting.isProven && !isGone(before));
  const head = before.block ?? (before.absentHead ?? -1) + 1;
  return isOpen && poll.detection?.range?.to === 'head' ? needOf(poll.chain, head) : null;
}
