// Commits the decisions of polls: together, with one wait for the disk, and again after a commit that the store did not
// keep.
import type { Ownership } from '../../cluster/ownership.ts';
import { joinDecisions } from '../../core/joined-decision.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Memory, Run, Samples } from '../../core/model/memory.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { withClosedApart } from '../../core/alerts/history.ts';
import { after, type Clock, type Instant, nextTurn } from '../../lib/clock.ts';
import { mayBeDone } from '../../lib/unavailable.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Outages } from '../reporting/report.ts';
import type { Unrecorded } from '../sending/unrecorded.ts';
import type { DecidedPoll } from './poll.ts';

// Handles commits that the store did not keep. Without it the watch would decide on a memory that differs from the stored
// one: every later commit would be superseded too, and the watch blind until a restart.
//
//   superseded   the stored memory is another one: it is read again. If it is newer, the same observation is decided
//                again on it. If it is older (the file was put back), it replaces the memory, and the next poll decides.
//   rejected     the store answered with an error, but may have committed: the memory is read again before the next poll
//                of the watch. If it is the one before the commit, the next poll continues from the lost decision, and
//                both are committed as one. Critical messages are sent from memory meanwhile.

export interface RecoveryOptions {
  readonly batch: CommitBatch<DecidedPoll>;
  /** Reads the stored memory of one watch; undefined: nothing is stored. */
  readonly recall: (watch: Watch) => Promise<Memory | undefined>;
  /** The memory in force, which is that of the last commit. */
  readonly heldMemory: (watch: Watch) => Memory;
  /** The stored memory replaces the one in force; undefined: none is stored any more. */
  readonly replace: (watch: Watch, stored: Memory | undefined) => void;
  /** Decides the same observation on the memory in force now; null when the daemon is stopping. */
  readonly decideAgain: (decided: DecidedPoll) => Promise<DecidedPoll | null>;
  readonly unrecorded: Pick<Unrecorded, 'offer' | 'withTold' | 'recorded'>;
  readonly outages: Pick<Outages, 'storageFails'>;
  readonly log: Pick<Log, 'info'>;
  /** Called when the memory of a watch was read again, to count it. */
  readonly onRecalled: (cause: RecallCause) => void;
}

export type RecallCause = 'superseded' | 'rejected';

/** Decisions that the store did not keep, by watch. */
export interface UnkeptDecisions {
  unkept(watch: WatchId): Decision | undefined;
  /** Includes watches that are not polled any more. */
  unkeptWatches(): readonly WatchId[];
  /** Drops the decisions of the watch: they are stored, or not needed any more. */
  forget(watch: WatchId): void;
}

interface CommitRecovery extends UnkeptDecisions {
  /** Commits the decision of a poll. Never rejects. */
  commit(decided: DecidedPoll): Promise<void>;
  /** Reads the memory again if the last commit left it uncertain. False: it could not be read, so do not poll. */
  settle(watch: Watch): Promise<boolean>;
}

const MOST_DECISIONS = 3;
/**
 * The most transitions and runs of all watches that wait in memory for the store. A decision beyond that is dropped; if
 * the watch has no other one here, it is not polled until its memory can be read.
 */
const MOST_UNKEPT = 20_000;

