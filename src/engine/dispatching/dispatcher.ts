// Decides about transitions of polls: their targets, the time to send them, and the messages that contain them. Commits
// of polls, changes by operators and reloads wake it; otherwise it waits until the next group is due.
//
//   raise     after a start or a reload: lets firing alerts fire once more if their rule became more severe
//   reroute   also after a start or a reload: chooses the present targets of pending transitions
//   route     chooses the targets of new transitions
//   call in   chooses further targets for alerts that nobody acknowledged in time
//   decide    chooses which members of due groups are sent and which are held back, with the reasons
//
// Each step runs in rounds. A round reads, decides and writes a bounded amount; other work runs between two rounds. If
// the process dies, decisions that were not written are made again after the next start, with the same deliveries.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Transition } from '../../core/model/transition.ts';
import { decideCalls } from '../../dispatch/rounds/call-round.ts';
import type { DueRound } from '../../dispatch/rounds/due-round.ts';
import type { AlertEpisode, DeliveryBatch, Key } from '../../dispatch/model.ts';
import { NOTICED_WITHIN_MS } from '../../core/model/quality/clock-shift.ts';
import { shiftOf } from '../../dispatch/clock-jump.ts';
import { leftBy, reroute, type GoneTargets } from '../../dispatch/reroute.ts';
import { routeRound } from '../../dispatch/rounds/route-round.ts';
import type { RoutingResult, RoutingRound, Undeliverable } from '../../dispatch/rounds/routing-round.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import { earliest, nextTurn, type Clock, type Instant } from '../../lib/clock.ts';
import type { DispatchStore } from '../../store/contract/dispatch.ts';
import type { CommitResult, Fence } from '../../store/contract/fence.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ClockJumps } from '../upkeep/clock-jumps.ts';
import { createStorageBackoff, createWokenLoop } from '../loop.ts';
import { createDueRounds } from './due-rounds.ts';
import { raiseSeverities, type RaisingStore } from './raising.ts';

export interface Dispatcher {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Call this after a commit of transitions or a change by an operator. Safe to call at any time, also before `run`.
   */
  wake(): void;
  /** Call this when other rules are in force: pending transitions get the targets of these rules. */
  reload(): void;
}

