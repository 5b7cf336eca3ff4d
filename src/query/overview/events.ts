// Events of the last twelve hours: one row for each alert of a rule.
import type { EventGroup } from '../../store/contract/alerts.ts';
import { showInstant } from '../../lib/clock.ts';
import { firstLine } from '../alerts/cards.ts';
import { recipientsOf } from '../alerts/recipients.ts';
import type { IsAlertLabelled } from '../labels.ts';
import type { EventRow } from '../shapes/alerts.ts';
import type { QueryContext } from '../view.ts';
import { byId } from '../watch-by-id.ts';

const EVENTS_MS = 12 * 3_600_000;
const MOST_GROUPS = 500;
const MOST_ROWS = 20;

/** All instances of a rule share one row. The row with the newest event comes first. */
export async function eventRows(view: QueryContext, isMeant: IsAlertLabelled): Promise<EventRow[]> {
  const groups = (await view.store.events(view.now - EVENTS_MS, MOST_GROUPS)).filter(isMeant);
  const watchById = byId(view.runtime.watches());
  const ruleOf = ({ watch, alert }: EventGroup): string => JSON.stringify([watchById.get(watch)?.rule ?? watch, alert]);
  const rows = [...Map.groupBy(groups, ruleOf).values()].slice(0, MOST_ROWS);
  const newest = rows.flatMap(([first]) => first?.message ?? []);
  const statusOf = await recipientsOf(view, newest);
  return rows.flatMap((all) => rowOf(all, statusOf));
}

function rowOf(all: readonly EventGroup[], statusOf: Awaited<ReturnType<typeof recipientsOf>>): EventRow[] {
  const [first] = all;
  if (first === undefined) return [];
  const { message, isRetracted } = first;
  const accepted = statusOf(message).filter(({ state }) => state === 'accepted');
  return [
    {
      last: showInstant(message.at),
      watch: message.watch,
      alert: message.alert,
      title: message.title,
      severity: message.severity,
      key: message.key,
      episode: message.episode,
      newest: firstLine(message),
      is_retracted: isRetracted,
      count: all.reduce((sum, { count }) => sum + count, 0),
      notified: [...new Set(accepted.map(({ channel }) => channel))],
      owed: all.reduce((sum, { owed }) => sum + owed, 0),
    },
  ];
}
