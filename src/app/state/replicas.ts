// Applies the transitions and the operators' actions that another replica stored.
import type { Ownership } from '../../cluster/ownership.ts';
import { followOtherReplicas } from '../../engine/upkeep/other-replicas.ts';
import type { Clock } from '../../lib/clock.ts';
import { followElsewhere } from '../../operators/apply.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { effectsOf, type EffectParts } from '../operators.ts';
import type { Parts } from '../parts.ts';

export interface ReplicasOptions extends EffectParts, Pick<Parts, 'wake'> {
  readonly store: Pick<Store, 'newsSince'>;
  readonly ownership: Pick<Ownership, 'view'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs until the signal aborts. */
export async function followReplicas(options: ReplicasOptions, signal: AbortSignal): Promise<void> {
  const { ownership, wake } = options;
  const effects = effectsOf(options);
  await followOtherReplicas(
    {
      ...options,
      hasOthers: () => ownership.view().replicas.length > 1,
      onLook: wake.otherReplicas,
      onTransitions: wake.transitions,
      async onChanged(changes) {
        for (const stored of changes) await followElsewhere(stored, effects);
        wake.transitions();
      },
    },
    signal,
  );
}
