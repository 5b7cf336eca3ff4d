// Numbers with the time they belong to.
import type { Percentiles } from './protocol.ts';

export interface Samples {
  add(at: number, value: number): void;
  /** Those that belong to the time from `from` to before `to`, sorted. */
  between(from: number, to: number): number[];
}

export function createSamples(): Samples {
  const times: number[] = [];
  const values: number[] = [];
  return {
    add(at, value) {
      times.push(at);
      values.push(value);
    },
    between: (from, to) =>
      values
        .filter((_value, i) => {
          const at = times[i] ?? NaN;
          return at >= from && at < to;
        })
        .sort((a, b) => a - b),
  };
}

/** Of sorted values; null where there are none. */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

export function percentilesOf(sorted: readonly number[]): Percentiles {
  return { count: sorted.length, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}
