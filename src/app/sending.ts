// The parts between a stored transition and its message: the dispatcher, the channels, and messages from memory.
import type { Ownership } from '../cluster/ownership.ts';
import { ANNOUNCER } from '../core/model/ids.ts';
import { createDispatcher, type Dispatcher } from '../engine/dispatching/dispatcher.ts';
import { createFirstTries } from '../engine/sending/may-send.ts';
import { createUnrecorded, type Unrecorded } from '../engine/sending/unrecorded.ts';
import type { ClockJumps } from '../engine/upkeep/clock-jumps.ts';
import { unansweredAnnouncements } from '../operators/announcements.ts';
import type { SafeLog } from '../telemetry/logger.ts';
import type { InForce } from './in-force.ts';
import { createChannels, type ChannelSet, type ChannelsOptions } from './runtime/channels.ts';

export interface SendingOptions extends Omit<ChannelsOptions, 'redact' | 'rules' | 'mayGo' | 'isToldUnrecorded'> {
  readonly ownership: Ownership;
  readonly inForce: Pick<InForce, 'rules' | 'timeZone'>;
  readonly jumps: ClockJumps;
  readonly log: SafeLog;
}

export interface Sending {
  readonly channels: ChannelSet;
  readonly dispatcher: Dispatcher;
  /** Sends critical alerts from memory while the store cannot be written. */
  readonly unrecorded: Unrecorded;
  readonly wake: Wake;
}

export interface Wake {
  /** Wakes the dispatcher and mirrors. Call this after transitions were committed. */
  readonly transitions: () => void;
  /** Wakes the dispatcher and all senders. Call this when another replica may have stored work that is due. */
  readonly otherReplicas: () => void;
}

export function createSending(options: SendingOptions): Sending {
  const { store, ownership, inForce, jumps, clock, log } = options;
  const { rules, timeZone } = inForce;
  const unrecorded = createUnrecorded({
    store,
    rules,
    send: (delivery, attempt) => channels.sendNow(delivery, attempt),
    clock,
    log,
  });
  const channels = createChannels({
    ...options,
    redact: log.redact,
    rules,
    mayGo: createFirstTries({
      store,
      rules,
      onPutBack: () => {
        dispatcher.wake();
      },
      clock,
    }),
    isToldUnrecorded: (delivery) => unrecorded.hasTold(delivery),
  });
  const dispatcher = createDispatcher({
    store,
    ownership,
    rules,
    announce: (unanswered, at) => {
      const notify = rules().ruleOf(ANNOUNCER, 'ack', {})?.channels ?? [];
      return unansweredAnnouncements(unanswered, { at, zone: timeZone(), notify });
    },
    onOwed: (owed) => {
      channels.wake(owed);
    },
    clock,
    jumps,
    log,
  });
  const wake: Wake = {
    transitions() {
      dispatcher.wake();
      channels.wakeMirrors();
    },
    otherReplicas() {
      dispatcher.wake();
      channels.wake(new Set(channels.names()));
    },
  };
  return { channels, dispatcher, unrecorded, wake };
}
