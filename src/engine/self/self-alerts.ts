// Alerts about the daemon's own work. Every ten seconds it reads the findings, and steps one instance of the built-in
// watch per cause. Decisions are committed like those of other watches: firing and resolving survive a restart, and
// each message is stored before it is sent.
//
//   began      an instance of the cause's severity fires: one message, however many watches are affected.
//   worse      the cause reached a higher severity: an instance of that severity fires too.
//   lasts      firing instances continue to fire, even if the severity is lower than before.
//   undecided  shortly after a start it is unknown whether the cause lasts: nothing changes.
//   over       all instances of the cause resolve. An hour later they are dropped.
//
// Each replica reports the causes of its own explorers and channels.
import type { Ownership } from '../../cluster/ownership.ts';
import { joinDecisions } from '../../core/joined-decision.ts';
import { isActive } from '../../core/alerts/emission.ts';
import { readyFor } from '../../core/model/quality/clock-shift.ts';
import type { Decision } from '../../core/model/decision.ts';
import { RANK_OF } from '../../core/model/delivery.ts';
import { SEVERITIES, type WatchId } from '../../core/model/ids.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { blankMemory, step } from '../../core/step.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Log } from '../../telemetry/log.ts';
import { isWritten } from '../polling/commit.ts';
import type { Cause, CauseId, SelfFindings } from './cause.ts';
import { createSelfMemories, stateOf, type SelfMemories, type SelfMemoriesOptions } from './self-memories.ts';
import { LOOK_MS, parseSelfWatchId, selfWatchId, selfWatchOf, viewOf, type SelfWatchId } from './self-watch.ts';

export interface SelfAlertsOptions extends Omit<SelfMemoriesOptions, 'isOurs'> {
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  /** The replica that holds this shard reports the cause. */
  readonly shardOf: (cause: CauseId) => Shard;
  readonly log: Log;
  /** Checks the daemon's work. May reject with a `StorageError`. */
  readonly find: () => Promise<SelfFindings>;
  /** The channels for messages; empty: nothing is reported, and the retirement of watches ends firing alerts. */
  readonly notify: () => readonly string[];
  /** The zone of the times in messages. */
  readonly timeZone: () => string;
  /** Called after a commit of transitions. */
  readonly onTransitions: () => void;
}

export interface SelfAlerts {
  /** Runs until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** The instances whose memory is loaded. */
  watches(): readonly Watch[];
  memoryOf(id: WatchId): Memory | undefined;
  /** Call this when shards moved between replicas: the stored memories are read again before the next decision. */
  shardsMoved(): void;
}

interface Stepped {
  readonly id: WatchId;
  readonly of: SelfWatchId;
  readonly decision: Decision;
}

