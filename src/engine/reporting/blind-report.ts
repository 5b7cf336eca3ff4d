// Logs which watches are blind: one line per explorer and reason when the blindness begins, and the same line again
// every hour. Another line follows when an explorer has no blind watches any more.
import { showInstant, type Clock, type Instant } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { causesOf, namesOf, type BlindCause } from '../../core/model/quality/blind-cause.ts';
import { type BlindWatches } from './blind-watches.ts';

export interface BlindReportOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly blind: BlindWatches['blind'];
}

const LOOK_MS = 30_000;
const AGAIN_MS = 3_600_000;
const EFFECT = 'their alerts neither fire nor resolve';

/** Runs until the signal aborts. */
export async function reportBlind({ clock, log, blind }: BlindReportOptions, signal: AbortSignal): Promise<void> {
  /** The time of the last line, by explorer and reason. */
  let saidAt: ReadonlyMap<string, Instant> = new Map();
  let before: ReadonlySet<string> = new Set();

  function say({ explorer, reason, since, watches, fields }: BlindCause): void {
    const which = fields.length === 0 ? {} : { fields: fields.join(', ') };
    const about = { explorer, reason, ...which, since: showInstant(since), watches: watches.length };
    log.warn('watch:blind', { ...about, names: namesOf(watches), effect: EFFECT });
  }

  function look(): void {
    const now = clock.now();
    const causes = causesOf(blind());
    const explorers = new Set(causes.map(({ explorer }) => explorer));
    const over = new Set([...saidAt.keys()].map(explorerOf).filter((explorer) => !explorers.has(explorer)));
    for (const explorer of over) log.info('watch:blind-no-more', { explorer });
    const said = new Map([...saidAt].filter(([key]) => !over.has(explorerOf(key))));
    for (const cause of causes) {
      // A cause is logged when two checks in a row find it. After the machine slept, the first check runs before the
      // polls that are due, and these polls may end the blindness.
      const key = keyOf(cause);
      if (!before.has(key) || isRecent(said.get(key), now)) continue;
      say(cause);
      said.set(key, now);
    }
    saidAt = said;
    before = new Set(causes.map(keyOf));
  }

  while (!signal.aborted) {
    look();
    await clock.sleep(LOOK_MS, signal);
  }
}

/** True if `at` was less than an hour ago. False for a time in the future, which means that the clock was set back. */
function isRecent(at: Instant | undefined, now: Instant): boolean {
  return at !== undefined && now >= at && now - at < AGAIN_MS;
}

function keyOf({ explorer, reason }: BlindCause): string {
  return `${explorer} ${reason}`;
}

/** Returns the explorer of a key. Names of explorers have no blanks. */
function explorerOf(key: string): string {
  return key.slice(0, key.indexOf(' '));
}
