// Selects lines of the journal by the labels of their alerts.
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Instant } from '../../lib/clock.ts';
import type { JournalLine, LabelledLines } from '../../store/contract/journal.ts';
import type { StoreView } from '../../store/contract/store.ts';
import { alertLabels, pairOf } from '../labels.ts';
import { byId } from '../watch-by-id.ts';
import { changesOf } from './journal-words.ts';

/**
 * The filter for the store. The store does not know the alerts of a watch, so the filter lists those that have the
 * labels. Returns null if `label` is empty.
 */
export function labelledBy(watches: readonly Watch[], label: readonly string[]): LabelledLines | null {
  if (label.length === 0) return null;
  const isMeant = alertLabels(watches, label);
  const alerts = watches.flatMap(({ id, alerts: own }) => own.map((rule) => ({ watch: id, alert: rule.id })));
  const meant = alerts.filter(isMeant);
  return { labels: label.map(pairOf), watches: [...new Set(meant.map(({ watch }) => watch))], alerts: meant };
}

/**
 * The store finds lines by watch. A line of a poll may report changes of other alerts only; the result is then false.
 */
export function isLineOf(watches: readonly Watch[], label: readonly string[]): (line: JournalLine) => boolean {
  const isMeant = alertLabels(watches, label);
  return (line) => {
    if (line.kind !== 'decided' || !byId(watches).has(line.subject)) return true;
    const changes = changesOf(line);
    return changes.length === 0 || changes.some(({ alert }) => isMeant({ watch: line.subject, alert }));
  };
}

export interface WantedLines {
  readonly label: readonly string[];
  readonly since: Instant | undefined;
  readonly limit: number;
}

/** Lines about alerts with these labels, newest first. */
export async function labelledLines(
  store: Pick<StoreView, 'journalPage'>,
  watches: readonly Watch[],
  { label, since, limit }: WantedLines,
): Promise<JournalLine[]> {
  const isMeant = isLineOf(watches, label);
  const labelled = labelledBy(watches, label);
  const any = { kinds: null, without: [], subjects: null, search: null, since: since ?? null, until: null };
  const found: JournalLine[] = [];
  let before: number | null = null;
  do {
    const page = await store.journalPage({ ...any, labelled, before, limit });
    found.push(...page.lines.filter(isMeant));
    before = page.next;
  } while (before !== null && found.length < limit);
  return found.slice(0, limit);
}
