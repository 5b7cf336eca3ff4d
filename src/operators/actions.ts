// All actions of operators, in the order of the OpenAPI document.
import { ackAll, endAckAll } from './ack-all.ts';
import { ack, endAck } from './acks.ts';
import type { Action } from './action.ts';
import { retryChannel, sampleChannel } from './channels.ts';
import { dismissDelivery, retryDelivery } from './deliveries.ts';
import { dismissGivenUp, retryGivenUp } from './given-up.ts';
import { endPause, pause } from './pauses.ts';
import { endSessions } from './sessions.ts';
import { endSilence, extendSilence, silence } from './silences.ts';

export const ACTIONS: readonly Action[] = [
  pause,
  endPause,
  silence,
  extendSilence,
  endSilence,
  ack,
  endAck,
  ackAll,
  endAckAll,
  retryDelivery,
  dismissDelivery,
  retryGivenUp,
  dismissGivenUp,
  retryChannel,
  sampleChannel,
  endSessions,
];
