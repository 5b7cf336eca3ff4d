// Stretches of time: sorted, without overlap. `from` belongs to a stretch, `to` does not.
import type { Instant, Span } from '../../model.ts';

export type Spans = readonly Span[];

/** In any order, and they may overlap. */
export function merged(spans: readonly Span[]): Spans {
  const all: { from: Instant; to: Instant }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (from >= to) continue;
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

/** The one in which `at` lies; null: none. */
export function spanAt(spans: Spans, at: Instant): Span | null {
  const span = spans[firstAfter(spans, at) - 1];
  return span !== undefined && at < span.to ? span : null;
}

/** When the next one begins after `at`. */
export function nextStart(spans: Spans, at: Instant): Instant {
  return spans[firstAfter(spans, at)]?.from ?? Infinity;
}

/** Whether one of them lasts from `from` to `to`. */
export function coversAll(spans: Spans, from: Instant, to: Instant): boolean {
  const span = spanAt(spans, from);
  return span !== null && to <= span.to;
}

export function touches(spans: Spans, from: Instant, to: Instant): boolean {
  return spanAt(spans, from) !== null || nextStart(spans, from) < to;
}

/** What lies in both. */
export function common(some: Spans, others: Spans): Spans {
  if (some.length > others.length) return common(others, some);
  return some.flatMap(({ from, to }) => {
    const found: Span[] = [];
    for (let n = countUntil(others.length, (index) => (others[index]?.to ?? Infinity) <= from); ; n += 1) {
      const other = others[n];
      if (other === undefined || other.from >= to) return found;
      found.push({ from: Math.max(from, other.from), to: Math.min(to, other.to) });
    }
  });
}

/** What lies between them. */
export function gapsIn(spans: Spans, { from, to }: Span): Spans {
  const edges = [{ from, to: from }, ...common(spans, [{ from, to }]), { from: to, to }];
  return merged(edges.flatMap((one, n) => (n === 0 ? [] : [{ from: edges[n - 1]?.to ?? from, to: one.from }])));
}

/** Index of the first that begins after `at`. */
function firstAfter(spans: Spans, at: Instant): number {
  return countUntil(spans.length, (n) => (spans[n]?.from ?? Infinity) <= at);
}

/** How many of the first ones are so; behind them none is. */
export function countUntil(length: number, isSo: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
