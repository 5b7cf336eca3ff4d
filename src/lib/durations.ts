// Durations as people write them in config and rules.

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `1h30m`, `2d` in milliseconds; undefined if the text is no duration. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d{1,12}(?:ms|[smhd]))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+)(ms|[smhd])/g))
    ms += Number(count) * (UNIT_MS[unit] ?? 0);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The inverse of `parseDuration`, exact and in one unit: `formatDuration(90_000) // '90s'`. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'])
    if (ms >= (UNIT_MS[unit] ?? 1) && ms % (UNIT_MS[unit] ?? 1) === 0) return `${ms / (UNIT_MS[unit] ?? 1)}${unit}`;
  return `${ms}ms`;
}