export function createCommitRecovery(options: RecoveryOptions): CommitRecovery {
  const { batch, recall, heldMemory, replace, decideAgain, unrecorded, outages, log, onRecalled } = options;
  const uncertain = new Set<WatchId>();
  const unkept = new Map<WatchId, Decision>();
  let unkeptSize = 0;

  /** Undefined: no decision of the watch waits for the store any more. */
  function keep(watch: WatchId, decision: Decision | undefined): void {
    unkeptSize += sizeOf(decision) - sizeOf(unkept.get(watch));
    if (decision === undefined) unkept.delete(watch);
    else unkept.set(watch, decision);
  }

  async function settle(watch: Watch): Promise<boolean> {
    if (!uncertain.has(watch.id)) return true;
    return (await readAgain(watch, 'rejected')) !== 'failed' || unkept.has(watch.id);
  }

  /** Reads the memory again, and compares its version with that of the one in force. */
  async function readAgain(watch: Watch, cause: RecallCause): Promise<'newer' | 'not-newer' | 'failed'> {
    uncertain.add(watch.id);
    try {
      const stored = await recall(watch);
      uncertain.delete(watch.id);
      const [held, found] = [heldMemory(watch).version, stored?.version ?? 0];
      onRecalled(cause);
      if (found === held) return 'not-newer';
      keep(watch.id, undefined);
      log.info('watch:memory-recalled', { watch: watch.name, cause, held, found });
      replace(watch, stored);
      return found > held ? 'newer' : 'not-newer';
    } catch (error) {
      outages.storageFails(error);
      return 'failed';
    }
  }

  /** Joins the decision with earlier ones that were not stored, and with the recipients of their messages. */
  async function withUnkept(decided: DecidedPoll): Promise<DecidedPoll> {
    const { watch } = decided;
    const before = unkept.get(watch.id);
    if (before === undefined) return decided;
    const whole = joinDecisions(before, decided.whole);
    const transitions = await unrecorded.withTold(whole.transitions);
    return { ...decided, whole, decision: withClosedApart(watch, heldMemory(watch), { ...whole, transitions }) };
  }

  function noteRejected({ watch, whole }: DecidedPoll, mayBeKept: boolean): void {
    const { id } = watch;
    uncertain.add(id);
    const next = watch.windows.length > 0 ? whole : withFewRuns(whole);
    if (unkeptSize - sizeOf(unkept.get(id)) + sizeOf(next) <= MOST_UNKEPT) keep(id, next);
    unrecorded.offer(unkept.get(id)?.transitions ?? [], mayBeKept);
  }

  return {
    settle,
    unkept: (id) => unkept.get(id),
    unkeptWatches: () => [...unkept.keys()],
    forget(id) {
      uncertain.delete(id);
      keep(id, undefined);
    },
    async commit(decided) {
      let current = decided;
      for (let decisions = 1; ; decisions += 1) {
        const whole = await withUnkept(current);
        const end = await batch.add(whole);
        if (end === 'rejected' || end === 'unanswered') noteRejected(whole, end === 'unanswered');
        if (end === 'kept') unrecorded.recorded(unkept.get(current.watch.id)?.transitions ?? []);
        if (end === 'kept' || end === 'superseded') keep(current.watch.id, undefined);
        if (end !== 'superseded') return;
        if ((await readAgain(current.watch, 'superseded')) !== 'newer' || decisions === MOST_DECISIONS) return;
        const again = await decideAgain(current);
        if (again === null) return;
        current = again;
      }
    },
  };
}

function sizeOf(decision: Decision | undefined): number {
  if (decision === undefined) return 0;
  const runs = Object.values(decision.memory.history).reduce((sum, { length }) => sum + length, 0);
  return decision.transitions.length + runs;
}

/** The most runs of a value that wait for the store if no condition reads them, only charts. */
const MOST_RUNS = 20;

function withFewRuns(decision: Decision): Decision {
  const { history } = decision.memory;
  if (!Object.values(history).some(hasMany)) return decision;
  const few: Samples = Object.fromEntries(
    Object.entries(history).map(([path, runs]) => [path, hasMany(runs) ? runs.slice(-MOST_RUNS) : runs]),
  );
  return { ...decision, memory: { ...decision.memory, history: few } };
}

function hasMany(runs: readonly Run[]): boolean {
  return runs.length > MOST_RUNS;
}

// Commits decisions together, with one wait for the disk. A decision with transitions is committed at once, with all
// others that are ready. A decision without transitions waits a little for others, since it delays no message.

interface BatchOptions<Item> {
  readonly store: Pick<Store, 'commit'>;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'lost'>;
  readonly clock: Clock;
  /** The wait of a decision without transitions for others, in real milliseconds; 0 = it is committed at once too. */
  readonly silentWaitMs: number;
  readonly outages: Pick<Outages, 'storageFails' | 'storageWorks'>;
  readonly shardOf: (item: Item) => Shard;
  /** Called just before the commit. False: the item is dropped without a log line. */
  readonly isInForce: (item: Item) => boolean;
  /** Called when the decision is on disk, or needs no write. `at`: the time in the commit. */
  readonly onCommitted: (item: Item, at: Instant) => void;
}

/**
 * `dropped`: the item was no longer in force, or its shard is not held. `rejected`: the storage answered with an error.
 * `unanswered`: the answer to the commit was lost, so it may be stored, and another replica may act on it.
 */
