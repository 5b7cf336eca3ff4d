// Computes the result of a poll: the observation and the decision from it. It commits nothing and changes no held
// memory.
import type { JudgedPoll } from '../../core/chain/tick-chain.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { MissReason, Observation, TickChain } from '../../core/model/observation.ts';
import { readyFor, skewOf } from '../../core/model/quality/clock-shift.ts';
import { Postponed, type Read } from '../../core/model/watch/question.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { needOf } from '../../core/spending/asked.ts';
import { withClosedApart, withStored } from '../../core/windows/closed.ts';
import type { Past } from '../../core/windows/stored-runs.ts';
import { type Clock, type Instant, showInstant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ChainIdentity } from './chain-identity.ts';
import type { Chains } from './chains.ts';
import { isStop, judgeSafely, pollSafely, readTickChain, type PollReader } from './observe.ts';
import type { DecidedPoll, PollHook } from './poll.ts';
import type { RunsOfWatches } from './stored-runs.ts';
import type { Reader, Tick } from './ticks.ts';

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
