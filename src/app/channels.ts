// The channels of the config, open, each with its courier. A channel whose settings did not change stays open over a
// reload; what is owed to a channel that is gone stays in the outbox until it is back.
import type { Channel, Config } from '../config/config.ts';
import { createCourier, type Courier } from '../engine/courier.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sender } from '../notifiers/notifier.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { DeliveryMetrics } from '../telemetry/delivery-metrics.ts';

export interface ChannelsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<DeliveryMetrics, 'channelOpened' | 'delivery' | 'deliveryDead'>;
  readonly print: (line: string) => Promise<void>;
  readonly version: string;
  /** Says what would be sent, and sends nothing. */
  readonly isDry: boolean;
}

export interface Channels {
  apply(config: Config): void;
  wake(channels: ReadonlySet<string>): void;
  /** Lets what is in flight end; what has not after `budgetMs` is told to. */
  stop(budgetMs: number): Promise<void>;
}

interface Open {
  readonly fingerprint: string;
  readonly courier: Courier;
  readonly sender: Sender;
  readonly stopping: AbortController;
  readonly abandoning: AbortController;
  readonly ended: Promise<void>;
}

export function createChannels(options: ChannelsOptions): Channels {
  const { clock, log, metrics } = options;
  const openByName = new Map<string, Open>();
  const retiring = new Map<Open, Promise<void>>();

  function open(channel: Channel, fingerprint: string): Open {
    const { name, notifier, to } = channel;
    const sender = options.isDry ? createDrySender(log) : notifier.open(to, { ...options, channel: name });
    const courier = createCourier({
      ...options,
      channel: name,
      sender,
      giveUpAfterMs: notifier.giveUpAfterMs,
      onOutcome: ({ type }) => {
        metrics.delivery({ channel: name, outcome: type });
      },
      onDead: () => {
        metrics.deliveryDead(name);
      },
    });
    const [stopping, abandoning] = [new AbortController(), new AbortController()];
    metrics.channelOpened(name);
    const ended = courier.run(stopping.signal, abandoning.signal);
    return { fingerprint, courier, sender, stopping, abandoning, ended };
  }

  /** Takes no more; what is in flight ends in its own time, while a successor may already be at work beside it. */
  function retire(name: string): void {
    const found = openByName.get(name);
    if (found === undefined) return;
    openByName.delete(name);
    found.stopping.abort();
    const gone = found.ended.then(() => found.sender[Symbol.asyncDispose]());
    retiring.set(
      found,
      gone.finally(() => retiring.delete(found)),
    );
  }

  return {
    apply(config) {
      const wanted = [...config.channels.values()].filter(isUsable);
      const names = new Set(wanted.map(({ name }) => name));
      for (const name of openByName.keys()) if (!names.has(name)) retire(name);
      for (const channel of wanted) {
        const fingerprint = JSON.stringify([channel.type, channel.to]);
        if (openByName.get(channel.name)?.fingerprint === fingerprint) continue;
        retire(channel.name);
        openByName.set(channel.name, open(channel, fingerprint));
      }
    },
    wake(channels) {
      for (const name of channels) openByName.get(name)?.courier.wake();
    },
    async stop(budgetMs) {
      for (const name of openByName.keys()) retire(name);
      const inTime = new AbortController();
      void clock.sleep(budgetMs, inTime.signal).then(() => {
        for (const { abandoning } of retiring.keys()) abandoning.abort();
      });
      await Promise.all(retiring.values());
      inTime.abort();
    },
  };
}

/** A channel without its secret is one that no watch uses: loading made sure of it. */
function isUsable({ missing }: Channel): boolean {
  return missing.length === 0;
}

function createDrySender(log: Log): Sender {
  return {
    send: (delivery) => {
      const { id, channel, recipient, message } = delivery;
      log.info('delivery:dry', { delivery: id, channel, recipient, type: message.type, title: message.title });
      return Promise.resolve({ type: 'sent', answer: 'dry run' });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
