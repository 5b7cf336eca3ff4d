// What is decided wrongly about alerts.
import type { KnownOfAlerts } from './entry.ts';

export const OF_ALERTS: readonly KnownOfAlerts[] = [];
