// Alerts about blocks that were replaced: told when the lowest height that does not show what it showed last shows a hash
// that it never showed before. Another one is a fork that returns.
import type { Instant, Owed, ReadPoll, Row, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';

/** So many heights are known. */
const KNOWN_HEIGHTS = 64;

interface Replaced {
  readonly poll: ReadPoll;
  readonly isFromChain: boolean;
}

export function judgeReorganisations({ logs, references, pollsOf, rightTimeOf }: Evidence): Verdict[] {
  const { watch, alert, path } = references.reorganisations;
  const [recipient] = references.recipients;
  const told = logs.owed.filter(
    (one) => one.watch === watch && one.alert === alert && one.recipient === recipient && one.type === 'alert.event',
  );
  const polls = pollsOf(watch, path);
  // What no kept poll had shown before was known to nobody. Of two readings of one poll only one counts.
  const kept = polls.filter(({ poll }) => poll.isKept);
  const known = replacedIn(kept.map((poll) => ({ poll, rows: poll.readings.flatMap((reading) => reading.rows) })));
  const possible = replacedIn(polls.flatMap((poll) => poll.readings.map(({ rows }) => ({ poll, rows }))));
  const rightTime = rightTimeOf(path);
  const lost = known.flatMap(({ poll, isFromChain }): Verdict[] => {
    const at = poll.poll.startedAt;
    const dueAt = isFromChain ? rightTime.after(at, 2 * references.intervalMs) : null;
    if (dueAt === null || told.some((one) => one.at >= at && one.at <= dueAt)) return [];
    return [
      {
        check: 'lost',
        at: dueAt,
        watch,
        what: `${alert}: blocks that were read at ${new Date(at).toISOString()} were replaced`,
      },
    ];
  });
  return [...lost, ...inventedOf(told, possible, watch, alert)];
}

/** By height, what was shown there; the last one at the end. */
type Hashes = ReadonlyMap<number, readonly string[]>;

interface Shown {
  readonly poll: ReadPoll;
  readonly rows: readonly Row[];
}

/** Polls that were served a fork that was not known. */
function replacedIn(shown: readonly Shown[]): Replaced[] {
  const hashesByHeight = new Map<number, readonly string[]>();
  const replaced: Replaced[] = [];
  let top = -Infinity;
  for (const { poll, rows } of shown) {
    if (isNewFork(rows, hashesByHeight, top))
      replaced.push({
        poll,
        isFromChain: poll.served.every(({ replica, fault }) => replica === 'chain' && fault === null),
      });
    for (const { id, block } of rows)
      if (block !== null) {
        hashesByHeight.set(block, [...without(hashesByHeight.get(block), id), id]);
        top = Math.max(top, block);
      }
  }
  return replaced;
}

/** `top`: the highest that is known. */
function isNewFork(rows: readonly Row[], known: Hashes, top: number): boolean {
  const others = rows.filter(({ id, block }) => {
    const last = block === null || block <= top - KNOWN_HEIGHTS ? undefined : known.get(block)?.at(-1);
    return last !== undefined && last !== id;
  });
  const [lowest] = others.toSorted((a, b) => (a.block ?? 0) - (b.block ?? 0));
  return lowest !== undefined && !(known.get(lowest.block ?? 0) ?? []).includes(lowest.id);
}

function without(hashes: readonly string[] | undefined, id: string): readonly string[] {
  return (hashes ?? []).filter((hash) => hash !== id);
}

function inventedOf(told: readonly Owed[], replaced: readonly Replaced[], watch: string, alert: string): Verdict[] {
  const within = (at: Instant): boolean =>
    replaced.some(({ poll }) => poll.poll.startedAt <= at && at <= poll.until + LATE_MS);
  return told.flatMap(({ at, item }, n): Verdict[] => {
    if (told.slice(0, n).some((one) => one.item === item))
      return [{ check: 'doubled', at, watch, what: `${alert}: ${item ?? 'nothing'} was told twice` }];
    return within(at) ? [] : [{ check: 'invented', at, watch, what: `${alert}: no known block was replaced` }];
  });
}

/** A poll whose commit is refused is decided anew in the next ones, until one is taken. */
const LATE_MS = 3_600_000;
