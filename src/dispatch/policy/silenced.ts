// Matches alerts against silences, pauses and inhibitions.
import { ANNOUNCEMENTS, BUILT_IN_RULE } from '../../core/model/ids.ts';
import { matches } from './match.ts';
import type { Labels, Matcher } from '../model.ts';

/**
 * Whether matchers are about an alert with these labels. What the daemon tells of itself is meant only where its name is
 * written in full, so that `severity: warning` leaves nobody without the news that watches are blind.
 */
export function isAbout(matchers: Matcher, labels: Labels): boolean {
  return (labels['watch'] !== BUILT_IN_RULE || namesSelf(matchers)) && matches(matchers, labels);
}

/** The same of a silence or a pause. What the daemon tells of silences themselves is never meant. */
export function isSilencedBy(matchers: Matcher, labels: Labels): boolean {
  return isAbout(matchers, labels) && !(labels['watch'] === BUILT_IN_RULE && isAnnouncement(labels));
}

/** Whether it is about what the daemon tells of itself. */
export function namesSelf({ watch }: Matcher): boolean {
  return (typeof watch === 'string' ? [watch] : (watch ?? [])).includes(BUILT_IN_RULE);
}

function isAnnouncement({ alert }: Labels): boolean {
  return ANNOUNCEMENTS.some((one) => one === alert);
}
