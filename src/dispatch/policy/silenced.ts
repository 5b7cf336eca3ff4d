// Matches alerts against silences, pauses and inhibitions.
import { ANNOUNCEMENTS, BUILT_IN_RULE } from '../../core/model/ids.ts';
import { matches } from './match.ts';
import type { Labels, Matcher } from '../model.ts';

/**
 * True if the matchers match these labels. They match alerts of the daemon about itself only if they contain its full
 * name, so that `severity: warning` does not hide that watches are blind.
 */
export function isAbout(matchers: Matcher, labels: Labels): boolean {
  return (labels['watch'] !== BUILT_IN_RULE || namesSelf(matchers)) && matches(matchers, labels);
}

/** Like `isAbout`, for a silence or a pause: these never match the announcements of silences. */
export function isSilencedBy(matchers: Matcher, labels: Labels): boolean {
  return isAbout(matchers, labels) && !(labels['watch'] === BUILT_IN_RULE && isAnnouncement(labels));
}

/** True if the matcher names the watch of the daemon's alerts about itself. */
export function namesSelf({ watch }: Matcher): boolean {
  return (typeof watch === 'string' ? [watch] : (watch ?? [])).includes(BUILT_IN_RULE);
}

function isAnnouncement({ alert }: Labels): boolean {
  return ANNOUNCEMENTS.some((one) => one === alert);
}
