// Applies the transitions and the operators' actions that another replica stored.
import type { Ownership } from '../../cluster/ownership.ts';
import { followOtherReplicas } from '../../engine/upkeep/other-replicas.ts';
import type { Clock } from '../../lib/clock.ts';
import { followElsewhere } from '../../operators/apply.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { effectsOf } from '../operators.ts';
import type { Pauses } from '../pauses.ts';
import type { Runtime } from '../runtime/runtime.ts';

export interface ReplicasOptions {
  readonly store: Pick<Store, 'newsSince'>;
  readonly ownership: Pick<Ownership, 'view'>;
  readonly runtime: Pick<Runtime, 'watches' | 'dispatch' | 'look' | 'retry' | 'pollNow'>;
  readonly pauses: Pick<Pauses, 'read'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs until the signal aborts. */
export async function followReplicas(options: ReplicasOptions, signal: AbortSignal): Promise<void> {
  const { ownership, runtime, pauses } = options;
  const effects = effectsOf({ runtime, pauses });
  await followOtherReplicas(
    {
      ...options,
      hasOthers: () => ownership.view().replicas.length > 1,
      onLook: () => {
        runtime.look();
      },
      onTransitions: () => {
        runtime.dispatch();
      },
      async onChanged(changes) {
        for (const stored of changes) await followElsewhere(stored, effects);
        runtime.dispatch();
      },
    },
    signal,
  );
}
