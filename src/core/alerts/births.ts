// A condition has the time at which its counting began in its key. Where a decision was not kept, the next poll would
// begin to count anew, and what it decides would be another alert under another id.
import type { Alert, GroupState, Memory } from '../model/memory.ts';
import { newCondition } from './conditions/condition-state.ts';

/** The memory, with the conditions that a decision on it began and that were not kept: as new as they were then. */
export function withBirths(memory: Memory, unkept: Memory | undefined): Memory {
  if (unkept === undefined) return memory;
  const ids = [...new Set([...Object.keys(memory.alerts), ...Object.keys(unkept.alerts)])];
  const alerts = ids.map((id) => [id, { ...newbornsOf(unkept.alerts[id] ?? {}), ...memory.alerts[id] }] as const);
  return { ...memory, alerts: Object.fromEntries(alerts) };
}

function newbornsOf(alerts: Readonly<Record<string, Alert>>): Record<string, Alert> {
  return Object.fromEntries(
    Object.entries(alerts).flatMap(([key, alert]): [string, Alert][] => {
      if (alert.type === 'condition') return [[key, newCondition(alert.born)]];
      return alert.type === 'group' ? [[key, newGroup(alert.condition.born, alert.meaning)]] : [];
    }),
  );
}

/** Before anything was counted in it. */
export function newGroup(born: number, meaning: string): GroupState {
  return { type: 'group', meaning, condition: newCondition(born), matches: [], tallies: [], items: [], last: null };
}
