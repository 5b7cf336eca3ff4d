// The lines of the journal for what operators changed.
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { Pause } from '../model/pause.ts';
import type { JournalEntry } from './entry.ts';

/** A pause that begins, or that somebody ended: then its end is `at`. */
export function pauseLine({ id, watch, until, comment }: Pause, actor: string, at: Instant): JournalEntry {
  const data = { id, comment, ...(until > at ? { until: showInstant(until) } : { ended: true }) };
  return { at, kind: 'pause', subject: watch, actor, data };
}
