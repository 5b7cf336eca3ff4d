// The states of an event about an item in a block.
//
//   observed --deep enough--> confirmed --gone--> suspect --still gone--> retracted --there for 10 min--> confirmed
//   observed --gone--> dropped --there again--> observed
//
// Only a complete reading of its range can show that an item is gone. Three such readings in a row are believed, or one
// with a proof. An item that was retracted once may come and go. From then on a message is sent only when its presence
// was the same for ten minutes, so that the last message is true. At `FINAL_DEPTH` blocks an item is final and no
// longer tracked. Two sorts of items are tracked ten times as long. An item that was removed from its block may be
// mined again. An item that was missing when its block was last read, or whose block was not read again because the
// list was read in part or the explorer was behind, is not known to be final.
//
// An item that is in no block must also be missing for ten minutes, while the chain's head moves: not every server has
// every pending transaction, and no block shows that it is gone.
import type { EventAlert } from '../../model/watch/watch.ts';
import type { EventTransition } from '../../model/decision.ts';
import type { Instant } from '../../../lib/clock.ts';
import { isGone, type EventProgress, type Now, type Sighting } from './event-progress.ts';

/** Blocks on top of an item after which it is final. */
export const FINAL_DEPTH = 64;

type Depths = Pick<EventAlert, 'confirmations' | 'provisional'>;

export interface EventAdvance {
  /** Null: the event is not tracked, or no longer. The same object as before when nothing changed. */
  readonly after: EventProgress | null;
  readonly transition: EventTransition | 'none';
}

/** The state of an item that matches for the first time. */
export function beginEvent(rule: Depths, block: number | null, head: number | null): EventAdvance {
  const depth = depthOf(block, head);
  const transition = rule.provisional || depth >= rule.confirmations ? 'confirmed' : 'observed';
  const isFinal = transition === 'confirmed' && depth >= finalDepth(rule);
  const life: EventProgress = { state: transition, block, ...PRESENT, retractions: 0 };
  return { after: isFinal ? null : life, transition };
}

const PRESENT = { absent: 0, turnedAt: null, absentHead: null };

/** The state after one poll. */
export function advanceEvent(rule: Depths, before: EventProgress, sighting: Sighting, now: Now): EventAdvance {
  const depth = depthOf(sighting.type === 'seen' ? sighting.block : placeOf(before), now.head);
  const place = { ...now, depth, mayBeGone: mayBeGone(before, sighting, now) };
  switch (sighting.type) {
    case 'seen':
      return advanceSeen(rule, before, sighting, place);
    case 'absent':
      return isGone(before) ? stayAway(rule, before, place) : advanceAbsent(before, sighting.isProven, now);
    case 'unread':
    case 'incomplete':
      return advanceUnread(rule, before, place);
    case 'doubted':
      return isGone(before) ? stayAway(rule, before, place) : { after: before, transition: 'none' };
    case 'behind': {
      const ended = advanceUnread(rule, before, place);
      return ended.transition === 'none' ? { ...ended, transition: 'behind' } : ended;
    }
  }
}

type SeenSighting = Extract<Sighting, { type: 'seen' }>;

interface Place extends Now {
  readonly depth: number;
  readonly mayBeGone: boolean;
}

/**
 * True if the poll does not show whether the item's block still has it. False for an item that newer ones pushed off
 * the pages: the next polls do not read so deep either, so its depth alone makes it final.
 */
function mayBeGone({ block }: EventProgress, { type }: Sighting, { reach }: Now): boolean {
  if (type === 'incomplete' || type === 'behind') return true;
  return type === 'unread' && block !== null && reach !== null && reach < block;
}

function advanceSeen(rule: Depths, before: EventProgress, { as, block }: SeenSighting, place: Place): EventAdvance {
  const { at, depth } = place;
  const current: EventProgress = { ...before, block, ...PRESENT };
  if (as === 'no-match') return advanceMismatch(before, current);
  switch (before.state) {
    case 'observed':
    case 'dropped':
      if (depth >= rule.confirmations) return confirm(rule, current, 'confirmed', place);
      return unchangedOr(before, { ...current, state: 'observed' }, before.state === 'dropped' ? 'observed' : 'none');
    case 'retracted':
      if (isStable(before, at)) return confirm(rule, current, 'reinstated', place);
      return unchangedOr(before, { ...current, turnedAt: before.turnedAt ?? at }, 'none');
    case 'suspect':
    case 'confirmed':
      if (as === 'other') return confirm(rule, current, 'corrected', place);
      if (depth >= finalDepth(rule)) return { after: null, transition: 'sealed' };
      return unchangedOr(before, { ...current, state: 'confirmed' }, before.state === 'suspect' ? 'back' : 'none');
  }
}

/** The item is present and no longer matches. */
function advanceMismatch(before: EventProgress, current: EventProgress): EventAdvance {
  if (before.state === 'observed') return { after: null, transition: 'dropped' };
  if (before.state === 'dropped') return { after: null, transition: 'none' };
  if (before.state === 'retracted') return unchangedOr(before, current, 'none');
  return { after: retracted(current), transition: 'retracted' };
}

