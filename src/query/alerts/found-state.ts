// The conditions of an alert in the memory.
import type { AlertId } from '../../core/model/ids.ts';
import type { ConditionState, GroupState, Memory } from '../../core/model/memory.ts';
import type { EpisodeName } from '../../store/contract/alerts.ts';

export interface FoundState {
  readonly condition: ConditionState;
  readonly group: GroupState | null;
}

/** Null: the memory does not contain the alert's condition, or the alert is an event. */
export function stateOf(memory: Memory, of: EpisodeName & { readonly alert: AlertId }): FoundState | null {
  return statesIn(memory, of.alert).find(({ condition }) => isOf(condition, of)) ?? null;
}

export function statesIn({ alerts }: Memory, alert: string): FoundState[] {
  const found: FoundState[] = [];
  const byKey = alerts[alert];
  for (const key in byKey) {
    const one = byKey[key];
    if (one?.type === 'condition') found.push({ condition: one, group: null });
    if (one?.type === 'group') found.push({ condition: one.condition, group: one });
  }
  return found;
}

function isOf({ firing, episode }: ConditionState, name: EpisodeName): boolean {
  return firing?.key === name.key && episode >= name.episode;
}
