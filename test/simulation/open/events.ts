// Events, corrections and retractions that are told wrongly, or not at all.
import type { KnownOfPeople } from './entry.ts';

export const EVENTS: readonly KnownOfPeople[] = [];
