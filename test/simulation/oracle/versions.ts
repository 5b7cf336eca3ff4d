// When a version of a rule was in force, by the name of its reference.
import type { Instant, Logs, Span } from '../model.ts';

/** Where nothing is known of versions, the rule was never edited. */
export function spansOfVersion(
  { people: { configs }, span }: Logs,
  watch: string,
  alert: string,
  reference: string,
): Span[] {
  if (configs.length === 0) return [span];
  const spans: Span[] = [];
  for (const [n, { from, config }] of configs.entries()) {
    const rule = config.rules.find((one) => one.watch === watch && one.alert === alert);
    if (rule?.reference !== reference) continue;
    const to = configs[n + 1]?.from ?? span.to;
    const last = spans.at(-1);
    if (last?.to === from) spans[spans.length - 1] = { from: last.from, to };
    else spans.push({ from, to });
  }
  return spans;
}

export function isWithinOne(spans: readonly Span[], at: Instant): boolean {
  return spans.some(({ from, to }) => from <= at && at < to);
}
