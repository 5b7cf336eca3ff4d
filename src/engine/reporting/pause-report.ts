// Logs which watches are paused: at the start, and then every 24 hours of a pause, so that none is forgotten. Another
// line follows when a pause has ended by itself.
import { showInstant, type Clock, type Instant } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { namesOf } from '../../core/model/quality/blind-cause.ts';
import { groupsOf, type PausedGroup, type PausedWatch } from './paused-watches.ts';

export interface PauseReportOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly paused: () => readonly PausedWatch[];
}

const LOOK_MS = 30_000;
const AGAIN_MS = 86_400_000;

/** Runs until the signal aborts. */
export async function reportPauses({ clock, log, paused }: PauseReportOptions, signal: AbortSignal): Promise<void> {
  let before: ReadonlyMap<string, PausedGroup> = new Map();
  let lookedAt: Instant | null = null;

  function remind({ pause, watches }: PausedGroup): void {
    const { from, until, actor, comment } = pause;
    const times = { since: showInstant(from), until: showInstant(until) };
    const effect = 'their alerts neither fire nor resolve; `chainwarden resume` ends the pause';
    log.warn('watch:still-paused', {
      watch: pause.watch,
      ...times,
      by: actor,
      comment,
      names: namesOf(watches),
      effect,
    });
  }

  function look(): void {
    const now = clock.now();
    const groups = groupsOf(paused());
    for (const group of groups) if (isReminderDue(group.pause.from, lookedAt, now)) remind(group);
    const current = new Map(groups.map((group) => [group.pause.id, group]));
    for (const [id, { pause }] of before)
      if (!current.has(id) && pause.until <= now) log.info('watch:pause-over', { watch: pause.watch });
    before = current;
    lookedAt = now;
  }

  while (!signal.aborted) {
    look();
    await clock.sleep(LOOK_MS, signal);
  }
}

/** True at the first check, and after each further whole day of the pause. */
function isReminderDue(from: Instant, lookedAt: Instant | null, now: Instant): boolean {
  if (lookedAt === null) return true;
  return now > lookedAt && Math.floor((now - from) / AGAIN_MS) > Math.max(0, Math.floor((lookedAt - from) / AGAIN_MS));
}
