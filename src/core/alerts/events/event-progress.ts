// The progress of an event about an item in a block, and the result of one poll for it.
import type { EventState } from '../../model/memory.ts';
import type { Instant } from '../../../lib/clock.ts';

/** The part of an event's state that polls change. */
export type EventProgress = Pick<EventState, 'state' | 'block' | 'absent' | 'turnedAt' | 'absentHead' | 'retractions'>;

/** True if the item is known to be gone: another reading without it changes nothing. */
export function isGone({ state }: Pick<EventProgress, 'state'>): boolean {
  return state === 'retracted' || state === 'dropped';
}

/** The result of one poll for an item that matched before. */
export type Sighting =
  /**
   * `other`: a value that the condition reads or the message shows differs, and the event still matches. `no-match`:
   * the event no longer matches.
   */
  | { readonly type: 'seen'; readonly as: 'same' | 'other' | 'no-match'; readonly block: number | null }
  /**
   * The range of the item was read completely, and the item was not there. `isProven`: another block, or another item,
   * has taken its place.
   */
  | { readonly type: 'absent'; readonly isProven: boolean }
  /** The item is not in the range that a complete reading covered. */
  | { readonly type: 'unread' }
  /** A part of the list was not read, or the reading shows no blocks: the item may be there, or gone. */
  | { readonly type: 'incomplete' }
  /** The item was missing from a reading that is not believed yet. */
  | { readonly type: 'doubted' }
  /** The item was missing, but the explorer has not read as far as its block. */
  | { readonly type: 'behind' };

/** The time of a poll, and how far the chain was then. */
export interface Now {
  readonly at: Instant;
  /** The height of the newest known block; null while none is known. */
  readonly head: number | null;
  /** Height of the newest block that the explorer has read, as this tick shows it; null if nothing shows one. */
  readonly reach: number | null;
}
