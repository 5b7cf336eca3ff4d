// Alerts that fired and ended within the last 24 hours.
import { headingOf } from '../../core/wording/words.ts';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { FiringSpan } from '../../store/contract/alerts.ts';
import { namedEpisodes } from '../alerts/episodes.ts';
import type { EndedRow } from '../shapes/alerts.ts';
import type { QueryContext } from '../view.ts';

const MOST_ROWS = 5;

/** `ended`: sorted by the end, the last one first. */
export async function recentRows(view: QueryContext, ended: readonly FiringSpan[]): Promise<EndedRow[]> {
  const shown = ended.slice(0, MOST_ROWS);
  const episodes = await namedEpisodes(view, shown);
  const rows = shown.map((span, n) => endedRow(view, span, episodes[n]?.acknowledged_by ?? null));
  return (await Promise.all(rows)).flat();
}

async function endedRow({ store }: QueryContext, span: FiringSpan, acknowledgedBy: string | null): Promise<EndedRow[]> {
  const end = (await store.messages(span)).at(-1);
  if (end === undefined || span.until === null) return [];
  const { key, episode, watch, alert, severity, since } = end;
  return [
    {
      key,
      episode,
      watch,
      alert,
      title: singleLine(headingOf(end)),
      severity,
      since: showInstant(since),
      ended: showInstant(span.until),
      acknowledged_by: acknowledgedBy,
    },
  ];
}