export function createSelfAlerts(options: SelfAlertsOptions): SelfAlerts {
  const { ownership, shardOf, clock, log, find, notify, timeZone } = options;
  const fenceOf = (cause: CauseId): Fence | null => ownership.fenceOf(shardOf(cause));
  const memories = createSelfMemories({
    ...options,
    isOurs(id) {
      const cause = parseSelfWatchId(id);
      return cause !== null && fenceOf(cause) !== null;
    },
  });
  const instances = createInstances(memories, options);
  let lastFailure: string | null = null;

  async function look(): Promise<void> {
    if (notify().length === 0) {
      memories.forgetAll();
      return;
    }
    await memories.readIfPossible();
    const found = await find();
    const now = clock.now();
    const ours = instances.idsOf(found).filter((id) => fenceOf(id) !== null);
    const steps = ours.map((id) => instances.step(id, found, now));
    const written = steps.filter(({ decision }) => isWritten(decision));
    for (const [fence, own] of Map.groupBy(written, ({ of }) => fenceOf(of)))
      if (fence !== null) await commit(own, fence);
    for (const { id, decision } of steps) if (!isWritten(decision)) memories.put(id, decision.memory);
    await memories.forgetOld(now);
  }

  async function commit(steps: readonly Stepped[], fence: Fence): Promise<void> {
    const decisions = steps.map(({ decision }) => decision);
    for (const kept of await memories.commit(decisions, fence)) report(kept);
    options.onTransitions();
  }

  function report({ watchId, memory, reasons }: Decision): void {
    const title = stateOf(watchId, memory)?.firing?.title;
    for (const { type } of reasons) {
      if (type === 'firing') log.warn('self:firing', { alert: watchId, title });
      if (type === 'resolved') log.info('self:resolved', { alert: watchId });
    }
  }

  /** Makes one check. A storage that does not answer is logged once per cause, and tried again at the next check. */
  async function lookSafely(): Promise<void> {
    try {
      await look();
      if (lastFailure !== null) log.info('self:looks-again');
      lastFailure = null;
    } catch (error) {
      if (lastFailure !== String(error))
        log.warn('self:failed', { error, effect: 'only critical problems of the daemon are reported' });
      lastFailure = String(error);
    }
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        await lookSafely();
        await clock.sleep(LOOK_MS, signal);
      }
    },
    watches: () =>
      memories.loaded().flatMap((id) => {
        const of = parseSelfWatchId(id);
        const sight = { cause: null, title: id, truth: 'unknown', notify: notify(), zone: timeZone() } as const;
        return of === null ? [] : [selfWatchOf(of, sight)];
      }),
    memoryOf: memories.memoryOf,
    shardsMoved: memories.shardsMoved,
  };
}

interface Instances {
  readonly idsOf: (found: SelfFindings) => SelfWatchId[];
  readonly step: (of: SelfWatchId, found: SelfFindings, at: Instant) => Stepped;
}

function createInstances(memories: SelfMemories, { notify, timeZone }: SelfAlertsOptions): Instances {
  /** The instances to step: the stored ones, and one for each cause without a firing instance. */
  function idsOf({ causes }: SelfFindings): SelfWatchId[] {
    const known = [...memories.ids()].flatMap((id) => parseSelfWatchId(id) ?? []);
    const fresh = causes.filter((cause) => !cause.isExplained && !isTold(cause));
    const all = [...known, ...fresh].map((id) => [selfWatchId(id), id] as const);
    return [...new Map(all).values()];
  }

  function isTold({ alert, subject, severity }: Cause): boolean {
    return SEVERITIES.some(
      (one) => RANK_OF[one] <= RANK_OF[severity] && isFiring(selfWatchId({ alert, subject, severity: one })),
    );
  }

  function isFiring(id: WatchId): boolean {
    const state = stateOf(id, memories.memoryOf(id));
    return state !== null && isActive(state);
  }

  function stepOne(of: SelfWatchId, found: SelfFindings, at: Instant): Stepped {
    const id = selfWatchId(of);
    const cause = found.causes.find(({ alert, subject }) => alert === of.alert && subject === of.subject) ?? null;
    const truth = cause === null ? (found.isUndecided(of) ? 'unknown' : false) : isFiring(id) || begins(of, cause);
    const title = cause === null ? firedTitle(id) : `${of.alert}: ${cause.title}`;
    const watch = selfWatchOf(of, { cause, title, truth, notify: notify(), zone: timeZone() });
    const memory = readyFor(memories.memoryOf(id) ?? blankMemory(watch), at);
    const seen = {
      type: 'seen',
      at,
      paceMs: 0,
      head: null,
      chain: 'not-asked',
      seen: viewOf(cause),
      partial: null,
    } as const;
    const decision = step(watch, memory, seen);
    const before = memories.unkeptOf(id);
    return { id, of, decision: before === undefined ? decision : joinDecisions(before, decision) };
  }

  /** The title of the firing message. */
  function firedTitle(id: WatchId): string {
    return stateOf(id, memories.memoryOf(id))?.firing?.title ?? id;
  }

  return { idsOf, step: stepOne };
}

function begins({ severity }: SelfWatchId, cause: Cause): boolean {
  return !cause.isExplained && cause.severity === severity;
}
