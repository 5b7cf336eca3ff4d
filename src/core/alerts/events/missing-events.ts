// Events that count as gone after one or two more readings without them. These readings must go down to the blocks of
// the events. Otherwise newer items push these blocks off the pages, and no retraction is sent.
import type { Alert, EventState, Memory } from '../../model/memory.ts';

/** The lowest block of a missing event; null if none of them is in a block. */
export function lowestMissing({ alerts }: Pick<Memory, 'alerts'>): number | null {
  let lowest: number | null = null;
  for (const byKey of Object.values(alerts))
    for (const alert of Object.values(byKey))
      if (isMissing(alert) && alert.block !== null) lowest = Math.min(lowest ?? Infinity, alert.block);
  return lowest;
}

function isMissing(alert: Alert): alert is EventState {
  return alert.type === 'event' && (alert.state === 'suspect' || (alert.state === 'observed' && alert.absent > 0));
}
