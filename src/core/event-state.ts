// The life of an event about something in a block (lifecycle 4.3).
//
//   observed --deep enough--> confirmed --gone--> suspect --still gone--> retracted --there again--> confirmed
//   observed --gone--> dropped --there again--> observed
//
// Nothing that was not read says anything: only a complete reading of its range can show that an item is gone, and only
// several in a row are believed. Below `FINAL_DEPTH` blocks nothing is taken back, and the event is forgotten;
// what was thrown out of its block is remembered ten times as long, for it may be mined again.
import type { EventState } from './memory.ts';
import type { EventAlert, EventTransition } from './model.ts';

/** Blocks on top of an item after which it is final. */
export const FINAL_DEPTH = 64;

/** What one poll says of an item that matched before. */
export type Sight =
  /** `other`: some of what was matched on or shown differs, and it matches still; `no-match`: it does not. */
  | { readonly type: 'seen'; readonly as: 'same' | 'other' | 'no-match'; readonly block: number | null }
  /** Its range was read completely, and it was not there. `believedAfter`: how many such readings in a row it takes. */
  | { readonly type: 'absent'; readonly believedAfter: number }
  | { readonly type: 'unread' }
  /** It was not there, but the explorer has not read as far as its block. */
  | { readonly type: 'behind' };

type Depths = Pick<EventAlert, 'confirmations' | 'provisional'>;

/** What polls change of an event. */
export type Life = Pick<EventState, 'state' | 'block' | 'absent'>;

export interface Advanced {
  /** Null: not, or no longer, remembered. The very same object as before when nothing changed. */
  readonly after: Life | null;
  readonly transition: EventTransition | 'none';
}

/** An item matches for the first time. `head`: height of the newest block known, null when none is. */
export function beginEvent(rule: Depths, block: number | null, head: number | null): Advanced {
  const depth = depthOf(block, head);
  const transition = rule.provisional || depth >= rule.confirmations ? 'confirmed' : 'observed';
  const isFinal = transition === 'confirmed' && depth >= finalDepth(rule);
  return { after: isFinal ? null : { state: transition, block, absent: 0 }, transition };
}

/** One poll in the life of an event. */
export function advanceEvent(rule: Depths, before: Life, sight: Sight, head: number | null): Advanced {
  const depth = depthOf(sight.type === 'seen' ? sight.block : before.block, head);
  if (sight.type === 'seen') return see(rule, before, sight, depth);
  if (sight.type === 'absent' && !isGone(before)) return miss(before, sight.believedAfter);
  const ended = endUnread(rule, before, depth);
  return sight.type === 'behind' && ended.transition === 'none' ? { ...ended, transition: 'behind' } : ended;
}

/** Another reading without it is no news. */
export function isGone({ state }: Life): boolean {
  return state === 'retracted' || state === 'dropped';
}

type Seen = Extract<Sight, { type: 'seen' }>;

function see(rule: Depths, before: Life, { as, block }: Seen, depth: number): Advanced {
  const here = { ...before, block, absent: 0 };
  if (as === 'no-match') return seeChanged(before, here);
  switch (before.state) {
    case 'observed':
    case 'dropped':
      if (depth >= rule.confirmations) return settle(rule, here, 'confirmed', depth);
      return kept(before, { ...here, state: 'observed' }, before.state === 'dropped' ? 'observed' : 'none');
    case 'retracted':
      return settle(rule, here, 'reinstated', depth);
    case 'suspect':
    case 'confirmed':
      if (as === 'other') return settle(rule, here, 'corrected', depth);
      if (depth >= finalDepth(rule)) return { after: null, transition: 'sealed' };
      return kept(before, { ...here, state: 'confirmed' }, before.state === 'suspect' ? 'back' : 'none');
  }
}

/** It is there, and matches no more. */
function seeChanged(before: Life, here: Life): Advanced {
  if (before.state === 'observed') return { after: null, transition: 'dropped' };
  if (before.state === 'dropped') return { after: null, transition: 'none' };
  if (before.state === 'retracted') return kept(before, here, 'none');
  return { after: { ...here, state: 'retracted' }, transition: 'retracted' };
}

function settle(rule: Depths, here: Life, transition: EventTransition, depth: number): Advanced {
  return { after: depth >= finalDepth(rule) ? null : { ...here, state: 'confirmed' }, transition };
}

const OBSERVED_BELIEVED_AFTER = 2;

function miss(before: Life, believedAfter: number): Advanced {
  const absent = before.absent + 1;
  switch (before.state) {
    case 'observed':
      return absent >= OBSERVED_BELIEVED_AFTER
        ? { after: { ...before, state: 'dropped', absent }, transition: 'dropped' }
        : { after: { ...before, absent }, transition: 'none' };
    case 'confirmed':
      return { after: { ...before, state: 'suspect', absent }, transition: 'suspect' };
    case 'suspect':
    case 'retracted':
    case 'dropped':
      return absent >= believedAfter
        ? { after: { ...before, state: 'retracted', absent }, transition: 'retracted' }
        : { after: { ...before, absent }, transition: 'none' };
  }
}

/** It left the pages that are read: what was seen stands, so that depth alone confirms it and ends its life. */
function endUnread(rule: Depths, before: Life, depth: number): Advanced {
  if (before.state === 'observed' && depth >= rule.confirmations) return settle(rule, before, 'confirmed', depth);
  if (depth >= finalDepth(rule) * (isGone(before) ? GONE : 1)) return { after: null, transition: 'sealed' };
  return { after: before, transition: 'none' };
}

// What was thrown out of a block waits to be mined again for longer than a block takes to be final.
const GONE = 10;

function kept(before: Life, after: Life, transition: Advanced['transition']): Advanced {
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
