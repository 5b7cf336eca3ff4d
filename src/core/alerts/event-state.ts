// The life of an event about something in a block (lifecycle 4.3).
//
//   observed --deep enough--> confirmed --gone--> suspect --still gone--> retracted --there again--> confirmed
//   observed --gone--> dropped --there again--> observed
//
// Nothing that was not read says anything: only a complete reading of its range can show that an item is gone, and only
// several in a row are believed. Below `FINAL_DEPTH` blocks nothing is taken back, and the event is forgotten;
// what was thrown out of its block is remembered ten times as long, for it may be mined again.
import type { EventState } from '../model/memory.ts';
import type { EventAlert } from '../model/watch.ts';
import type { EventTransition } from '../model/decision.ts';

/** Blocks on top of an item after which it is final. */
export const FINAL_DEPTH = 64;

/** What one poll says of an item that matched before. */
export type Sighting =
  /** `other`: some of what was matched on or shown differs, and it matches still; `no-match`: it does not. */
  | { readonly type: 'seen'; readonly as: 'same' | 'other' | 'no-match'; readonly block: number | null }
  /** Its range was read completely, and it was not there. `believedAfter`: how many such readings in a row it takes. */
  | { readonly type: 'absent'; readonly readingsNeeded: number }
  | { readonly type: 'unread' }
  /** It was not there, but the explorer has not read as far as its block. */
  | { readonly type: 'behind' };

type Depths = Pick<EventAlert, 'confirmations' | 'provisional'>;

/** What polls change of an event. */
export type EventProgress = Pick<EventState, 'state' | 'block' | 'absent'>;

export interface EventAdvance {
  /** Null: not, or no longer, remembered. The very same object as before when nothing changed. */
  readonly after: EventProgress | null;
  readonly transition: EventTransition | 'none';
}

/** An item matches for the first time. `head`: height of the newest block known, null when none is. */
export function beginEvent(rule: Depths, block: number | null, head: number | null): EventAdvance {
  const depth = depthOf(block, head);
  const transition = rule.provisional || depth >= rule.confirmations ? 'confirmed' : 'observed';
  const isFinal = transition === 'confirmed' && depth >= finalDepth(rule);
  return { after: isFinal ? null : { state: transition, block, absent: 0 }, transition };
}

/** One poll in the life of an event. */
export function advanceEvent(
  rule: Depths,
  before: EventProgress,
  sighting: Sighting,
  head: number | null,
): EventAdvance {
  const depth = depthOf(sighting.type === 'seen' ? sighting.block : before.block, head);
  if (sighting.type === 'seen') return advanceSeen(rule, before, sighting, depth);
  if (sighting.type === 'absent' && !isGone(before)) return advanceAbsent(before, sighting.readingsNeeded);
  const ended = advanceUnread(rule, before, depth);
  return sighting.type === 'behind' && ended.transition === 'none' ? { ...ended, transition: 'behind' } : ended;
}

/** Another reading without it is no news. */
export function isGone({ state }: EventProgress): boolean {
  return state === 'retracted' || state === 'dropped';
}

type SeenSighting = Extract<Sighting, { type: 'seen' }>;

function advanceSeen(rule: Depths, before: EventProgress, { as, block }: SeenSighting, depth: number): EventAdvance {
  const current = { ...before, block, absent: 0 };
  if (as === 'no-match') return advanceMismatch(before, current);
  switch (before.state) {
    case 'observed':
    case 'dropped':
      if (depth >= rule.confirmations) return confirm(rule, current, 'confirmed', depth);
      return unchangedOr(before, { ...current, state: 'observed' }, before.state === 'dropped' ? 'observed' : 'none');
    case 'retracted':
      return confirm(rule, current, 'reinstated', depth);
    case 'suspect':
    case 'confirmed':
      if (as === 'other') return confirm(rule, current, 'corrected', depth);
      if (depth >= finalDepth(rule)) return { after: null, transition: 'sealed' };
      return unchangedOr(before, { ...current, state: 'confirmed' }, before.state === 'suspect' ? 'back' : 'none');
  }
}

/** It is there, and matches no more. */
function advanceMismatch(before: EventProgress, current: EventProgress): EventAdvance {
  if (before.state === 'observed') return { after: null, transition: 'dropped' };
  if (before.state === 'dropped') return { after: null, transition: 'none' };
  if (before.state === 'retracted') return unchangedOr(before, current, 'none');
  return { after: { ...current, state: 'retracted' }, transition: 'retracted' };
}

function confirm(rule: Depths, current: EventProgress, transition: EventTransition, depth: number): EventAdvance {
  return { after: depth >= finalDepth(rule) ? null : { ...current, state: 'confirmed' }, transition };
}

const OBSERVED_READINGS_NEEDED = 2;

function advanceAbsent(before: EventProgress, readingsNeeded: number): EventAdvance {
  const absent = before.absent + 1;
  switch (before.state) {
    case 'observed':
      return absent >= OBSERVED_READINGS_NEEDED
        ? { after: { ...before, state: 'dropped', absent }, transition: 'dropped' }
        : { after: { ...before, absent }, transition: 'none' };
    case 'confirmed':
      return { after: { ...before, state: 'suspect', absent }, transition: 'suspect' };
    case 'suspect':
    case 'retracted':
    case 'dropped':
      return absent >= readingsNeeded
        ? { after: { ...before, state: 'retracted', absent }, transition: 'retracted' }
        : { after: { ...before, absent }, transition: 'none' };
  }
}

/** It left the pages that are read: what was seen stands, so that depth alone confirms it and ends its life. */
function advanceUnread(rule: Depths, before: EventProgress, depth: number): EventAdvance {
  if (before.state === 'observed' && depth >= rule.confirmations) return confirm(rule, before, 'confirmed', depth);
  if (depth >= finalDepth(rule) * (isGone(before) ? RETENTION_OF_GONE : 1))
    return { after: null, transition: 'sealed' };
  return { after: before, transition: 'none' };
}

// What was thrown out of a block waits to be mined again for longer than a block takes to be final.
const RETENTION_OF_GONE = 10;

function unchangedOr(
  before: EventProgress,
  after: EventProgress,
  transition: EventAdvance['transition'],
): EventAdvance {
  const isSame = before.state === after.state && before.block === after.block && before.absent === after.absent;
  return { after: isSame ? before : after, transition };
}

function finalDepth({ confirmations }: Depths): number {
  return Math.max(FINAL_DEPTH, confirmations);
}

/** Blocks on top of it. What is in no block, or where the head is unknown, is not deep. */
function depthOf(block: number | null, head: number | null): number {
  return block === null || head === null ? 0 : Math.max(0, head - block);
}
