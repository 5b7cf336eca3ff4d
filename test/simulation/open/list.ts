// The open list: what the daemon is known to do wrong. Each entry names verdicts as narrowly as it can; a verdict without an
// entry is new, and an entry that its seed does not meet is out of date. Once it is mended an entry becomes a seeded bug.
import { OF_ALERTS } from './alerts.ts';
import type { KnownOfPeople, OpenEntry } from './entry.ts';
import { EVENTS } from './events.ts';

/** The first that covers a verdict counts it. */
export const OF_PEOPLE: readonly KnownOfPeople[] = EVENTS;

export { OF_ALERTS };

export const OPEN: readonly OpenEntry[] = [...OF_ALERTS, ...OF_PEOPLE];
