// Connects actions of operators with the parts of the running daemon that they read and change.
import { isPauseOf } from '../core/model/watch/pause.ts';
import { selfLabels } from '../engine/self/self-watch.ts';
import type { Clock } from '../lib/clock.ts';
import type { ActionEffects, OperatorWorld, PerformAction } from '../operators/action.ts';
import { createPerform } from '../operators/apply.ts';
import type { Store } from '../store/contract/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Pauses } from './pauses.ts';
import type { Runtime } from './runtime/runtime.ts';

export interface OperatorParts {
  readonly store: Pick<Store, 'answerTo' | 'operate' | 'openAlerts' | 'policy'>;
  readonly runtime: Pick<
    Runtime,
    'watches' | 'reports' | 'timeZone' | 'channels' | 'sample' | 'pollNow' | 'retry' | 'self' | 'dispatch'
  >;
  readonly pauses: Pick<Pauses, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

export function performerOf(parts: OperatorParts): PerformAction {
  const { store, runtime, log } = parts;
  return createPerform({
    store,
    world: worldOf(parts),
    effects: effectsOf(parts),
    notify: () => runtime.self(),
    onChanged: () => {
      runtime.dispatch();
    },
    log,
  });
}

function worldOf({ store, runtime, clock }: OperatorParts): OperatorWorld {
  return {
    clock,
    timeZone: runtime.timeZone,
    watches: runtime.watches,
    reports: runtime.reports,
    selfLabels: () => selfLabels(new Set(runtime.watches().map(({ target }) => target.explorer))),
    channels: runtime.channels,
    openAlerts: (keys) => store.openAlerts(keys === undefined ? { at: clock.now() } : { at: clock.now(), keys }),
    silences: async () => (await store.policy(clock.now())).silences,
    acks: async () => (await store.policy(clock.now())).acks,
    sample: runtime.sample,
  };
}

export interface EffectParts extends Pick<OperatorParts, 'pauses'> {
  readonly runtime: Pick<Runtime, 'watches' | 'pollNow' | 'retry'>;
}

export function effectsOf({ runtime, pauses }: EffectParts): ActionEffects {
  return {
    readPauses: () => pauses.read(),
    pollNow(name) {
      runtime.pollNow(runtime.watches().filter((watch) => isPauseOf({ watch: name }, watch)));
    },
    retryChannel(channel) {
      runtime.retry(channel);
    },
  };
}
