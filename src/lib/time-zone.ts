// Clocks on walls in named zones.
import type { Instant } from './clock.ts';

/** What the clock on the wall is ahead of UTC, in milliseconds: `zoneOffset('Europe/Berlin', 0) // 3_600_000`. */
export function zoneOffset(zone: string, at: Instant): number {
  const parts = new Map(
    formatterOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - Math.floor(at / 1000) * 1000;
}

// Making one takes a hundred times as long as using it. There are some hundreds of zones.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
  });
  formatters.set(zone, formatter);
  return formatter;
}
