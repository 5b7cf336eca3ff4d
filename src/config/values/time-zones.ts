// Time zones by name. Node includes the IANA database.
import { nearest } from './nearest.ts';

/** True for names such as `Europe/Berlin` and `UTC`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const ZONE_EXAMPLE = 'Write "UTC" or a name such as "Europe/Berlin".';

/** Suggests the zone of a city with this name, else a zone with a similar name. */
export function zoneHint(written: string): string {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = written.trim().replaceAll(' ', '_').toLowerCase();
  const found = zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearest(written, zones);
  return found === undefined ? ZONE_EXAMPLE : `Write "${found}".`;
}
