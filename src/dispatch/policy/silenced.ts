// Which alerts a silence or a pause is about.
import { ANNOUNCEMENTS, BUILT_IN_RULE } from '../../core/model/ids.ts';
import { matches } from './match.ts';
import type { Labels, Matcher } from '../model.ts';

/**
 * Whether the matchers of a silence or a pause are about an alert with these labels. What the daemon tells of itself is
 * meant only where its name is written in full, so that `severity: warning` leaves nobody without the news that watches
 * are blind. What it tells of silences themselves is never meant.
 */
export function isSilencedBy(matchers: Matcher, labels: Labels): boolean {
  if (labels['watch'] === BUILT_IN_RULE && (!namesSelf(matchers) || isAnnouncement(labels))) return false;
  return matches(matchers, labels);
}

/** Whether it is about what the daemon tells of itself. */
export function namesSelf({ watch }: Matcher): boolean {
  return (typeof watch === 'string' ? [watch] : (watch ?? [])).includes(BUILT_IN_RULE);
}

function isAnnouncement({ alert }: Labels): boolean {
  return ANNOUNCEMENTS.some((one) => one === alert);
}
