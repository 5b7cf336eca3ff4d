// Watches that are due together: those of one explorer share its answers.
import type { Shown } from '../../core/chain/chain-identity.ts';
import type { Head } from '../../core/model/observation.ts';
import { Missed, type Read } from '../../core/model/watch/question.ts';
import type { Instant } from '../../lib/clock.ts';
import type { BlocksReading } from './chains.ts';

/** What the poller needs of an explorer. */
export interface Reader {
  /** A reader for one tick: equal questions are asked once. */
  tickReader(): Read;
  head(): Head | null;
  /** The first page of blocks, as it was last read; null before that. */
  blocks(): BlocksReading | null;
  /** The blocks at a height and below, asked for now. */
  blocksFrom(height: number, read: Read): Promise<Shown>;
}

export interface Tick {
  readonly reader: Reader;
  readonly read: Read;
  readonly startedAt: Instant;
}

/** Gives the tick of an explorer, one for all that ask. */
export function createTicks(
  readerOf: (explorer: string) => Reader | undefined,
  startedAt: Instant,
): (explorer: string) => Tick {
  const tickByExplorer = new Map<string, Tick>();
  return (explorer) => {
    const known = tickByExplorer.get(explorer);
    if (known !== undefined) return known;
    const reader = readerOf(explorer) ?? absent(explorer);
    const tick = { reader, read: reader.tickReader(), startedAt };
    tickByExplorer.set(explorer, tick);
    return tick;
  };
}

/** Stands in for an explorer that is not open: its watches have missed polls, which are counted and logged. */
function absent(explorer: string): Reader {
  const refuse = () => Promise.reject(new Missed('no-explorer', `the explorer ${explorer} is not open`));
  const read = { one: refuse, page: refuse, pageAgain: refuse };
  return { tickReader: () => read, head: () => null, blocks: () => null, blocksFrom: refuse };
}
