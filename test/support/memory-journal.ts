import {
  createVerifier,
  GENESIS,
  nextAnchor,
  type Anchor,
  type ChainedText,
  type Verdict,
} from '../../src/core/journal/chain.ts';
import { textOf, type JournalEntry, type JournalText } from '../../src/core/journal/entry.ts';
import type { Json } from '../../src/core/values/fields.ts';
import type { HistoryFilter, JournalLine } from '../../src/store/store.ts';

/** The journal in an array: the chained lines first, then those that wait. */
export interface MemoryJournal {
  append(entries: readonly JournalEntry[]): void;
  chain(limit: number): boolean;
  head(): Anchor | null;
  history(filter: HistoryFilter): JournalLine[];
  verify(anchor: Anchor | null): Verdict;
  prune(before: number, at: number): void;
}

export function createMemoryJournal(): MemoryJournal {
  let chained: ChainedText[] = [];
  let waiting: JournalText[] = [];
  let checkpoint: Anchor | null = null;

  const head = (): Anchor | null => {
    const last = chained.at(-1);
    return last === undefined ? checkpoint : { position: last.position, hash: last.hash };
  };
  const append = (entries: readonly JournalEntry[]): void => {
    waiting.push(...entries.map(textOf));
  };

  return {
    append,
    chain(limit) {
      for (const line of waiting.slice(0, limit)) chained.push({ ...line, ...nextAnchor(head() ?? GENESIS, line) });
      waiting = waiting.slice(limit);
      return waiting.length > 0;
    },
    head,
    history({ subjects, since = -Infinity, limit }) {
      const all = [...chained.map((line) => lineOf(line, line)), ...waiting.map((line) => lineOf(line, null))];
      const wanted = all.filter(({ at, subject }) => at >= since && subjects?.includes(subject) !== false);
      return wanted.toReversed().slice(0, limit);
    },
    verify(anchor) {
      const verifier = createVerifier(checkpoint, anchor);
      for (const line of chained) verifier.add(line);
      return verifier.end();
    },
    prune(before, at) {
      const kept = chained.findIndex((line) => line.at >= before);
      const dropped = kept < 0 ? chained : chained.slice(0, kept);
      const last = dropped.at(-1);
      if (last === undefined) return;
      chained = chained.slice(dropped.length);
      checkpoint = { position: last.position, hash: last.hash };
      append([{ at, kind: 'checkpoint', subject: 'daemon', actor: 'daemon', data: { ...checkpoint } }]);
    },
  };
}

function lineOf({ at, kind, subject, actor, data }: JournalText, anchor: Anchor | null): JournalLine {
  const chainedAt = anchor && { position: anchor.position, hash: anchor.hash };
  return { at, kind, subject, actor, data: JSON.parse(data) as Json, anchor: chainedAt };
}
