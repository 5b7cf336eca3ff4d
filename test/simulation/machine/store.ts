// The real store, seen by one process: it may refuse, lie about what it did, or be the last thing that the process saw.
import type { JournalEntry } from '../../../src/core/journal/entry.ts';
import type { Decision } from '../../../src/core/model/decision.ts';
import type { Settlement } from '../../../src/core/model/delivery.ts';
import type { Transition } from '../../../src/core/model/transition.ts';
import type { RoundResult } from '../../../src/dispatch/model.ts';
import type { HeldMember } from '../../../src/dispatch/first-try.ts';
import type { CallResult } from '../../../src/dispatch/rounds/call-round.ts';
import type { OperatorWork, StoredAnswer } from '../../../src/store/contract/operators.ts';
import type { Tried } from '../../../src/store/contract/deliveries.ts';
import type { CommitResult, Fence } from '../../../src/store/contract/fence.ts';
import { StorageError, type Store } from '../../../src/store/contract/store.ts';
import type { VirtualTime } from './clock.ts';
import type { PolicyMemory } from './policy-memory.ts';
import type { FaultField } from '../faults/field.ts';
import type { LifeLine } from '../life-line.ts';
import type { FaultKind } from '../faults/kinds.ts';
import type { Disturbance } from '../model.ts';

export interface StoreOptions {
  readonly inner: Store;
  /** Of the same store; it outlives the process. */
  readonly policy: PolicyMemory;
  readonly line: LifeLine;
  readonly time: VirtualTime;
  readonly field: FaultField;
  readonly observer: StoreObserver;
}

/** What is on disk, whatever the process was told. */
export interface StoreObserver {
  readonly kept: (decisions: readonly Decision[]) => void;
  /** The process was told that it is not. */
  readonly unkept: (decisions: readonly Decision[]) => void;
  readonly dispatched: (result: RoundResult) => void;
  readonly rerouted: (result: Pick<RoundResult, 'withdrawn'>) => void;
  /** Others were called in. */
  readonly called: (result: CallResult) => void;
  /** Before its first try. */
  readonly putBack: (id: string, held: readonly HeldMember[]) => void;
  readonly settled: (tried: Tried, settlement: Settlement) => void;
  /** Also where a request was repeated, and answered as at first: the journal gets no lines of it then. */
  readonly operated: (
    stored: StoredAnswer,
    work: Pick<OperatorWork, 'request' | 'at'>,
    lines: readonly JournalEntry[],
  ) => void;
  /** Of what operators do, and of what ends by itself. */
  readonly announced: (transitions: readonly Transition[]) => void;
  readonly disturbed: (disturbance: Disturbance) => void;
}

const REFUSED: ReadonlySet<FaultKind> = new Set(['commit-refused']);
const KEPT_BUT_ERROR: ReadonlySet<FaultKind> = new Set(['commit-kept-but-error']);
const SUPERSEDED: ReadonlySet<FaultKind> = new Set(['commit-superseded']);

