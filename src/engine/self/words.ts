import { showTime } from '../../core/wording/words.ts';
import type { Moment } from '../../lib/time-zone.ts';
import type { Instant } from '../../lib/clock.ts';

/** `Since 21:12 UTC` */
export function sinceText(at: Instant, moment: Moment): string {
  return `Since ${showTime(at, moment)}`;
}
