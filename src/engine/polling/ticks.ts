// Watches that are due together: watches of one explorer share its answers.
import type { ShownBlocks } from '../../core/chain/chain-identity.ts';
import type { Head } from '../../core/model/observation.ts';
import {
  Missed,
  questionKey,
  sharedKey,
  type AskedBy,
  type ListQuestion,
  type Read,
  type TickRead,
} from '../../core/model/watch/question.ts';
import type { Severity } from '../../core/model/ids.ts';
import { highest } from '../../core/model/delivery.ts';
import { firstQuestionsOf, needOf } from '../../core/spending/asked.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Instant } from '../../lib/clock.ts';
import type { BlocksReading } from './chains.ts';

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

export interface Ticks {
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
