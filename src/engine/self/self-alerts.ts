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
import { conditionOf } from '../../core/alerts/alert-evaluation.ts';
import { isActive } from '../../core/alerts/emission.ts';
import { readyFor } from '../../core/model/quality/clock-shift.ts';
import type { Decision } from '../../core/model/decision.ts';
import { RANK_OF } from '../../core/model/delivery.ts';
import { SEVERITIES, type WatchId } from '../../core/model/ids.ts';
import type { ConditionState, Memory } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { blankMemory, step } from '../../core/step.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { isWritten } from '../polling/batch.ts';
import type { Unrecorded } from '../sending/unrecorded.ts';
import type { Cause, CauseId, SelfFindings } from './cause.ts';
import { LOOK_MS, parseSelfWatchId, selfWatchId, selfWatchOf, viewOf, type SelfWatchId } from './self-watch.ts';

export interface SelfAlertsOptions {
  readonly store: Pick<Store, 'remembered' | 'recall' | 'commit' | 'forget'>;
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  /** The replica that holds this shard reports the cause. */
  readonly shardOf: (cause: CauseId) => Shard;
  readonly clock: Clock;
  readonly log: Log;
  /** Checks the daemon's work. May reject with a `StorageError`. */
  readonly find: () => Promise<SelfFindings>;
  /** The channels for messages; empty: nothing is reported, and the retirement of watches ends firing alerts. */
  readonly notify: () => readonly string[];
  /** The zone of the times in messages. */
  readonly timeZone: () => string;
  /** Called after a commit of transitions. */
  readonly onTransitions: () => void;
  /** Sends transitions that the store did not keep. */
  readonly unrecorded: Pick<Unrecorded, 'offer' | 'withTold' | 'recorded'>;
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

const FORGOTTEN_AFTER_MS = 3_600_000;
/** The most transitions of one instance that wait in memory for the store. */
const MOST_UNKEPT = 100;

export function createSelfAlerts(options: SelfAlertsOptions): SelfAlerts {
  const { store, ownership, shardOf, clock, log, find, notify, timeZone, onTransitions, unrecorded } = options;
  let memoryById = new Map<WatchId, Memory>();
  /** Decisions that the store did not keep: the next check continues from them. */
  const unkept = new Map<WatchId, Decision>();
  let wasEverRead = false;
  /** False: the stored memories are read before the next decision. */
  let isRead = false;
  /** True if shards moved since the last read, so that this process may report other causes. */
  let hasMoved = false;
  let lastFailure: string | null = null;

  async function read(): Promise<void> {
    if (isRead && !hasMoved) return;
    // Set to false first: the store may fail in between, and then nothing counts as read.
    isRead = false;
    hasMoved = false;
    const ids = (await store.remembered()).filter(isOurs);
    const damaged: WatchId[] = [];
    memoryById = await store.recall(ids, (id) => damaged.push(id));
    // The store may have kept a commit that it answered with an error. Such a decision must not be committed twice.
    for (const [id, { expects }] of unkept) if ((memoryById.get(id)?.version ?? 0) !== expects) unkept.delete(id);
    // Damaged memories are removed. Causes that last fire again, which repeats a message but loses none.
    if (damaged.length > 0) await store.forget(damaged);
    isRead = true;
    wasEverRead = true;
  }

  /** Continues with the loaded memories if the store cannot be read, since that is one of the reported causes. */
  async function readIfPossible(): Promise<void> {
    const mayKnow = wasEverRead && !hasMoved;
    try {
      await read();
    } catch (error) {
      if (!mayKnow) throw error;
    }
  }

  const memoryOf = (id: WatchId): Memory | undefined => unkept.get(id)?.memory ?? memoryById.get(id);

  const fenceOf = (cause: CauseId): Fence | null => ownership.fenceOf(shardOf(cause));

  function isOurs(id: WatchId): boolean {
    const cause = parseSelfWatchId(id);
    return cause !== null && fenceOf(cause) !== null;
  }

  async function look(): Promise<void> {
    if (notify().length === 0) {
      forgetAll();
      return;
    }
    await readIfPossible();
    const found = await find();
    const now = clock.now();
    const steps = idsOf(found).map((id) => stepOne(id, found, now));
    const written = steps.filter(({ decision }) => isWritten(decision));
    for (const [fence, own] of Map.groupBy(written, ({ of }) => fenceOf(of)))
      if (fence !== null) await commit(own, fence);
    for (const { id, decision } of steps) if (!isWritten(decision)) memoryById.set(id, decision.memory);
    await forgetOld(now);
  }

  function forgetAll(): void {
    memoryById = new Map();
    unkept.clear();
    isRead = false;
  }

  /** The instances to step: the stored ones, and one for each cause without a firing instance. */
  function idsOf({ causes }: SelfFindings): SelfWatchId[] {
    const known = [...memoryById.keys(), ...unkept.keys()].flatMap((id) => parseSelfWatchId(id) ?? []);
    const fresh = causes.filter((cause) => !cause.isExplained && !isTold(cause));
    const ours = [...known, ...fresh].filter((cause) => fenceOf(cause) !== null);
    const all = ours.map((id) => [selfWatchId(id), id] as const);
    return [...new Map(all).values()];
  }

  function isTold({ alert, subject, severity }: Cause): boolean {
    return SEVERITIES.some(
      (one) => RANK_OF[one] <= RANK_OF[severity] && isFiring(selfWatchId({ alert, subject, severity: one })),
    );
  }

  function isFiring(id: WatchId): boolean {
    const state = stateOf(id, memoryOf(id));
    return state !== null && isActive(state);
  }

  function stepOne(of: SelfWatchId, found: SelfFindings, at: Instant): Stepped {
    const id = selfWatchId(of);
    const cause = found.causes.find(({ alert, subject }) => alert === of.alert && subject === of.subject) ?? null;
    const truth = cause === null ? (found.isUndecided(of) ? 'unknown' : false) : isFiring(id) || begins(of, cause);
    const title = cause === null ? firedTitle(id) : `${of.alert}: ${cause.title}`;
    const watch = selfWatchOf(of, { cause, title, truth, notify: notify(), zone: timeZone() });
    const memory = readyFor(memoryOf(id) ?? blankMemory(watch), at);
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
    const before = unkept.get(id);
    return { id, of, decision: before === undefined ? decision : joinDecisions(before, decision) };
  }

  /** The title of the firing message. */
  function firedTitle(id: WatchId): string {
    return stateOf(id, memoryOf(id))?.firing?.title ?? id;
  }

  async function commit(steps: readonly Stepped[], fence: Fence): Promise<void> {
    const wasRead = isRead;
    // A commit that ends with an error may still be stored, so the memories are read again after it.
    isRead = false;
    const decisions = await Promise.all(steps.map(({ decision }) => withTold(decision)));
    const ends = await store.commit(decisions, clock.now(), fence).catch((error: unknown) => {
      for (const { id, decision } of steps) noteUnkept(id, decision);
      throw error;
    });
    for (const { id } of steps) unkept.delete(id);
    unrecorded.recorded(decisions.flatMap(({ transitions }, i) => (ends[i] === 'kept' ? transitions : [])));
    isRead = wasRead && ends.every((end) => end === 'kept');
    for (const [i, { id, decision }] of steps.entries()) {
      if (ends[i] !== 'kept') continue;
      memoryById.set(id, { ...decision.memory, version: decision.expects + 1 });
      report(decision);
    }
    onTransitions();
  }

  async function withTold(decision: Decision): Promise<Decision> {
    if (!unkept.has(decision.watchId)) return decision;
    return { ...decision, transitions: await unrecorded.withTold(decision.transitions) };
  }

  function noteUnkept(id: WatchId, decision: Decision): void {
    if (decision.transitions.length <= MOST_UNKEPT) unkept.set(id, decision);
    unrecorded.offer(unkept.get(id)?.transitions ?? []);
  }

  function report({ watchId, memory, reasons }: Decision): void {
    const title = stateOf(watchId, memory)?.firing?.title;
    for (const { type } of reasons) {
      if (type === 'firing') log.warn('self:firing', { alert: watchId, title });
      if (type === 'resolved') log.info('self:resolved', { alert: watchId });
    }
  }

  async function forgetOld(now: Instant): Promise<void> {
    const old = [...memoryById].filter(([id, memory]) => isOver(stateOf(id, memory), now)).map(([id]) => id);
    if (old.length === 0) return;
    await store.forget(old);
    for (const id of old) memoryById.delete(id);
  }

  /** Makes one check. A storage that does not answer is logged once per cause, and tried again at the next check. */
  async function lookSafely(): Promise<void> {
    try {
      await look();
      if (lastFailure !== null) log.info('self:looks-again');
      lastFailure = null;
    } catch (error) {
      if (lastFailure !== String(error))
        log.warn('self:failed', { error, effect: 'of what is wrong with the daemon only what is critical is told' });
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
      [...memoryById.keys()].flatMap((id) => {
        const of = parseSelfWatchId(id);
        const sight = { cause: null, title: id, truth: 'unknown', notify: notify(), zone: timeZone() } as const;
        return of === null ? [] : [selfWatchOf(of, sight)];
      }),
    memoryOf,
    shardsMoved() {
      hasMoved = true;
    },
  };
}

function begins({ severity }: SelfWatchId, cause: Cause): boolean {
  return !cause.isExplained && cause.severity === severity;
}

function stateOf(id: WatchId, memory: Memory | undefined): ConditionState | null {
  const alert = memory?.alerts[parseSelfWatchId(id)?.alert ?? '']?.[''];
  return alert === undefined ? null : conditionOf(alert);
}

/** True if the condition does not fire, wait or flap, and last fired more than an hour ago. */
function isOver(state: ConditionState | null, now: Instant): boolean {
  if (state === null) return true;
  const last = state.firings.at(-1) ?? -Infinity;
  return state.state === 'inactive' && state.flapping === null && Math.abs(now - last) > FORGOTTEN_AFTER_MS;
}