export interface DispatcherOptions {
  readonly store: DispatchStore & RaisingStore;
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

// Bounds of one round, since nothing else runs while it is written.
const MOST_ROUTED = 100;
const MOST_OWING = 200;
const MOST_CALLS = 100;
const MOST_REROUTED = 500;
// Transitions can be stored without a wake, if a commit was stored but its answer was lost. Each round looks at the clock.
const LONGEST_REST_MS = NOTICED_WITHIN_MS;

/** After a round with at most so many targets the next one follows at once, so that a single alert is not delayed. */
const FEW_OWING = 20;
const MOST_IN_A_TURN = 4;

interface ReroutedPage {
  readonly gone: GoneTargets;
  /** The last key of the page, after which the next page starts; null: it was the last page. */
  readonly last: Key | null;
  /** True if a summary moved: what was decided about its events since is rerouted next. */
  readonly hasMoved: boolean;
}

/** Whether there may be more to do, and the time of the next step: now, or in another turn of the event loop. */
type More = 'nothing' | 'now' | 'next-turn';

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, ownership, rules, announce, onOwed, clock, jumps, log } = options;
  const storage = createStorageBackoff({ loop: 'dispatcher' }, log);
  const loop = createWokenLoop(clock);
  const dueRounds = createDueRounds({ store, rules, clock });
  /** The number of jumps of the clock that are considered; null: another process has considered some of them. */
  let considered: number | null = null;
  let keptAt: Instant | null = null;
  let hasToReroute = true;
  /** The time at which the next target has been removed long enough to drop its pending transitions. */
  let rerouteAt: Instant | null = null;

  /** Null: another process dispatches now. */
  function moreAfter(end: CommitResult, more: More, fence: Fence): More | null {
    if (end === 'fenced') ownership.lost('service:dispatch', fence);
    return end === 'fenced' ? null : end === 'superseded' ? 'next-turn' : more;
  }

  async function rerouteAll(fence: Fence): Promise<void> {
    if (!hasToReroute && (rerouteAt === null || clock.now() < rerouteAt)) return;
    // Set first: a reload in between sets it to true again.
    hasToReroute = false;
    try {
      const before = await store.goneTargets();
      let [gone, hasMoved]: [GoneTargets, boolean] = [{}, false];
      for (let after: Key | null = ''; after !== null;) {
        const page = await reroutePage(after, before, fence);
        gone = { ...gone, ...page.gone };
        hasMoved ||= page.hasMoved;
        after = page.last;
        await nextTurn();
      }
      const { left, nextAt } = leftBy(gone, clock.now());
      if (left.length > 0 || !isSame(before, gone)) await store.keepGone(gone, left, clock.now(), fence);
      rerouteAt = hasMoved ? clock.now() : nextAt;
    } catch (error) {
      hasToReroute = true;
      throw error;
    }
  }

  /** If the data changed since it was read, the page is read again. */
  async function reroutePage(after: Key, before: GoneTargets, fence: Fence): Promise<ReroutedPage> {
    for (;;) {
      const at = await timeOf(fence);
      const { alerts, last } = await store.readActive({ after, limit: MOST_REROUTED, at });
      const raised = await raiseSeverities(alerts, rules(), { store, at, fence });
      if (raised === 'fenced') ownership.lost('service:dispatch', fence);
      if (raised === 'superseded') continue;
      const result = reroute(alerts, rules(), before, at);
      const end = await store.commitReroute(result, at, fence);
      if (end === 'fenced') ownership.lost('service:dispatch', fence);
      if (end === 'superseded') continue;
      reportUndeliverable(result.undeliverable);
      return { gone: result.gone, last, hasMoved: result.informed.length > 0 };
    }
  }

  async function routeRoundOnce(fence: Fence): Promise<More | null> {
    const read = await store.readRouting(MOST_ROUTED, clock.now());
    if (read.unrouted.length === 0) return 'nothing';
    const { round, result } = firstOf(read, rules());
    const end = await store.commitRouting(round, result, clock.now(), fence);
    if (end === 'kept') reportRouting(round, result);
    return moreAfter(end, result.owing.length <= FEW_OWING ? 'now' : 'next-turn', fence);
  }

  function reportRouting({ unrouted }: RoutingRound, { undeliverable }: RoutingResult): void {
    for (const { damage } of unrouted) if (damage !== null) log.error('notification:damaged', { error: damage });
    reportUndeliverable(undeliverable);
  }

  function reportUndeliverable(some: readonly Undeliverable[]): void {
    for (const { channel, notification, why } of some)
      log.error('delivery:dead', { channel, watch: notification.watch, alert: notification.alert, why });
  }

  async function callRoundOnce(fence: Fence): Promise<More | null> {
    const inForce = rules();
    const at = await timeOf(fence);
    const round = await store.readCalls(at, MOST_CALLS, inForce.unanswered);
    if (round.alerts.length === 0) return 'nothing';
    const result = decideCalls(round, inForce, at);
    for (const { key, group, via } of result.owing)
      log.info('alert:called', { alert: key, channel: group.target.channel, via });
    const announced = announce(result.unanswered, at);
    const end = await store.commitCalls(round, { ...result, announced }, clock.now(), fence);
    if (announced.length > 0) loop.wake();
    return moreAfter(end, round.alerts.length < MOST_CALLS ? 'nothing' : 'next-turn', fence);
  }

  async function decideRoundOnce(fence: Fence): Promise<More | null> {
    const round = await dueRounds.work(await timeOf(fence), fence);
    if (round === null) return 'nothing';
    onOwed(channelsOf(round.written));
    if (round.end === 'kept') reportDamaged(round.read);
    return moreAfter(round.end, 'next-turn', fence);
  }

  function reportDamaged({ groups }: DueRound): void {
    for (const { target, damaged } of groups)
      for (const alert of damaged)
        log.error('notification:damaged', { alert, channel: target.channel, effect: UNTOLD });
  }

  /** Repeats rounds until no work is left or the signal aborts. False: another process dispatches now. */
  async function repeat(round: () => Promise<More | null>, stop: AbortSignal): Promise<boolean> {
    for (let rounds = 1; ; rounds += 1) {
      const more = await round();
      if (more === null || more === 'nothing' || stop.aborted) return more !== null;
      if (more === 'next-turn' || rounds % MOST_IN_A_TURN === 0) await nextTurn();
    }
  }

  /**
   * The time of a round. If the clock was set, stored instants are moved first, once for all replicas. Nothing may be
   * awaited between the comparison and the reading of the clock.
   */
  async function timeOf(fence: Fence): Promise<Instant> {
    const before = considered === null ? await store.dispatchedAt() : null;
    const at = clock.now();
    const all = jumps.all();
    const fresh = before === null ? all.slice(considered ?? 0) : jumps.since(before);
    const isKept = !ownership.isShared || (keptAt !== null && Math.abs(at - keptAt) < NOTICED_WITHIN_MS);
    if (fresh.length > 0) await store.moveClock(shiftOf(fresh, at), fence);
    else if (!isKept) await store.keepDispatched(at, fence);
    if (fresh.length > 0 || !isKept) keptAt = at;
    considered = all.length;
    return at;
  }

  async function work(stop: AbortSignal): Promise<number> {
    const fence = ownership.fenceOf('service:dispatch');
    if (fence === null) return LONGEST_REST_MS;
    await rerouteAll(fence);
    for (const round of [routeRoundOnce, callRoundOnce, decideRoundOnce])
      if (!(await repeat(() => round(fence), stop))) return LONGEST_REST_MS;
    const next = earliest([await store.nextRound(), rerouteAt]);
    return next === null ? LONGEST_REST_MS : Math.min(Math.max(next - clock.now(), 0), LONGEST_REST_MS);
  }

  /** Returns the milliseconds to wait. After a failure of the storage the loop waits, even if it is woken. */
  async function workSafely(stop: AbortSignal): Promise<number> {
    try {
      const restMs = await work(stop);
      storage.answered('dispatch');
      return restMs;
    } catch (error) {
      await clock.sleep(storage.failed('dispatch', error), stop);
      return 0;
    }
  }

  return {
    wake: loop.wake,
    reload() {
      hasToReroute = true;
      loop.wake();
    },
    run(stop) {
      if (ownership.isShared) [considered, keptAt] = [null, null];
      return loop.run(stop, () => workSafely(stop));
    },
  };
}

const UNTOLD = 'the stored message of the alert cannot be read, so it is not sent';

function isSame(before: GoneTargets, after: GoneTargets): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function channelsOf(batches: readonly DeliveryBatch[]): ReadonlySet<string> {
  return new Set(batches.map(({ target }) => target.channel));
}

/**
 * Routes as many of the first transitions as have a bounded number of targets in all, at least one. The next round
 * reads the rest again.
 */
function firstOf(
  read: RoutingRound,
  rules: DispatchRules,
): { readonly round: RoutingRound; readonly result: RoutingResult } {
  for (let count = read.unrouted.length; ; count = Math.ceil(count / 2)) {
    const round = { ...read, unrouted: read.unrouted.slice(0, count) };
    const result = routeRound(round, rules);
    if (count === 1 || result.owing.length <= MOST_OWING) return { round, result };
  }
}