type CommitEnd = 'kept' | 'superseded' | 'rejected' | 'unanswered' | 'dropped';

interface CommitBatch<Item> {
  /** Resolves with the result of the item; never rejects. */
  add(item: Item): Promise<CommitEnd>;
  /** Resolves when nothing waits and no commit is under way. */
  idle(): Promise<void>;
}

export function createBatch<Item extends { readonly decision: Decision }>(
  options: BatchOptions<Item>,
): CommitBatch<Item> {
  const { ownership, clock, silentWaitMs, shardOf, isInForce, onCommitted } = options;
  let ready: { readonly item: Item; readonly done: (end: CommitEnd) => void }[] = [];
  /** True if the ready items are committed in the next turn. */
  let isDue = false;
  let stopWaiting: (() => void) | null = null;
  const committing = new Set<Promise<void>>();

  function commitSoon(): void {
    stopWaiting?.();
    stopWaiting = null;
    if (isDue) return;
    isDue = true;
    const commit = nextTurn().then(commitReady);
    committing.add(commit);
    void commit.finally(() => committing.delete(commit));
  }

  async function commitReady(): Promise<void> {
    const all = ready;
    ready = [];
    isDue = false;
    const items = all.map(({ item }) => item).filter(isInForce);
    const ends = new Map<Item, CommitEnd>();
    const at = clock.now();
    const byFence = Map.groupBy(items, (item) => ownership.fenceOf(shardOf(item)));
    for (const [fence, some] of byFence)
      if (fence !== null) for (const [item, end] of await commitAll(options, some, at, fence)) ends.set(item, end);
    for (const [item, end] of ends) if (end === 'kept') onCommitted(item, at);
    for (const { item, done } of all) done(ends.get(item) ?? 'dropped');
  }

  /** A decision that writes nothing now does not wait for others. */
  function keepUnwritten(item: Item): CommitEnd {
    if (!isInForce(item)) return 'dropped';
    onCommitted(item, clock.now());
    return 'kept';
  }

  return {
    async add(item) {
      if (!isWritten(item.decision)) return keepUnwritten(item);
      const { promise, resolve } = Promise.withResolvers<CommitEnd>();
      ready.push({ item, done: resolve });
      const isSilent = item.decision.transitions.length === 0;
      if (!isSilent || silentWaitMs === 0) commitSoon();
      else if (!isDue) stopWaiting ??= after(silentWaitMs, commitSoon);
      return promise;
    },
    async idle() {
      if (ready.length > 0) commitSoon();
      await Promise.allSettled(committing);
    },
  };
}

const SLOW_MS = 1000;

/** False: nothing is written now. Only the time of the poll, and changed diagnostics, are written later. */
export function isWritten({ hasChanged, transitions }: Decision): boolean {
  return hasChanged || transitions.length > 0;
}

/** Commits the items together. If that fails, commits each of them alone, so that one does not make others fail. */
async function commitAll<Item extends { readonly decision: Decision }>(
  options: BatchOptions<Item>,
  items: readonly Item[],
  at: Instant,
  fence: Fence,
  failed: 'rejected' | 'unanswered' = 'rejected',
): Promise<readonly (readonly [Item, CommitEnd])[]> {
  const { store, ownership, clock, outages, shardOf } = options;
  const startedAt = clock.monotonic();
  try {
    const decisions = items.map(({ decision }) => decision);
    const results = await store.commit(decisions, at, fence);
    outages.storageWorks();
    if (results.includes('fenced')) for (const shard of new Set(items.map(shardOf))) ownership.lost(shard);
    return items.flatMap((item, i) => {
      const end = results[i] ?? 'fenced';
      return end === 'fenced' ? [] : [[item, end] as const];
    });
  } catch (error) {
    // The memory here is unchanged, and most likely the stored one is too. So the next poll starts from the same
    // memory and makes the same decision. If the failure took long, another program has locked the store. Each
    // further commit would wait for that lock again, so none is tried.
    const end = mayBeDone(error) ? 'unanswered' : failed;
    const isLast = items.length === 1 || clock.monotonic() - startedAt >= SLOW_MS;
    if (!isLast) return (await Promise.all(items.map((item) => commitAll(options, [item], at, fence, end)))).flat();
    outages.storageFails(error);
    return items.map((item) => [item, end]);
  }
}
