// Time zones by name. Node has those of the IANA database.
import { nearest } from './nearest.ts';

/** `Europe/Berlin`, `UTC`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const ZONE_EXAMPLE = 'Write "UTC" or a name such as "Europe/Berlin".';

/** The zone of that city, else one with a similar name. */
export function zoneHint(written: string): string {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = written.trim().replaceAll(' ', '_').toLowerCase();
  const found = zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearest(written, zones);
  return found === undefined ? ZONE_EXAMPLE : `Write "${found}".`;
}
