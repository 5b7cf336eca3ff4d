// A message may wait for its first try, since its receiver is slow or fails. Alerts that must be held back by then are
// removed from it. After the first try the message is not changed.
import type { Instant } from '../lib/clock.ts';
import type { AlertEpisode, Key, Policy, InhibitionSource, TransitionName } from './model.ts';
import { isEnd } from './owed.ts';
import { contextOf, holdOf, holdOfRepeat } from './policy/holds.ts';
import { worldOf, type DecidingRules } from './rounds/due-round.ts';

/** One alert in a message. */
export interface ClosedMember extends Omit<AlertEpisode, 'alert'> {
  readonly seq: number;
  readonly transition: TransitionName;
  /** True if the alert was sent before. */
  readonly isRepeat: boolean;
}

/** All transitions of this key from this seq on are removed from the message. */
export type HeldMember = Pick<ClosedMember, 'key' | 'seq' | 'isRepeat'>;

/** The alerts of a message, and the facts by which they may be held. */
export interface FirstTry {
  readonly members: readonly ClosedMember[];
  readonly policy: Policy;
  /** Open alerts that may inhibit others; empty if the config has no rule for that. */
  readonly sources: readonly InhibitionSource[];
}

/** Chooses the members to hold back, at most one for each alert. Ends are not held back. */
export function heldAmong({ members, ...facts }: FirstTry, rules: DecidingRules, now: Instant): HeldMember[] {
  const context = contextOf(worldOf(facts, rules), now);
  const held = new Map<Key, HeldMember>();
  for (const { key, seq, isRepeat, transition, ...alert } of members.toSorted((a, b) => a.seq - b.seq)) {
    if (held.has(key) || isEnd(transition)) continue;
    const member = { key, ...alert, routing: rules.routingOf(alert.labels) };
    if ((isRepeat ? holdOfRepeat : holdOf)(context, member) !== null) held.set(key, { key, seq, isRepeat });
  }
  return [...held.values()];
}
