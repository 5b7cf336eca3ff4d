// The words for a plan in messages to people.
import type { RequestPace } from '../model/quality/health-summary.ts';
import { SEVERITIES, type Severity } from '../model/ids.ts';

/** `warning ×2.1, info ×4.4`; empty if no interval is stretched. */
export function stretchWords(stretch: Readonly<Record<Severity, number>>): string {
  return SEVERITIES.toReversed()
    .filter((severity) => stretch[severity] > 1)
    .map((severity) => `${severity} ×${factorWords(stretch[severity])}`)
    .join(', ');
}

/** `the rules want 7.8 requests a second, 5 are allowed` */
export function paceWords({ perSecond, wantedPerSecond }: Pick<RequestPace, 'perSecond' | 'wantedPerSecond'>): string {
  return `the rules want ${factorWords(wantedPerSecond)} requests a second, ${factorWords(perSecond)} are allowed`;
}

/** `1.04`, `2.1`, `14`: a stretch is never shown as `1`. */
export function factorWords(factor: number): string {
  const digits = factor < LEAST_IN_TENTHS ? 100 : factor < LEAST_WHOLE ? 10 : 1;
  return String(Math.round(factor * digits) / digits);
}

const LEAST_IN_TENTHS = 1.1;
const LEAST_WHOLE = 10;
