// What operators change through the API.
import type { Interventions } from '../../web/api/operation.ts';
import { createAckCalls, type AckCallsOptions } from './acks.ts';
import { createDeliveryCalls, type DeliveryCallsOptions } from './deliveries.ts';
import { createOnce } from './once.ts';
import { createPauseCalls, type PauseCallsOptions } from './pauses.ts';
import { createSilenceCalls, type SilenceCallsOptions } from './silences.ts';

export type InterventionsOptions = PauseCallsOptions & DeliveryCallsOptions & SilenceCallsOptions & AckCallsOptions;

export function createInterventions(options: InterventionsOptions): Interventions {
  const once = createOnce(options);
  return {
    ...createPauseCalls(once, options),
    ...createSilenceCalls(once, options),
    ...createAckCalls(once, options),
    ...createDeliveryCalls(once, options),
  };
}
