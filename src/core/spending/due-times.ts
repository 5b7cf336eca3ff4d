// Computes how often a question is due if watches ask it at different intervals.

/**
 * The most intervals, none of which divides another one, for which common due times are computed. If there are more,
 * all due times count, as if no two of them were at the same time.
 */
const MOST_COUNTED = 8;

/**
 * The number of due times in a millisecond. The intervals of a question have one phase, so that due times meet at each
 * common multiple: every 2m and every 3m are four requests in six minutes.
 */
export function duePerMs(intervals: readonly number[]): number {
  if (intervals.length <= 1) return 1 / (intervals[0] ?? Infinity);
  const all = [...new Set(intervals)];
  const distinct = all.filter((ms) => !all.some((other) => other !== ms && ms % other === 0));
  if (distinct.length > MOST_COUNTED) return distinct.reduce((sum, ms) => sum + 1 / ms, 0);
  const [first, ...rest] = distinct;
  if (first === undefined) return 0;
  return 1 / first + duePerMs(rest) - duePerMs(rest.map((ms) => (first / commonDivisor(first, ms)) * ms));
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
