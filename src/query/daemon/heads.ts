// How far each explorer has come on its chain, and whether that can be believed now.
import { showsHead, type Watch } from '../../core/model/watch/watch.ts';
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { HeadAge } from '../shapes/overview.ts';
import { timeOf } from '../times.ts';
import type { ExplorerState, RuntimeView } from '../view.ts';

type Judged = Pick<HeadAge, 'state' | 'since'>;

/** The oldest first; those of which nothing is known before all others. `blind`: the watches that are. */
export function headsOf(runtime: RuntimeView, blind: readonly BlindWatch[], now: Instant): HeadAge[] {
  const asked = askedOf(runtime.watches());
  const blindByExplorer = Map.groupBy(blind, ({ watch }) => watch.target.explorer);
  const heads = (runtime.explorers() ?? []).map(({ name, head }): HeadAge => {
    const { watches, paceMs } = asked.get(name) ?? NEVER_ASKED;
    const judged = judge(head, {
      paceMs,
      blindSince: earliestOf(blindByExplorer.get(name) ?? []),
      answeredAt: () => newestAnswer(runtime, watches),
      now,
    });
    return {
      explorer: name,
      height: head === null ? null : String(head.height),
      at: head && showInstant(head.at),
      age_ms: head === null ? null : Math.max(0, now - head.at),
      ...judged,
    };
  });
  return heads.toSorted((a, b) => (b.age_ms ?? Infinity) - (a.age_ms ?? Infinity));
}

interface Circumstances {
  /** The shortest interval in which a watch reads the head; null: none does. */
  readonly paceMs: number | null;
  /** Since when a watch of the explorer is blind; null: none is. */
  readonly blindSince: Instant | null;
  /** When one of its watches last had an answer that could be used; null: none had. */
  readonly answeredAt: () => Instant | null;
  readonly now: Instant;
}

const MOST_MISSED = 3;

/** The first that holds. */
function judge(head: ExplorerState['head'], { paceMs, blindSince, answeredAt, now }: Circumstances): Judged {
  if (head?.isStalled === true) return { state: 'stalled', since: showInstant(head.at) };
  if (blindSince !== null) return { state: 'blind', since: showInstant(blindSince) };
  if (paceMs === null) return { state: 'unread', since: timeOf(answeredAt()) };
  if (head === null) return { state: 'unknown', since: null };
  if (now - head.readAt > MOST_MISSED * paceMs) return { state: 'overdue', since: showInstant(head.readAt) };
  return { state: 'fresh', since: null };
}

function earliestOf(blind: readonly BlindWatch[]): Instant | null {
  return blind.length === 0 ? null : Math.min(...blind.map(({ since }) => since));
}

function newestAnswer(runtime: RuntimeView, watches: readonly Watch[]): Instant | null {
  let newest: Instant | null = null;
  for (const { id } of watches) {
    const until = runtime.memoryOf(id)?.coveredUntil ?? null;
    if (until !== null && (newest === null || until > newest)) newest = until;
  }
  return newest;
}

/** The watches of an explorer, and how often they read its head. */
interface Asked {
  readonly watches: readonly Watch[];
  readonly paceMs: Circumstances['paceMs'];
}

const NEVER_ASKED: Asked = { watches: [], paceMs: null };

const askedByWatches = new WeakMap<readonly Watch[], ReadonlyMap<string, Asked>>();

/** By explorer. Found once for each list of watches. */
function askedOf(watches: readonly Watch[]): ReadonlyMap<string, Asked> {
  const byExplorer = (): Map<string, Watch[]> => Map.groupBy(watches, ({ target }) => target.explorer);
  const asked =
    askedByWatches.get(watches) ??
    new Map([...byExplorer()].map(([name, own]) => [name, { watches: own, paceMs: paceOf(own) }]));
  askedByWatches.set(watches, asked);
  return asked;
}

function paceOf(watches: readonly Watch[]): number | null {
  // Outside the hours of a cron nobody expects an answer.
  const paces = watches
    .filter(showsHead)
    .map(({ schedule }) => (schedule.type === 'every' ? schedule.intervalMs : Infinity));
  return paces.length === 0 ? null : paces.reduce((one, other) => Math.min(one, other));
}
