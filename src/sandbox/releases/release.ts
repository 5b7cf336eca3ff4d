/**
 * Releases of explorers in use, oldest first. Each represents one version: 6.5, 8.0, 9.0.1, 11.2 and 12.0. A version
 * between two counts as the next one.
 */
export const RELEASES = ['6', '8', '9', '11', '12'] as const;
export type Release = (typeof RELEASES)[number];

/** `isWithin('9', { since: '8', until: '9' }) // true` */
export function isWithin(release: Release, { since = '6', until = '12' }: ReleaseRange): boolean {
  const at = RELEASES.indexOf(release);
  return RELEASES.indexOf(since) <= at && at <= RELEASES.indexOf(until);
}

/** Both ends are included; an end that is left out is open. */
export interface ReleaseRange {
  readonly since?: Release;
  readonly until?: Release;
}
