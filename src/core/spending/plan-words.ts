// How a plan is worded for people.
import { SEVERITIES, type Severity } from '../model/ids.ts';

/** `warning ×2.1, info ×4.4`; empty where intervals are as they are written. */
export function stretchWords(stretch: Readonly<Record<Severity, number>>): string {
  return SEVERITIES.toReversed()
    .filter((severity) => stretch[severity] > 1)
    .map((severity) => `${severity} ×${Math.round(stretch[severity] * 10) / 10}`)
    .join(', ');
}
