// Time in which the daemon ran and was answered rightly. Only that counts for what it is late with.
import type { Instant, Logs, Span } from '../model.ts';

export interface RightTime {
  /** When so much right time has passed since then; null = not before the end. */
  readonly after: (from: Instant, ms: number) => Instant | null;
}

/** Of one path: in slots as long as an interval, each right as a whole or not at all. */
export function rightTimeOf(logs: Logs, path: string, slotMs: number): RightTime {
  const { span } = logs;
  const isRight = Array.from({ length: Math.floor((span.to - span.from) / slotMs) }, () => true);
  const spoil = ({ from, to }: Span): void => {
    const last = Math.min(isRight.length - 1, Math.floor((to - span.from) / slotMs));
    for (let slot = Math.max(0, Math.floor((from - span.from) / slotMs)); slot <= last; slot += 1)
      isRight[slot] = false;
  };
  for (const disturbance of logs.disturbances)
    if (disturbance.path === null || disturbance.path === path || disturbance.path === 'blocks') spoil(disturbance);
  for (const pause of pausesOf(logs)) spoil(pause);
  return {
    after(from, ms) {
      let left = Math.ceil(ms / slotMs);
      for (let slot = Math.ceil((from - span.from) / slotMs); slot < isRight.length; slot += 1) {
        if (isRight[slot] === true) left -= 1;
        if (left === 0) return span.from + (slot + 1) * slotMs;
      }
      return null;
    },
  };
}

/** When the daemon did not run. */
export function pausesOf({ lives, span }: Logs): Span[] {
  const pauses: Span[] = [];
  let ended = span.from;
  for (const { from, to } of lives) {
    if (from > ended) pauses.push({ from: ended, to: from });
    ended = to;
  }
  if (ended < span.to) pauses.push({ from: ended, to: span.to });
  return pauses;
}
