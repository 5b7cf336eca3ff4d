// Decides about transitions of polls: their targets, the time to send them, and the messages that contain them. Commits
// of polls, changes by operators and reloads wake it; otherwise it waits until the next group is due. `dispatch` is all
// of it:
//
//   reroute  after a start or a reload: chooses the present targets of pending transitions (rerouting.ts)
//   route    chooses the targets of new transitions
//   call in  chooses further targets for alerts that nobody acknowledged in time
//   decide   chooses which members of due groups are sent and which are held back, with the reasons (due-rounds.ts)
//
// Each step runs in rounds. A round reads, decides and writes a bounded amount; other work runs between two rounds. If
// the process dies, decisions that were not written are made again after the next start, with the same deliveries.
import { NOTICED_WITHIN_MS } from '../../core/model/quality/clock-shift.ts';
import { decideCalls } from '../../dispatch/rounds/call-round.ts';
import { routeRound } from '../../dispatch/rounds/route-round.ts';
import type { RoutingResult, RoutingRound } from '../../dispatch/rounds/routing-round.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import { earliest, nextTurn } from '../../lib/clock.ts';
import type { CommitResult, Fence } from '../../store/contract/fence.ts';
import { createStorageBackoff, createWokenLoop } from '../loop.ts';
import { decideDueGroups } from './due-rounds.ts';
import { rerouteAll } from './rerouting.ts';
import {
  createDispatchState,
  type DispatcherOptions,
  type DispatchState,
  type DispatchTools,
  isRerouteDue,
  reportUndeliverable,
  timeOf,
} from './state.ts';

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

// Bounds of one round, since nothing else runs while it is written.
const MOST_ROUTED = 100;
const MOST_OWING = 200;
const MOST_CALLS = 100;
// Transitions can be stored without a wake, if a commit was stored but its answer was lost. Each round looks at the clock.
const LONGEST_REST_MS = NOTICED_WITHIN_MS;

/** After a round with at most so many targets the next one follows at once, so that a single alert is not delayed. */
const FEW_OWING = 20;
const MOST_IN_A_TURN = 4;

/** Returns the milliseconds to wait. It does nothing while another process dispatches. */
async function dispatch(state: DispatchState, tools: DispatchTools, stop: AbortSignal): Promise<number> {
  const { store, ownership, clock } = tools;
  const fence = ownership.fenceOf('service:dispatch');
  if (fence === null) return LONGEST_REST_MS;
  if (isRerouteDue(state, clock.now())) await rerouteAll(state, tools, fence);
  for (const round of [route, callIn, decide])
    if ((await repeat(() => round(state, tools, fence), stop)) === 'fenced') {
      ownership.lost('service:dispatch', fence);
      return LONGEST_REST_MS;
    }
  const next = earliest([await store.nextRound(), state.rerouteAt]);
  return next === null ? LONGEST_REST_MS : Math.min(Math.max(next - clock.now(), 0), LONGEST_REST_MS);
}

interface Round {
  readonly end: CommitResult;
  /** Whether there may be more to do after a kept commit, and when: now, or in another turn of the event loop. */
  readonly more: 'nothing' | 'now' | 'next-turn';
}

/** Repeats rounds until nothing is left to do (null) or the signal aborts. `fenced`: another process dispatches now. */
async function repeat(round: () => Promise<Round | null>, stop: AbortSignal): Promise<'ended' | 'fenced'> {
  for (let rounds = 1; ; rounds += 1) {
    const ended = await round();
    if (ended?.end === 'fenced') return 'fenced';
    if (ended === null || stop.aborted) return 'ended';
    const more = ended.end === 'superseded' ? 'next-turn' : ended.more;
    if (more === 'nothing') return 'ended';
    if (more === 'next-turn' || rounds % MOST_IN_A_TURN === 0) await nextTurn();
  }
}

async function route(_state: DispatchState, tools: DispatchTools, fence: Fence): Promise<Round | null> {
  const { store, rules, clock } = tools;
  const read = await store.readRouting(MOST_ROUTED, clock.now());
  if (read.unrouted.length === 0) return null;
  const { round, result } = firstOf(read, rules());
  const end = await store.commitRouting(round, result, clock.now(), fence);
  if (end === 'kept') reportRouting(round, result, tools);
  return { end, more: result.owing.length <= FEW_OWING ? 'now' : 'next-turn' };
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

function reportRouting({ unrouted }: RoutingRound, { undeliverable }: RoutingResult, tools: DispatchTools): void {
  for (const { damage } of unrouted) if (damage !== null) tools.log.error('notification:damaged', { error: damage });
  reportUndeliverable(undeliverable, tools);
}

async function callIn(state: DispatchState, tools: DispatchTools, fence: Fence): Promise<Round | null> {
  const { store, rules, announce, loop, clock, log } = tools;
  const inForce = rules();
  const at = await timeOf(state, tools, fence);
  const round = await store.readCalls(at, MOST_CALLS, inForce.unanswered);
  if (round.alerts.length === 0) return null;
  const result = decideCalls(round, inForce, at);
  for (const { key, group, via } of result.owing)
    log.info('alert:called', { alert: key, channel: group.target.channel, via });
  const announced = announce(result.unanswered, at);
  const end = await store.commitCalls(round, { ...result, announced }, clock.now(), fence);
  if (announced.length > 0) loop.wake();
  return { end, more: round.alerts.length < MOST_CALLS ? 'nothing' : 'next-turn' };
}

const UNTOLD = 'the stored message of the alert cannot be read, so it is not sent';

async function decide(state: DispatchState, tools: DispatchTools, fence: Fence): Promise<Round | null> {
  const { onOwed, log } = tools;
  const decided = await decideDueGroups(tools, await timeOf(state, tools, fence), fence);
  if (decided === null) return null;
  const { groups, end, written } = decided;
  onOwed(new Set(written.map(({ target }) => target.channel)));
  if (end === 'kept')
    for (const { target, damaged } of groups)
      for (const alert of damaged)
        log.error('notification:damaged', { alert, channel: target.channel, effect: UNTOLD });
  return { end, more: 'next-turn' };
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { ownership, clock, log } = options;
  const storage = createStorageBackoff({ loop: 'dispatcher' }, log);
  const loop = createWokenLoop(clock);
  const tools: DispatchTools = { ...options, loop };
  const state = createDispatchState();

  /** After a failure of the storage the loop waits, even if it is woken. */
  async function dispatchSafely(stop: AbortSignal): Promise<number> {
    try {
      const restMs = await dispatch(state, tools, stop);
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
      state.hasToReroute = true;
      loop.wake();
    },
    run(stop) {
      // Another process may have dispatched since the last run.
      if (ownership.isShared) [state.consideredJumps, state.comparedAt] = [null, null];
      return loop.run(stop, () => dispatchSafely(stop));
    },
  };
}
