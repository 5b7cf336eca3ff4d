// Time in which the daemon ran and was answered rightly. Only that counts for what it is late with; where a plan makes
// intervals longer, as much less of it.
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
  const worth = worthOf(logs, isRight.length, slotMs);
  return {
    after(from, ms) {
      let left = Math.ceil(ms / slotMs);
      for (let slot = Math.ceil((from - span.from) / slotMs); slot < isRight.length; slot += 1) {
        if (isRight[slot] === true) left -= worth[slot] ?? 1;
        if (left <= ROUNDING) return span.from + (slot + 1) * slotMs;
      }
      return null;
    },
  };
}

const ROUNDING = 1e-9;

/** Of each slot, how many intervals went by in it, by what the daemon said before it, in it and after it. */
function worthOf({ blindness, span }: Logs, slots: number, slotMs: number): number[] {
  const worth = Array.from({ length: slots }, () => 1);
  for (const [n, { at, stretch }] of blindness.entries()) {
    const until = blindness[n + 1]?.at ?? span.to;
    const first = Math.max(0, Math.floor((at - span.from) / slotMs) - 1);
    for (let slot = first; slot < slots && span.from + slot * slotMs <= until; slot += 1)
      worth[slot] = Math.min(worth[slot] ?? 1, 1 / stretch);
  }
  return worth;
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
