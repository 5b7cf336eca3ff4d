// Matches alerts against silences, pauses and inhibitions.
import { ANNOUNCEMENTS, BUILT_IN_RULE } from '../../core/model/ids.ts';
import { matches } from './match.ts';
import type { Labels, Matcher } from '../model.ts';

/**
 * True if the matchers match these labels. Alerts of the daemon about itself belong to the built-in watch. They are
 * matched only if `watch` contains the full name of that watch, without `*`. So `severity: warning` does not hide that
 * watches are blind.
 */
export function isAbout(matchers: Matcher, labels: Labels): boolean {
  return (labels['watch'] !== BUILT_IN_RULE || namesSelf(matchers)) && matches(matchers, labels);
}

/**
 * Like `isAbout`, for a silence or a pause. These never match the announcements of silences, pauses and
 * acknowledgements.
 */
export function isSilencedBy(matchers: Matcher, labels: Labels): boolean {
  return isAbout(matchers, labels) && !(labels['watch'] === BUILT_IN_RULE && isAnnouncement(labels));
}

/** True if `watch` in the matcher is the name of the built-in watch, or a list that contains this name. */
export function namesSelf({ watch }: Matcher): boolean {
  return (typeof watch === 'string' ? [watch] : (watch ?? [])).includes(BUILT_IN_RULE);
}

function isAnnouncement({ alert }: Labels): boolean {
  return ANNOUNCEMENTS.some((one) => one === alert);
}
