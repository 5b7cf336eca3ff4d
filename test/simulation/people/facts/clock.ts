// The clock of the daemon: true time, and how far it was ahead since the last jump.
import type { Instant, Span } from '../../model.ts';
import type { ClockJump, PeopleLog } from '../log.ts';
import { countUntil } from './spans.ts';

export interface DaemonClock {
  readonly at: (time: Instant) => Instant;
  /** The last time until `before` at which it showed that, or passed it in a jump. */
  readonly whenShown: (clock: Instant, before: Instant) => Instant;
  /** When it showed something between the two; `until` not included. */
  readonly between: (from: Instant, until: Instant) => Span[];
  /**
   * When a wait ends that is to last until then: a jump forward by more than a minute takes nothing of it, where a process
   * saw it, and one back makes it no longer than it was at first (dispatch.md 8).
   */
  readonly waitUntil: (from: Instant, untilClock: Instant) => Instant;
  /** When it was set last, until then; null: it never was. */
  readonly setAt: (until: Instant) => Instant | null;
  /** It went as true time does. */
  readonly isEven: (from: Instant, to: Instant) => boolean;
}

const SHIFTED_MS = 60_000;

interface Stretch extends Span {
  readonly aheadMs: number;
}

type Given = Pick<PeopleLog, 'span' | 'aheadMs' | 'jumps' | 'lives'>;

export function daemonClock({ span, aheadMs, jumps, lives }: Given): DaemonClock {
  const stretches: Stretch[] = [];
  let from = -Infinity;
  let ahead = aheadMs;
  for (const { at, ms } of jumps) {
    stretches.push({ from, to: at, aheadMs: ahead });
    from = at;
    ahead += ms;
  }
  stretches.push({ from, to: Infinity, aheadMs: ahead });
  const isSeen = ({ at }: ClockJump): boolean => lives.some(({ from: begun, to }) => begun <= at && at < to);
  const indexAt = (time: Instant): number =>
    countUntil(stretches.length, (n) => (stretches[n]?.from ?? Infinity) <= time) - 1;
  /** A process saw that it ended before the clock was set. */
  const isOver = (end: Instant, setAt: Instant): boolean =>
    setAt >= end && lives.some((life) => life.from <= setAt && end < life.to);
  return {
    at: (time) => time + (stretches[indexAt(time)]?.aheadMs ?? 0),
    whenShown(clock, before) {
      for (let n = indexAt(before); n >= 0; n -= 1) {
        const stretch = stretches[n];
        if (stretch === undefined) break;
        const time = clock - stretch.aheadMs;
        if (time >= stretch.from) return Math.min(time, stretch.to, before);
      }
      return Math.max(span.from, -Infinity);
    },
    between: (fromClock, untilClock) =>
      stretches.flatMap((one) => {
        const [begin, end] = [Math.max(one.from, fromClock - one.aheadMs), Math.min(one.to, untilClock - one.aheadMs)];
        return begin < end ? [{ from: begin, to: end }] : [];
      }),
    waitUntil(begin, untilClock) {
      const wholeMs = Math.max(untilClock - begin - (stretches[indexAt(begin)]?.aheadMs ?? 0), 0);
      let end = begin + wholeMs;
      for (const jump of jumps) {
        const { at, ms } = jump;
        if (jump.isUnseen === true || at <= begin || isOver(end, at) || (ms > SHIFTED_MS && isSeen(jump))) continue;
        end = Math.min(Math.max(end - ms, at), isSeen(jump) ? at + wholeMs : Infinity);
      }
      return end;
    },
    setAt: (until) => jumps.findLast(({ at }) => at <= until)?.at ?? null,
    isEven: (begin, end) => jumps.every(({ at }) => at < begin || at > end),
  };
}
