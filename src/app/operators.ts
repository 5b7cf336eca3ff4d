// Connects actions of operators with the parts of the running daemon that they read and change.
import { isPauseOf } from '../core/model/watch/pause.ts';
import { selfLabels } from '../engine/self/self-watch.ts';
import type { Clock } from '../lib/clock.ts';
import type { ActionEffects, OperatorWorld, PerformAction } from '../operators/action.ts';
import { createPerform } from '../operators/apply.ts';
import type { Store } from '../store/contract/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { InForce } from './in-force.ts';
import type { Parts } from './parts.ts';

export interface OperatorParts extends EffectParts, Pick<Parts, 'wake'> {
  readonly store: Pick<Store, 'answerTo' | 'operate' | 'openAlerts' | 'policy'>;
  readonly inForce: Pick<InForce, 'watches' | 'reports' | 'timeZone' | 'self'>;
  readonly channels: Pick<Parts['channels'], 'names' | 'sample' | 'resume'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

export function performerOf(parts: OperatorParts): PerformAction {
  const { store, inForce, wake, log } = parts;
  return createPerform({
    store,
    world: worldOf(parts),
    effects: effectsOf(parts),
    notify: inForce.self,
    onChanged: wake.transitions,
    log,
  });
}

function worldOf({ store, inForce, channels, clock }: OperatorParts): OperatorWorld {
  const { watches, reports, timeZone } = inForce;
  return {
    clock,
    timeZone,
    watches,
    reports,
    selfLabels: () => selfLabels(new Set(watches().map(({ target }) => target.explorer))),
    channels: channels.names,
    openAlerts: (keys) => store.openAlerts(keys === undefined ? { at: clock.now() } : { at: clock.now(), keys }),
    silences: async () => (await store.policy(clock.now())).silences,
    acks: async () => (await store.policy(clock.now())).acks,
    sample: channels.sample,
  };
}

export interface EffectParts {
  readonly pauses: Pick<Parts['pauses'], 'read'>;
  readonly inForce: Pick<InForce, 'watches'>;
  readonly scheduler: Pick<Parts['scheduler'], 'pollAgain'>;
  readonly channels: Pick<Parts['channels'], 'resume'>;
}

export function effectsOf({ pauses, inForce, scheduler, channels }: EffectParts): ActionEffects {
  return {
    readPauses: () => pauses.read(),
    pollNow(name) {
      for (const watch of inForce.watches()) if (isPauseOf({ watch: name }, watch)) scheduler.pollAgain(watch.id, 0);
    },
    retryChannel(channel) {
      channels.resume(channel);
    },
  };
}
