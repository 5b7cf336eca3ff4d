// Watches that are not polled because an operator paused them.
import type { Pause } from '../../core/model/watch/pause.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { showInstant } from '../../lib/clock.ts';
import { namesOf } from '../../core/model/quality/blind-cause.ts';

export interface PausedWatch {
  readonly watch: Watch;
  /** The pause in force. */
  readonly pause: Pause;
}

/** A pause with the watches that it keeps from being polled. */
export interface PausedGroup {
  readonly pause: Pause;
  readonly watches: readonly Watch[];
}

/** By pause; the pause that ends first comes first. */
export function groupsOf(paused: readonly PausedWatch[]): PausedGroup[] {
  const groups = Map.groupBy(paused, ({ pause }) => pause);
  const all = [...groups].map(([pause, group]) => ({ pause, watches: group.map(({ watch }) => watch) }));
  return all.toSorted((a, b) => a.pause.until - b.pause.until);
}

/** `until 2026-01-01T18:00:00Z by alice: coins[treasury], coins[vault]` */
export function pauseLines(paused: readonly PausedWatch[]): string[] {
  return groupsOf(paused).map(
    ({ pause, watches }) => `until ${showInstant(pause.until)} by ${pause.actor}: ${namesOf(watches)}`,
  );
}
