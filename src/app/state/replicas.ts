// What this replica does about what came about in another one.
import type { Ownership } from '../../cluster/ownership.ts';
import { isPauseOf } from '../../core/model/watch/pause.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { followOtherReplicas } from '../../engine/upkeep/other-replicas.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OperatorChange } from '../../store/contract/operators.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
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
  const { ownership, runtime, pauses, clock } = options;

  /** Those that a pause held back until just now. */
  function resumedBy(changed: readonly OperatorChange[]): Watch[] {
    const ended = changed.flatMap((one) => (one.type === 'pause' && one.pause.until <= clock.now() ? [one.pause] : []));
    return runtime.watches().filter((watch) => ended.some((pause) => isPauseOf(pause, watch)));
  }

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
      async onChanged(changed) {
        await pauses.read();
        runtime.pollNow(resumedBy(changed));
        for (const one of changed) if (one.type === 'delivery' || one.type === 'channel') runtime.retry(one.channel);
        runtime.dispatch();
      },
    },
    signal,
  );
}
