// What operators change through the API.
import type { Interventions } from '../../web/api/operation.ts';
import { createDeliveryCalls, type DeliveryCallsOptions } from './deliveries.ts';
import { createOnce } from './once.ts';
import { createPauseCalls, type PauseCallsOptions } from './pauses.ts';

export type InterventionsOptions = PauseCallsOptions & DeliveryCallsOptions;

export function createInterventions(options: InterventionsOptions): Interventions {
  const once = createOnce(options);
  return { ...createPauseCalls(once, options), ...createDeliveryCalls(once, options) };
}
