// Before 3.51.3 SQLite could damage the log of a file in a rare race, when two connections write to it or merge it at
// the same time. The daemon writes through one connection. `chainwarden state forget` and other programs use a second
// one.
import { versions } from 'node:process';
import type { Log } from '../../../telemetry/log.ts';

const FIRST_SOUND = [3, 51, 3];

export function warnOfOldSqlite(log: Log | undefined, version = versions['sqlite'] ?? '0'): void {
  if (!isBefore(version.split('.').map(Number), FIRST_SOUND)) return;
  const effect = 'two programs that write to the state file at once can damage it; install a newer Node.js';
  log?.warn('storage:old-sqlite', { version, needed: FIRST_SOUND.join('.'), effect });
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  for (const [i, part] of other.entries()) {
    const own = version[i] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}
