import type { FaultName } from './faults.ts';

/**
 * Those under which everything holds. One replica works, and the others wait: while it is cut off from the database, both it
 * and the one that takes over ask; and each goes by its own clock.
 */
export const KINDS: readonly FaultName[] = [
  'kill',
  'stop and start',
  'freeze',
  'database restarts',
  'database crashes',
  'slow line',
];
