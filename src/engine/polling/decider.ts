// Computes the result of a poll: the observation and the decision from it. It commits nothing and changes no held
// memory.
import type { ShownBlocks } from '../../core/chain/chain-identity.ts';
import type { JudgedPoll } from '../../core/chain/tick-chain.ts';
import type { Decision } from '../../core/model/decision.ts';
import { highest } from '../../core/model/delivery.ts';
import type { Severity, WatchId } from '../../core/model/ids.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { Head, MissReason, Observation, TickChain } from '../../core/model/observation.ts';
import { readyFor, skewOf } from '../../core/model/quality/clock-shift.ts';
import {
  type AskedBy,
  type ListQuestion,
  Missed,
  Postponed,
  questionKey,
  type Read,
  sharedKey,
  type TickRead,
} from '../../core/model/watch/question.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { firstQuestionsOf, needOf } from '../../core/spending/asked.ts';
import { withClosedApart, withStored } from '../../core/alerts/history.ts';
import type { Past } from '../../core/windows/stored-runs.ts';
import { type Clock, type Instant, showInstant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { BlocksReading, ChainIdentity, Chains } from './chains.ts';
import { isStop, judgeSafely, type PollReader, pollSafely, readTickChain } from './observe.ts';
import type { DecidedPoll, PollHook } from './poll.ts';
import type { RunsOfWatches } from './beside-memory.ts';

export interface DeciderOptions {
  readonly store: Pick<Store, 'samples'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly hook: PollHook | null;
  readonly runs: Pick<RunsOfWatches, 'before'>;
  readonly chains: Pick<Chains, 'read'>;
  readonly identity: Pick<ChainIdentity, 'isDue' | 'ask' | 'otherChain'>;
  /** Whether some watch reads the head of the explorer at every poll. */
  readonly readsHead: (explorer: string) => boolean;
  /** The interval in force. */
  readonly paceOf: (watch: Watch) => number;
}

/**
 * The methods return null if the daemon is stopping, or if this process may no longer poll the explorer. `decide`
 * throws `Postponed` if the plan has no credits for the poll now.
 */
export interface Decider {
  decide(watch: Watch, memory: Memory, tick: Tick): Promise<DecidedPoll | null>;
  /** Decides the same observation on another memory. */
  decideAgain(decided: DecidedPoll, memory: Memory): Promise<DecidedPoll | null>;
}

interface Ways {
  readonly poll: () => Promise<JudgedPoll | null>;
  readonly miss: (missed: Observation) => Promise<JudgedPoll | null>;
}

export function createDecider(options: DeciderOptions): Decider {
  const { clock, log, runs } = options;
  const missedFor = missedBy(options);
  const decider = createPlainDecider(options);
  /** Watches with a defect in their last poll, which is logged once. */
  const defective = new Set<WatchId>();

  /**
   * A defect outside of the rules must not stop the watch silently: it is a missed poll, which is counted and reported.
   */
  async function missedAs(error: unknown, watch: Watch, known: Memory): Promise<DecidedPoll | null> {
    if (error instanceof Postponed) throw error;
    if (isStop(error)) return null;
    if (!defective.has(watch.id)) log.error('watch:failed', { watch: watch.name, error });
    defective.add(watch.id);
    const { memory, shiftedMs } = withoutClockSkew(known, watch, { clock, log });
    const missed = missedFor('shape', String(error), watch);
    const chain = (): Promise<TickChain> => Promise.resolve('unknown');
    const past = (at: Instant): Promise<Past> => runs.before(watch, memory, at, shiftedMs);
    const judged = await judgeSafely(watch, memory, missed, { chain, past }, log);
    if (judged === null) return null;
    const whole = moved(judged.decision, shiftedMs);
    const decision = withClosedApart(watch, memory, whole);
    return { watch, observation: missed, decision, whole, tookMs: 0, hooked: null, chain };
  }

  return {
    ...decider,
    async decide(watch, known, tick) {
      try {
        const decided = await decider.decide(watch, known, tick);
        defective.delete(watch.id);
        return decided;
      } catch (error) {
        return missedAs(error, watch, known);
      }
    },
  };
}

/** `decide` throws errors that are defects of the daemon. */
function createPlainDecider(options: DeciderOptions): Decider {
  const { store, clock, log, hook, runs, chains, identity, readsHead, paceOf } = options;
  const missedFor = missedBy(options);

  function hookOf(watch: Watch, memory: Memory, { read, startedAt }: Tick): DecidedPoll['hooked'] {
    const wholeMemory = async (): Promise<Memory> =>
      watch.windows.length === 0 ? memory : withStored(memory, await store.samples(watch.id));
    return hook?.onPoll({ watch, memory, wholeMemory, startedAt }, read) ?? null;
  }

  function readerOf(watch: Watch, reader: Reader, read: Read): PollReader {
    const { explorer } = watch.target;
    return {
      read,
      now: clock.now,
      // If no watch reads the head at every poll, the last one was read for a single decision and may be old.
      head: () => (readsHead(explorer) ? reader.head() : null),
      canAskHead: true,
      paceMs: paceOf(watch),
      chain: async () => {
        const alone = await readTickChain(watch, read);
        return alone === 'unknown' ? alone : chains.read(explorer, reader.blocks());
      },
      endsPoll: (error) => isStop(error) || error instanceof Postponed,
    };
  }

  /** The result of a poll; a missed poll if the explorer shows another chain than before. */
  async function onSameChain(watch: Watch, { reader, read }: Tick, ways: Ways): Promise<JudgedPoll | null> {
    const { explorer } = watch.target;
    const otherChain = (): string | null | Promise<string | null> =>
      identity.isDue(explorer, reader)
        ? identity.ask(explorer, (height) => reader.blocksFrom(height, read))
        : identity.otherChain(explorer);
    const before = await otherChain();
    if (before !== null) return ways.miss(missedFor('other-chain', before, watch));
    const judged = await ways.poll();
    chains.read(explorer, reader.blocks());
    // The poll itself may have shown that the head fell.
    const after = await otherChain();
    return after === null ? judged : ways.miss(missedFor('other-chain', after, watch));
  }

  async function decide(watch: Watch, known: Memory, tick: Tick): Promise<DecidedPoll | null> {
    const { memory, shiftedMs } = withoutClockSkew(known, watch, { clock, log });
    const began = clock.monotonic();
    const read = tick.read.forWatch?.({ watch: watch.id, severity: needOf(watch).severity }) ?? tick.read;
    const hooked = hookOf(watch, memory, { ...tick, read });
    const past = (at: Instant): Promise<Past> => runs.before(watch, memory, at, shiftedMs);
    const reader = { ...readerOf(watch, tick.reader, hooked?.read ?? read), past };
    const judged = await onSameChain(watch, tick, {
      poll: () => pollSafely(watch, memory, reader, log),
      miss: (missed) => judgeSafely(watch, memory, missed, reader, log),
    });
    if (judged === null) return null;
    const whole = moved(judged.decision, shiftedMs);
    const decision = withClosedApart(watch, memory, whole);
    const tookMs = clock.monotonic() - began;
    return { watch, observation: judged.observation, decision, whole, tookMs, hooked, chain: reader.chain };
  }

  return {
    decide,
    async decideAgain(decided, memory) {
      const { watch, observation, chain } = decided;
      const past = (at: Instant): Promise<Past> => runs.before(watch, memory, at, 0);
      const judged = await judgeSafely(watch, memory, observation, { chain, past }, log);
      const whole = judged?.decision;
      return whole === undefined
        ? null
        : { ...decided, ...judged, decision: withClosedApart(watch, memory, whole), whole };
    },
  };
}

/** Times that were moved back are written, so that the stored times move too. */
function moved(decision: Decision, shiftedMs: number): Decision {
  if (shiftedMs === 0) return decision;
  return { ...decision, hasChanged: true, closed: { ...decision.closed, shiftedMs } };
}

/**
 * Moves the times of a memory back if the clock was set back. Else the watch would be blind, and its waits longer,
 * until the clock has caught up.
 */
function withoutClockSkew(
  memory: Memory,
  watch: Watch,
  { clock, log }: Pick<DeciderOptions, 'clock' | 'log'>,
): { memory: Memory; shiftedMs: number } {
  const now = clock.now();
  const shiftedMs = skewOf(memory, now);
  // With 1 ms the clock shows the time of the last poll again, which is not worth a line.
  if (shiftedMs > 1) log.warn('clock:went-back', { watch: watch.name, 'last seen': showInstant(now + shiftedMs - 1) });
  return { memory: readyFor(memory, now), shiftedMs };
}

type MissedFor = (reason: MissReason, detail: string, watch: Watch) => Observation;

function missedBy({ clock, paceOf }: Pick<DeciderOptions, 'clock' | 'paceOf'>): MissedFor {
  return (reason, detail, watch) => ({ type: 'missed', at: clock.now(), paceMs: paceOf(watch), reason, detail });
}

// Watches that are due together: watches of one explorer share its answers.

/** The poller's view of an explorer. */
export interface Reader {
  /** A reader for one tick: equal requests are made once. */
  tickReader(askedBy?: AskedBy): TickRead;
  head(): Head | null;
  /** The newest first page of blocks; null before its first reading. */
  blocks(): BlocksReading | null;
  /** Requests the blocks at a height and below. */
  blocksFrom(height: number, read: Read): Promise<ShownBlocks>;
}

export interface Tick {
  readonly reader: Reader;
  readonly read: TickRead;
  readonly startedAt: Instant;
}

interface Ticks {
  /** The tick of an explorer, shared by all its watches. */
  of(explorer: string): Tick;
  /** Call this after all polls. */
  end(): void;
}

/** `due`: the watches of the tick. */
export function createTicks(
  readerOf: (explorer: string) => Reader | undefined,
  startedAt: Instant,
  due: readonly Watch[],
): Ticks {
  const tickByExplorer = new Map<string, Tick>();
  return {
    of(explorer) {
      const known = tickByExplorer.get(explorer);
      if (known !== undefined) return known;
      const reader = readerOf(explorer) ?? absent(explorer);
      const isShared = sharedIn(due);
      const read = sharing(reader.tickReader(askedByOf(explorer, due)), isShared);
      const tick = { reader, read, startedAt };
      tickByExplorer.set(explorer, tick);
      return tick;
    },
    end() {
      for (const { read } of tickByExplorer.values()) read.end?.();
    },
  };
}

/** The severities are computed at the first question. */
function askedByOf(explorer: string, due: readonly Watch[]): AskedBy {
  let askedByPath: ReadonlyMap<string, AskedFirst> | null = null;
  return (path) => {
    askedByPath ??= firstAsked(due.filter(({ target }) => target.explorer === explorer));
    const asked = askedByPath.get(path);
    if (asked !== undefined) return { ...asked, isFirst: true };
    return { severity: highest(askedByPath.values().map(({ severity }) => severity)), isFirst: false };
  };
}

function sharing({ forWatch, ...reader }: TickRead, isShared: NonNullable<Read['isShared']>): TickRead {
  const shared = { ...reader, isShared };
  return forWatch === undefined ? shared : { ...shared, forWatch: (asker) => ({ ...forWatch(asker), isShared }) };
}

/** The filters are collected at the first list with a filter. */
function sharedIn(due: readonly Watch[]): (question: ListQuestion) => boolean {
  let keysByShared: ReadonlyMap<string, ReadonlySet<string>> | null = null;
  return (question) => {
    keysByShared ??= filtersIn(due);
    return (keysByShared.get(sharedKey(question))?.size ?? 0) > 1;
  };
}

function filtersIn(due: readonly Watch[]): ReadonlyMap<string, ReadonlySet<string>> {
  const questions = due.map(({ kind, target }) => kind.question(target));
  const bySharedKey = Map.groupBy(questions, sharedKey);
  return new Map([...bySharedKey].map(([key, asked]) => [key, new Set(asked.map(questionKey))]));
}

interface AskedFirst {
  readonly severity: Severity;
  readonly isExtra: boolean;
}

function firstAsked(watches: readonly Watch[]): ReadonlyMap<string, AskedFirst> {
  const askedByPath = new Map<string, AskedFirst>();
  for (const watch of watches) {
    const { severity } = needOf(watch);
    for (const { path, isExtra } of pathsOf(watch)) {
      const known = askedByPath.get(path);
      askedByPath.set(path, {
        severity: known === undefined ? severity : highest([known.severity, severity]),
        isExtra: isExtra && known?.isExtra !== false,
      });
    }
  }
  return askedByPath;
}

/** The paths of a poll, and of one that falls back: that is planned up to the number of questions of the other. */
function pathsOf(watch: Watch): readonly { readonly path: string; readonly isExtra: boolean }[] {
  const { kind, target } = watch;
  const planned = firstQuestionsOf(watch);
  const instead = kind.fallbackQuestions?.(target) ?? [];
  return [
    ...planned.map(({ path }) => ({ path, isExtra: false })),
    ...instead.map(({ path }, i) => ({ path, isExtra: i >= planned.length })),
  ];
}

/** Stands in for an explorer that is not open: its watches have missed polls, which are counted and logged. */
function absent(explorer: string): Reader {
  const refuse = () => Promise.reject(new Missed('no-explorer', `the explorer ${explorer} is not open`));
  const read = { one: refuse, page: refuse, pageAgain: refuse };
  return { tickReader: () => read, head: () => null, blocks: () => null, blocksFrom: refuse };
}
