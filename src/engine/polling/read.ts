// Reads what one poll decides on: the chain that the explorer shows, the head, and the answers to the kind's questions. It
// changes nothing.
import type { ShownBlocks } from '../../core/chain/chain-identity.ts';
import { highest } from '../../core/model/delivery.ts';
import type { Severity } from '../../core/model/ids.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { Head, HeadNeed, MissReason, Observation, TickChain } from '../../core/model/observation.ts';
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
import { withStored } from '../../core/alerts/history.ts';
import { type Clock, type Instant, showInstant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { BlocksReading, ChainIdentity, Chains } from './chains.ts';
import { isStop, observe, type PollReader, readTickChain } from './observe.ts';
import type { PollState, HeldWatch } from './state.ts';

export interface ReadTools {
  readonly polls: Pick<PollState, 'withHead'>;
  readonly store: Pick<Store, 'samples'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly hook: PollHook | null;
  readonly chains: Pick<Chains, 'read'>;
  readonly identity: Pick<ChainIdentity, 'isDue' | 'ask' | 'otherChain'>;
  /** The interval in force. */
  readonly paceOf: (watch: Watch) => number;
}

/** The observation of a poll, and what its decision needs besides. */
export interface PollReading {
  readonly watch: Watch;
  /** The memory from which the decision is computed. */
  readonly memory: Memory;
  /** The times in the memory were moved back by this much, because the clock was set back. */
  readonly shiftedMs: number;
  readonly observation: Observation;
  /** The start of the poll, by the monotonic clock. */
  readonly beganMs: number;
  /** True if the poll before failed by a defect of the daemon. */
  readonly hadDefect: boolean;
  readonly hooked: HookedPoll | null;
  /** Asks how far the explorer has read, in the same tick. */
  readonly chain: (need: HeadNeed) => Promise<TickChain>;
  /**
   * Checks whether the explorer shows another chain than before, and resolves with the reason if it does. Called after
   * the decision, because the poll itself may have shown that the head fell. Null if the check was made before the
   * poll, or if the observation is not made from this explorer's answers.
   */
  readonly otherChain: (() => Promise<string | null>) | null;
}

/**
 * Reads for one poll. A defect outside of the rules must not stop the watch silently: it is a missed poll, which is
 * counted and reported. Null if the daemon is stopping, or if this process may no longer poll the explorer. Throws
 * `Postponed` if the plan has no credits for the poll now.
 */
export async function read(
  state: HeldWatch,
  watch: Watch,
  known: Memory,
  tick: Tick,
  tools: ReadTools,
): Promise<PollReading | null> {
  const { hasDefect: hadDefect } = state;
  state.hasDefect = false;
  const start = { watch, ...withoutClockSkew(known, watch, tools), beganMs: tools.clock.monotonic(), hadDefect };
  try {
    return { ...start, ...(await readOnSameChain(watch, start.memory, tick, tools)) };
  } catch (error) {
    if (error instanceof Postponed) throw error;
    if (isStop(error)) return null;
    return { ...start, ...missedByDefect(state, start, error, tools) };
  }
}

type ReadHere = Pick<PollReading, 'observation' | 'hooked' | 'chain' | 'otherChain'>;

/** The missed poll in place of one that failed by a defect of the daemon. The defect is logged once. */
export function missedByDefect(
  state: HeldWatch,
  { watch, hadDefect }: Pick<PollReading, 'watch' | 'hadDefect'>,
  error: unknown,
  tools: Pick<ReadTools, 'clock' | 'log' | 'paceOf'>,
): ReadHere {
  if (!hadDefect) tools.log.error('watch:failed', { watch: watch.name, error });
  state.hasDefect = true;
  const observation = missedFor('shape', String(error), watch, tools);
  return { observation, hooked: null, chain: () => Promise.resolve('unknown'), otherChain: null };
}

/** If the explorer shows another chain than before, the poll counts as missed. */
async function readOnSameChain(watch: Watch, memory: Memory, tick: Tick, tools: ReadTools): Promise<ReadHere> {
  const { chains, identity } = tools;
  const { explorer } = watch.target;
  const { reader } = tick;
  const read = tick.read.forWatch?.({ watch: watch.id, severity: needOf(watch).severity }) ?? tick.read;
  const hooked = hookOf(watch, memory, { read, startedAt: tick.startedAt }, tools);
  const pollReader = readerOf(watch, reader, hooked?.read ?? read, tools);
  const { chain } = pollReader;
  const otherChain = async (): Promise<string | null> =>
    identity.isDue(explorer, reader)
      ? identity.ask(explorer, (height) => reader.blocksFrom(height, tick.read))
      : identity.otherChain(explorer);
  const before = await otherChain();
  if (before !== null)
    return { observation: missedFor('other-chain', before, watch, tools), hooked, chain, otherChain: null };
  const observation = await observe(watch, memory, pollReader);
  const after = (): Promise<string | null> => {
    chains.read(explorer, reader.blocks());
    return otherChain();
  };
  return { observation, hooked, chain, otherChain: after };
}

function hookOf(
  watch: Watch,
  memory: Memory,
  { read, startedAt }: Pick<Tick, 'read' | 'startedAt'>,
  { hook, store }: Pick<ReadTools, 'hook' | 'store'>,
): HookedPoll | null {
  const wholeMemory = async (): Promise<Memory> =>
    watch.windows.length === 0 ? memory : withStored(memory, await store.samples(watch.id));
  return hook?.onPoll({ watch, memory, wholeMemory, startedAt }, read) ?? null;
}

function readerOf(watch: Watch, reader: Reader, read: Read, { polls, clock, chains, paceOf }: ReadTools): PollReader {
  const { explorer } = watch.target;
  return {
    read,
    now: clock.now,
    // If no watch reads the head at every poll, the last one was read for a single decision and may be old.
    head: () => (polls.withHead.has(explorer) ? reader.head() : null),
    canAskHead: true,
    paceMs: paceOf(watch),
    chain: async () => {
      const alone = await readTickChain(watch, read);
      return alone === 'unknown' ? alone : chains.read(explorer, reader.blocks());
    },
    endsPoll: (error) => isStop(error) || error instanceof Postponed,
  };
}

/**
 * Moves the times of a memory back if the clock was set back. Otherwise the watch would be blind, and its waits would
 * be longer, until the clock has caught up.
 */
function withoutClockSkew(
  memory: Memory,
  watch: Watch,
  { clock, log }: Pick<ReadTools, 'clock' | 'log'>,
): Pick<PollReading, 'memory' | 'shiftedMs'> {
  const now = clock.now();
  const shiftedMs = skewOf(memory, now);
  // A shift of 1 ms means that the clock shows the time of the last poll again. This is usual, so no line is logged.
  if (shiftedMs > 1) log.warn('clock:went-back', { watch: watch.name, 'last seen': showInstant(now + shiftedMs - 1) });
  return { memory: readyFor(memory, now), shiftedMs };
}

export function missedFor(
  reason: MissReason,
  detail: string,
  watch: Watch,
  { clock, paceOf }: Pick<ReadTools, 'clock' | 'paceOf'>,
): Observation {
  return { type: 'missed', at: clock.now(), paceMs: paceOf(watch), reason, detail };
}

/** Observes what polls read and their results, as a recording does. Must neither throw nor delay. */
export interface PollHook {
  onPoll(poll: PollStart, read: Read): HookedPoll;
}

export interface PollStart {
  readonly watch: Watch;
  /** The memory before this poll. */
  readonly memory: Memory;
  /** The same memory with its closed runs, which are stored apart from it. */
  readonly wholeMemory: () => Promise<Memory>;
  /** The start of the tick, equal for all its polls. */
  readonly startedAt: Instant;
}

export interface HookedPoll {
  /** The reader to use instead. */
  readonly read: Read;
  /** The reader to use for details of the events, instead of this one. */
  readDetails(read: Read): Read;
  /**
   * Called when the result of the poll is in force. Not called for polls without effect. `details`: resolves when the
   * details of its events were read; null: there are none to read.
   */
  settled(observation: Observation, details: Promise<void> | null): void;
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

/**
 * The paths of a poll, and of a poll that must use the fallback questions. The plan covers the first questions of a
 * poll; if the fallback has more questions, these are extra.
 */
function pathsOf(watch: Watch): readonly { readonly path: string; readonly isExtra: boolean }[] {
  const { kind, target } = watch;
  const planned = firstQuestionsOf(watch);
  const instead = kind.fallbackQuestions?.(target) ?? [];
  return [
    ...planned.map(({ path }) => ({ path, isExtra: false })),
    ...instead.flatMap((way) => way.map(({ path }, i) => ({ path, isExtra: i >= planned.length }))),
  ];
}

/** Stands in for an explorer that is not open: its watches have missed polls, which are counted and logged. */
function absent(explorer: string): Reader {
  const refuse = () => Promise.reject(new Missed('no-explorer', `the explorer ${explorer} is not open`));
  const read = { one: refuse, page: refuse, pageAgain: refuse };
  return { tickReader: () => read, head: () => null, blocks: () => null, blocksFrom: refuse };
}