export function storeOf({ inner, policy, line, time, field, observer }: StoreOptions): Store {
  async function deed<T>(work: () => Promise<T>): Promise<T> {
    time.stir();
    await line.deed();
    const result = await work();
    time.stir();
    await line.deed();
    return result;
  }

  function write<T>(work: () => Promise<T>, onRefused?: () => void): Promise<T> {
    return deed(async () => {
      if (field.lasting(REFUSED, time.now()) !== null) {
        disturb();
        onRefused?.();
        throw new StorageError('the disk is full');
      }
      return work();
    });
  }

  /** It may change what operators have decided, or for how long that holds. */
  function writePolicy<T>(work: () => Promise<T>, onRefused?: () => void): Promise<T> {
    return write(() => policy.changing(work), onRefused);
  }

  function disturb(): void {
    observer.disturbed({ from: time.now(), to: time.now(), path: null });
  }

  async function commit(decisions: readonly Decision[], at: number, fence: Fence): Promise<CommitResult[]> {
    if (field.strike(SUPERSEDED, time.now(), null) !== null) {
      disturb();
      await supersede(inner, decisions, at, fence);
    }
    const ends = await inner.commit(decisions, at, fence);
    observer.kept(decisions.filter((_decision, i) => ends[i] === 'kept'));
    if (field.strike(KEPT_BUT_ERROR, time.now(), null) === null) return ends;
    disturb();
    observer.unkept(decisions);
    throw new StorageError('the disk did not answer');
  }

  return {
    cluster: inner.cluster,
    reader: () => inner.reader(),
    setMaxBytes: (maxBytes) => {
      inner.setMaxBytes(maxBytes);
    },
    recall: (ids) => deed(() => inner.recall(ids)),
    remembered: () => deed(() => inner.remembered()),
    covered: () => deed(() => inner.covered()),
    diagnostics: (ids) => deed(() => inner.diagnostics(ids)),
    samples: (watch) => deed(() => inner.samples(watch)),
    samplesAfter: (of, after, limit) => deed(() => inner.samplesAfter(of, after, limit)),
    commit: (decisions, at, fence) =>
      writePolicy(
        () => commit(decisions, at, fence),
        () => {
          observer.unkept(decisions);
        },
      ),
    addDetails: (messages, fence) => write(() => inner.addDetails(messages, fence)),
    readRouting: (limit, at) => deed(() => inner.readRouting(limit, at)),
    commitRouting: (round, result, at, fence) =>
      write(async () => {
        const end = await inner.commitRouting(round, result, at, fence);
        if (end === 'kept') observer.rerouted(result);
        return end;
      }),
    readDue: (query) => deed(() => inner.readDue(query)),
    acksToPass: (channel, at) => deed(() => inner.acksToPass(channel, at)),
    oldEvents: (channel, before, limit) => deed(() => inner.oldEvents(channel, before, limit)),
    readMembers: (round, query) => deed(() => inner.readMembers(round, query)),
    commitDue: (round, decision, at, fence) =>
      write(async () => {
        const end = await inner.commitDue(round, decision, at, fence);
        if (end === 'kept') observer.dispatched(decision.result);
        return end;
      }),
    readCalls: (at, limit, unanswered) => deed(() => inner.readCalls(at, limit, unanswered)),
    commitCalls: (round, result, at, fence) =>
      write(async () => {
        const end = await inner.commitCalls(round, result, at, fence);
        if (end !== 'kept') return end;
        observer.called(result);
        observer.announced(result.announced);
        return end;
      }),
    readActive: (page) => deed(() => inner.readActive(page)),
    commitReroute: (result, at, fence) =>
      write(async () => {
        const end = await inner.commitReroute(result, at, fence);
        if (end === 'kept') observer.rerouted(result);
        return end;
      }),
    goneTargets: () => deed(() => inner.goneTargets()),
    keepGone: (...keep) => write(() => inner.keepGone(...keep)),
    dispatchedAt: () => deed(() => inner.dispatchedAt()),
    keepDispatched: (...keep) => write(() => inner.keepDispatched(...keep)),
    moveClock: (jump, fence) => writePolicy(() => inner.moveClock(jump, fence)),
    nextRound: () => deed(() => inner.nextRound()),
    cover: (coverage, fence) => write(() => inner.cover(coverage, fence)),
    keepHealth: (health) => write(() => inner.keepHealth(health)),
    keepRunning: (outline) => write(() => inner.keepRunning(outline)),
    plans: (onDamaged) => deed(() => inner.plans(onDamaged)),
    keepPlans: (kept, at, fence) => write(() => inner.keepPlans(kept, at, fence)),
    forget: (ids) => write(() => inner.forget(ids)),
    chainBlocks: (explorers) => deed(() => inner.chainBlocks(explorers)),
    keepChainBlocks: (explorer, blocks, kept, fence) =>
      write(() => inner.keepChainBlocks(explorer, blocks, kept, fence)),
    keepRecipients: (...keep) => write(() => inner.keepRecipients(...keep)),
    namingChannels: () => deed(() => inner.namingChannels()),
    ran: (channel, ms) => write(() => inner.ran(channel, ms)),
    claim: (claim, fence) => write(() => inner.claim(claim, fence)),
    unclaim: (lost, fence) => write(() => inner.unclaim(lost, fence)),
    settle: (tried, settlement, at) =>
      write(async () => {
        const end = await inner.settle(tried, settlement, at);
        if (end === 'settled') observer.settled(tried, settlement);
        return end;
      }),
    expire: (channel, at, held, waits) => write(() => inner.expire(channel, at, held, waits)),
    readFirstTry: (id, query) => deed(() => inner.readFirstTry(id, query)),
    putBack: (tried, held, at) =>
      write(async () => {
        const end = await inner.putBack(tried, held, at);
        if (end === 'kept') observer.putBack(tried.id, held);
        return end;
      }),
    refusing: (channel) => deed(() => inner.refusing(channel)),
    nextDue: (share) => deed(() => inner.nextDue(share)),
    survey: () => deed(() => inner.survey()),
    answerTo: (request) => deed(() => inner.answerTo(request)),
    newsSince: (since) => deed(() => inner.newsSince(since)),
    operate: (work) =>
      writePolicy(async () => {
        let [announced, lines]: [readonly Transition[], readonly JournalEntry[]] = [[], []];
        const end = await inner.operate({
          ...work,
          async apply(sql) {
            const applied = await work.apply(sql);
            if (typeof applied !== 'string') ({ announced, lines } = applied);
            return applied;
          },
        });
        if (end.type !== 'kept') return end;
        observer.operated(end.stored, work, lines);
        observer.announced(announced);
        return end;
      }),
    announceable: (at) => deed(() => policy.announceable(at)),
    announce: (id, transitions, at, fence) =>
      writePolicy(async () => {
        const end = await inner.announce(id, transitions, at, fence);
        if (end === 'kept') observer.announced(transitions);
        return end;
      }),
    pauses: () => deed(() => inner.pauses()),
    policy: (at) => deed(() => policy.policy(at)),
    openAlerts: (of) => deed(() => inner.openAlerts(of)),
    openConditions: () => deed(() => inner.openConditions()),
    linkSecrets: () => deed(() => inner.linkSecrets()),
    isPassEnded: (nonce, until) => deed(() => inner.isPassEnded(nonce, until)),
    endPass: (nonce, until, at) => write(() => inner.endPass(nonce, until, at)),
    record: (entries) => write(() => inner.record(entries)),
    chainJournal: (limit, fence) => write(() => inner.chainJournal(limit, fence)),
    journalHead: () => deed(() => inner.journalHead()),
    journalHashAt: (position) => deed(() => inner.journalHashAt(position)),
    held: () => deed(() => inner.held()),
    mirrored: (channel, since) => deed(() => inner.mirrored(channel, since)),
    keepMirrored: (...args) => deed(() => inner.keepMirrored(...args)),
    countJournal: (after) => deed(() => inner.countJournal(after)),
    history: (filter) => deed(() => inner.history(filter)),
    verifyJournal: (anchor) => deed(() => inner.verifyJournal(anchor)),
    backlog: (deadSince) => deed(() => inner.backlog(deadSince)),
    probe: (at) => write(() => inner.probe(at)),
    secure: () => inner.secure(),
    prune: (before, at) => writePolicy(() => inner.prune(before, at)),
    // The database outlives the process.
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Another process was faster, and came to the very same memory: it has the next version. */
async function supersede(inner: Store, decisions: readonly Decision[], at: number, fence: Fence): Promise<void> {
  const memories = await inner.recall(decisions.map(({ watchId }) => watchId));
  const rivals = decisions.flatMap((decision) => {
    const memory = memories.get(decision.watchId);
    return memory === undefined
      ? []
      : [{ ...decision, memory, expects: memory.version, hasChanged: true, transitions: [] }];
  });
  await inner.commit(rivals, at, fence);
}
