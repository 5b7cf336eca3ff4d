// The loops that run as long as the daemon. A loop for the whole state runs only in the replica that holds its shard.
import { reportBlind } from '../../engine/reporting/blind-report.ts';
import type { PausedWatch } from '../../engine/reporting/paused-watches.ts';
import { reportPauses } from '../../engine/reporting/pause-report.ts';
import type { Loop } from '../../engine/upkeep/supervisor.ts';
import type { Parts, PartsOptions } from './parts.ts';
import { upkeepLoops, type UpkeepOptions } from './upkeep.ts';

export interface LoopsOptions
  extends
    Pick<PartsOptions, 'ownership' | 'whileHeld' | 'storageState' | 'recorder' | 'log'>,
    Omit<UpkeepOptions, 'isFull' | 'isPruner' | 'log'> {
  readonly parts: Pick<
    Parts,
    'scheduler' | 'spending' | 'dispatcher' | 'retirement' | 'blindWatches' | 'coveredElsewhere'
  >;
  readonly paused: () => readonly PausedWatch[];
}

export function runtimeLoops(options: LoopsOptions): Loop[] {
  const { parts, ownership, whileHeld, storageState, paused, recorder, clock, log } = options;
  const { scheduler, spending, dispatcher, retirement, blindWatches, coveredElsewhere } = parts;
  const isFull = (): boolean => storageState() === 'full';
  const isPruner = (): boolean => ownership.fenceOf('service:journal') !== null;
  const dispatch = async (signal: AbortSignal): Promise<void> => {
    // Another replica may have dispatched by other rules before, so pending groups are decided again.
    dispatcher.reload();
    await dispatcher.run(signal);
  };
  const all: Loop[] = [
    { name: 'scheduler', run: scheduler.run },
    { name: 'spending', run: spending.run },
    { name: 'dispatcher', run: whileHeld('service:dispatch', dispatch) },
    { name: 'retirement', run: whileHeld('service:dispatch', (signal) => retirement.run(signal)) },
    ...upkeepLoops({ ...options, isFull, isPruner }),
    { name: 'blind-report', run: (signal) => reportBlind({ clock, log, blind: blindWatches.blind }, signal) },
    { name: 'pause-report', run: (signal) => reportPauses({ clock, log, paused }, signal) },
  ];
  if (ownership.isShared)
    all.push({ name: 'replicas', run: whileHeld('service:dispatch', (signal) => coveredElsewhere.run(signal)) });
  if (recorder !== null) all.push({ name: 'recorder', run: recorder.run });
  return all;
}
