// The state of the dispatcher, and what its steps share.
import type { Ownership } from '../../cluster/ownership.ts';
import { NOTICED_WITHIN_MS } from '../../core/model/quality/clock-shift.ts';
import type { Transition } from '../../core/model/transition.ts';
import { shiftOf } from '../../dispatch/clock-jump.ts';
import type { AlertEpisode } from '../../dispatch/model.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import type { Undeliverable } from '../../dispatch/rounds/routing-round.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { DispatchStore } from '../../store/contract/dispatch.ts';
import type { Fence } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { WokenLoop } from '../loop.ts';
import type { ClockJumps } from '../upkeep/clock-jumps.ts';

export interface DispatcherOptions {
  readonly store: DispatchStore & Pick<Store, 'recall' | 'commit'>;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'lost' | 'isShared'>;
  /** The rules in force. */
  readonly rules: () => DispatchRules;
  /** Makes the message about events that nobody acknowledged in time. */
  readonly announce: (unanswered: readonly AlertEpisode[], at: Instant) => readonly Transition[];
  /** Called when deliveries of these channels were committed. */
  readonly onOwed: (channels: ReadonlySet<string>) => void;
  readonly clock: Clock;
  readonly jumps: Pick<ClockJumps, 'all' | 'since'>;
  readonly log: Log;
}

export interface DispatchTools extends DispatcherOptions {
  readonly loop: Pick<WokenLoop, 'wake'>;
}

/** Nothing of it has to survive a restart. */
export interface DispatchState {
  /** The number of jumps of the clock that are considered; null: another process has considered some of them. */
  consideredJumps: number | null;
  /** When the store was last told that the clock was compared; null: not by this process. */
  comparedAt: Instant | null;
  /** True after a start and a reload, until the targets of pending transitions are chosen again. */
  hasToReroute: boolean;
  /** The time at which the next target has been removed long enough to drop its pending transitions. */
  rerouteAt: Instant | null;
}

export function createDispatchState(): DispatchState {
  return { consideredJumps: null, comparedAt: null, hasToReroute: true, rerouteAt: null };
}

export function isRerouteDue({ hasToReroute, rerouteAt }: DispatchState, now: Instant): boolean {
  return hasToReroute || (rerouteAt !== null && now >= rerouteAt);
}

/**
 * The time of a round. If the clock was set, stored instants are moved first, once for all replicas. Nothing may be
 * awaited between the comparison and the reading of the clock.
 */
export async function timeOf(
  state: DispatchState,
  { store, ownership, clock, jumps }: DispatchTools,
  fence: Fence,
): Promise<Instant> {
  const { consideredJumps, comparedAt } = state;
  const before = consideredJumps === null ? await store.dispatchedAt() : null;
  const at = clock.now();
  const all = jumps.all();
  const fresh = before === null ? all.slice(consideredJumps ?? 0) : jumps.since(before);
  const isKept = !ownership.isShared || (comparedAt !== null && Math.abs(at - comparedAt) < NOTICED_WITHIN_MS);
  if (fresh.length > 0) await store.moveClock(shiftOf(fresh, at), fence);
  else if (!isKept) await store.keepDispatched(at, fence);
  if (fresh.length > 0 || !isKept) state.comparedAt = at;
  state.consideredJumps = all.length;
  return at;
}

export function reportUndeliverable(some: readonly Undeliverable[], { log }: DispatchTools): void {
  for (const { channel, notification, why } of some)
    log.error('delivery:dead', { channel, watch: notification.watch, alert: notification.alert, why });
}
