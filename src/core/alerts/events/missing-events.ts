// Events of which one or two readings are short until they are known to be gone. The next readings must reach their
// blocks, or newer items push them off the pages that are read, and nobody is told that they are gone.
import type { Alert, EventState, Memory } from '../../model/memory.ts';

/** The lowest block of such an event; null when there is none, or none in a block. */
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
