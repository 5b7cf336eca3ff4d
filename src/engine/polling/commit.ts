// Commits the decisions of polls: together, with one wait for the disk. A commit that the store did not keep:
//
//   superseded   the stored memory is another one: it is read again. If it is newer, the same observation is decided
//                again on it. If it is older (the file was put back), it replaces the memory, and the next poll decides.
//   rejected     the store answered with an error, but may have committed: the memory is read again before the next poll
//                of the watch. If it is the one before the commit, the next poll continues from the lost decision, and
//                both are committed as one. Critical messages are sent from memory meanwhile.
import type { Ownership } from '../../cluster/ownership.ts';
import { joinDecisions } from '../../core/joined-decision.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Run, Samples } from '../../core/model/memory.ts';
import { withClosedApart } from '../../core/alerts/history.ts';
import { after, type Clock, type Instant, nextTurn } from '../../lib/clock.ts';
import { mayBeDone } from '../../lib/unavailable.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Outages } from '../reporting/report.ts';
import type { Unrecorded } from '../sending/unrecorded.ts';
import type { DecidedPoll } from './decide.ts';
import { type DueTools, readAgain } from './due.ts';
import type { PollReading } from './read.ts';
import { forgetSpent, keepRefused, memoryOrBlank, type PollState, sizeOf, type HeldWatch } from './state.ts';

export interface PollCommitTools extends DueTools {
  readonly batch: Pick<CommitBatch<DecidedPoll>, 'add'>;
  readonly unrecorded: Pick<Unrecorded, 'offer' | 'withTold' | 'recorded'>;
}

/**
 * The most transitions and runs of all watches that wait in memory for the store. A further decision is dropped. If no
 * other decision of its watch waits, the watch is not polled until its memory can be read.
 */
const MOST_REFUSED = 20_000;

/**
 * If the observation must be decided again on a newer memory, resolves with the reading for that; otherwise with null.
 * Never rejects.
 */
export async function commit(
  state: HeldWatch,
  decided: DecidedPoll,
  tools: PollCommitTools,
): Promise<PollReading | null> {
  const { polls, batch, unrecorded } = tools;
  const { watch } = decided;
  const whole = await withRefused(state, decided, tools);
  const end = await batch.add(whole);
  if (end === 'rejected' || end === 'unanswered') noteRefused(state, whole, end === 'unanswered', tools);
  if (end === 'kept') unrecorded.recorded(state.refused?.transitions ?? []);
  if (end === 'kept' || end === 'superseded') keepRefused(polls, state, null);
  if (end !== 'superseded' || (await readAgain(state, watch, 'superseded', tools)) !== 'newer') return null;
  return { ...decided, memory: memoryOrBlank(state, watch), shiftedMs: 0, otherChain: null };
}

/** Joins the decision with earlier ones that were not stored, and with the recipients of their messages. */
async function withRefused(
  state: HeldWatch,
  decided: DecidedPoll,
  { unrecorded }: PollCommitTools,
): Promise<DecidedPoll> {
  if (state.refused === null) return decided;
  const { watch } = decided;
  const whole = joinDecisions(state.refused, decided.whole);
  const transitions = await unrecorded.withTold(whole.transitions);
  const memory = memoryOrBlank(state, watch);
  return { ...decided, whole, decision: withClosedApart(watch, memory, { ...whole, transitions }) };
}

function noteRefused(
  state: HeldWatch,
  { watch, whole }: DecidedPoll,
  mayBeKept: boolean,
  { polls, unrecorded }: PollCommitTools,
): void {
  state.memoryState = 'uncertain';
  const next = watch.windows.length > 0 ? whole : withFewRuns(whole);
  if (polls.refusedSize - sizeOf(state.refused) + sizeOf(next) <= MOST_REFUSED) keepRefused(polls, state, next);
  unrecorded.offer(state.refused?.transitions ?? [], mayBeKept);
}

/** Decisions that the store did not keep, by watch. */
export interface UnkeptDecisions {
  unkept(watch: WatchId): Decision | undefined;
  /** Includes watches that are not polled any more. */
  unkeptWatches(): readonly WatchId[];
  /** Drops the decisions of the watch: they are stored, or not needed any more. */
  forget(watch: WatchId): void;
}

export function unkeptIn(polls: PollState): UnkeptDecisions {
  const { states } = polls;
  return {
    unkept: (id) => states.get(id)?.refused ?? undefined,
    unkeptWatches: () => [...states.values()].flatMap(({ id, refused }) => (refused === null ? [] : [id])),
    forget(id) {
      const state = states.get(id);
      if (state === undefined) return;
      if (state.memoryState === 'uncertain') state.memoryState = 'read';
      keepRefused(polls, state, null);
      forgetSpent(polls, state);
    },
  };
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
    if (results.includes('fenced')) for (const shard of new Set(items.map(shardOf))) ownership.lost(shard, fence);
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
