import { showTime } from '../../core/wording/words.ts';
import type { Instant } from '../../lib/clock.ts';

/** `Since 21:12 UTC` */
export function sinceText(at: Instant, now: Instant): string {
  return `Since ${showTime(at, now)}`;
}
