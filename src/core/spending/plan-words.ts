// How a plan is worded for people.
import { SEVERITIES, type Severity } from '../model/ids.ts';

/** `warning ×2.1, info ×4.4`; empty where intervals are as they are written. */
export function stretchWords(stretch: Readonly<Record<Severity, number>>): string {
  return SEVERITIES.toReversed()
    .filter((severity) => stretch[severity] > 1)
    .map((severity) => `${severity} ×${factorOf(stretch[severity])}`)
    .join(', ');
}

/** No factor reads as one time. */
function factorOf(factor: number): number {
  const digits = factor < LEAST_IN_TENTHS ? 100 : 10;
  return Math.round(factor * digits) / digits;
}

const LEAST_IN_TENTHS = 1.1;