function confirm(rule: Depths, current: EventProgress, transition: EventTransition, place: Place): EventAdvance {
  const after: EventProgress = { ...current, state: 'confirmed', turnedAt: null, absentHead: null };
  return { after: isForgotten(rule, after, place) ? null : after, transition };
}

const OBSERVED_READINGS_NEEDED = 2;
const BELIEVED_AFTER = 3;
const STABLE_MS = 600_000;

function advanceAbsent(before: EventProgress, isProven: boolean, { at, reach }: Now): EventAdvance {
  const absent = before.absent + 1;
  const absentHead = absentHeadOf(before, reach);
  const gone: EventProgress = { ...before, absent, turnedAt: before.turnedAt ?? at, absentHead };
  if (before.state === 'observed') {
    const isOver = isProven || absent >= OBSERVED_READINGS_NEEDED;
    return isOver
      ? { after: { ...gone, state: 'dropped' }, transition: 'dropped' }
      : { after: gone, transition: 'none' };
  }
  const isWaiting = before.block === null;
  const isLongEnough = isStable(gone, at) || (before.retractions === 0 && !isWaiting);
  const hasMoved = !isWaiting || (absentHead !== null && reach !== null && reach > absentHead);
  const isBelieved = absent >= BELIEVED_AFTER && isLongEnough && hasMoved;
  if (isProven || isBelieved) return { after: retracted({ ...gone, turnedAt: null }), transition: 'retracted' };
  return { after: { ...gone, state: 'suspect' }, transition: before.state === 'suspect' ? 'none' : 'suspect' };
}

function retracted(life: EventProgress): EventProgress {
  return { ...life, state: 'retracted', retractions: life.retractions + 1 };
}

/** The item is known to be gone and is missing, perhaps again after it was present for a while. */
function stayAway(rule: Depths, before: EventProgress, place: Place): EventAdvance {
  const { reach } = place;
  if (isForgotten(rule, before, place)) return { after: null, transition: 'sealed' };
  const absentHead = absentHeadOf(before, reach);
  return unchangedOr(before, { ...before, turnedAt: null, absentHead }, 'none');
}

/**
 * The item is no longer on the pages that are read. Its last state stays, until its depth confirms it or ends the
 * tracking.
 */
function advanceUnread(rule: Depths, before: EventProgress, place: Place): EventAdvance {
  const { at, depth } = place;
  if (before.state === 'observed' && depth >= rule.confirmations) return confirm(rule, before, 'confirmed', place);
  if (before.state === 'retracted' && isStable(before, at))
    return confirm(rule, { ...before, absent: 0, turnedAt: null }, 'reinstated', place);
  if (isForgotten(rule, before, place)) return { after: null, transition: 'sealed' };
  return { after: before, transition: 'none' };
}

function isStable({ turnedAt }: EventProgress, at: Instant): boolean {
  return turnedAt !== null && at - turnedAt >= STABLE_MS;
}

// An item that may be gone is tracked for this many times the final depth: a transaction that was removed from a block
// may wait longer to be mined again than a block takes to become final.
const RETENTION_OF_GONE = 10;

function isForgotten(rule: Depths, life: EventProgress, { depth, mayBeGone }: Place): boolean {
  const isUncertain = isGone(life) || life.state === 'suspect' || mayBeGone;
  return depth >= finalDepth(rule) * (isUncertain ? RETENTION_OF_GONE : 1);
}

function unchangedOr(
  before: EventProgress,
  after: EventProgress,
  transition: EventAdvance['transition'],
): EventAdvance {
  const isSame =
    before.state === after.state &&
    before.block === after.block &&
    before.absent === after.absent &&
    before.turnedAt === after.turnedAt &&
    before.absentHead === after.absentHead;
  return { after: isSame ? before : after, transition };
}

/** True if the item is final, so that no later change of it is sent. */
export function isFinal(rule: Depths, block: number | null, head: number | null): boolean {
  return depthOf(block, head) >= finalDepth(rule);
}

function finalDepth({ confirmations }: Depths): number {
  return Math.max(FINAL_DEPTH, confirmations);
}

function absentHeadOf({ block, absentHead }: EventProgress, reach: number | null): number | null {
  return block === null ? (absentHead ?? reach) : null;
}

/**
 * The height from which the depth is counted: the item's block, or the head at the time when a pending item went
 * missing. It is null until that item is known to be gone, since otherwise the item could become final before.
 */
function placeOf(life: EventProgress): number | null {
  return life.block ?? (isGone(life) ? life.absentHead : null);
}

/** The number of blocks on top of the item's block. 0 for an item that is in no block, or if the head is unknown. */
function depthOf(block: number | null, head: number | null): number {
  return block === null || head === null ? 0 : Math.max(0, head - block);
}
