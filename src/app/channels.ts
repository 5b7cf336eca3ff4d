// The channels of the config, opened, each with its sender. A channel with unchanged settings stays open over a reload.
// Deliveries of a removed channel stay in the outbox until it is back.
import type { RecipientsOf } from '../core/model/ids.ts';
import { headingOf } from '../core/wording/message-words.ts';
import type { Channel, Config } from '../config/model.ts';
import { recipientsIn } from '../config/recipients.ts';
import { createChannelHealth, type ChannelHealth, type ChannelHealthRecord } from '../engine/sending/channel-health.ts';
import { createSender, type Sender } from '../engine/sending/sender.ts';
import type { Supervise } from '../engine/upkeep/supervisor.ts';
import type { Clock } from '../lib/clock.ts';
import type { OpenNotifier } from '../notifiers/notifier.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { DeliveryMetrics } from '../telemetry/delivery-metrics.ts';
import type { Prepared } from './prepared.ts';

export interface ChannelsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly supervise: Supervise;
  readonly metrics: Pick<DeliveryMetrics, 'channelOpened' | 'delivery' | 'deliveryDead'>;
  readonly print: (line: string) => Promise<void>;
  readonly version: string;
  /** Redacts every secret of the config. */
  readonly redact: (text: string) => string;
  /** Logs what would be sent, and sends nothing. */
  readonly isDry: boolean;
}

export interface Channels {
  /** Opens the channels that are new or have other settings; rejects when one of them cannot be opened. */
  prepare(config: Config): Promise<Prepared>;
  /** Of the config in force. */
  readonly recipientsOf: RecipientsOf;
  wake(channels: ReadonlySet<string>): void;
  /** Of those that are open. */
  names(): readonly string[];
  /** Sends again, also where the receiver said that it is gone. */
  resume(channel: string): void;
  /** How the tries on each open channel end. */
  health(): ReadonlyMap<string, ChannelHealth>;
  /** Lets deliveries in flight end; after `budgetMs` they are aborted. */
  stop(budgetMs: number): Promise<void>;
}

interface Built {
  readonly name: string;
  readonly fingerprint: string;
  readonly sender: Sender;
  readonly health: ChannelHealthRecord;
  readonly notifier: OpenNotifier;
}

interface Open extends Built {
  readonly stopping: AbortController;
  readonly abandoning: AbortController;
  readonly ended: Promise<void>;
}

export function createChannels(options: ChannelsOptions): Channels {
  const { clock, log, metrics, supervise } = options;
  const openByName = new Map<string, Open>();
  const retiring = new Map<Open, Promise<void>>();
  let recipientsOf: RecipientsOf = () => undefined;

  function build(channel: Channel, fingerprint: string): Built {
    const { name, notifier, to } = channel;
    const opened = options.isDry ? createDryNotifier(log) : notifier.open(to, { ...options, channel: name });
    const guarded = withoutSecrets(opened, options.redact);
    const health = createChannelHealth(clock);
    const sender = createSender({
      ...options,
      channel: name,
      notifier: guarded,
      giveUpAfterMs: notifier.giveUpAfterMs,
      onOutcome: (outcome) => {
        health.ended(outcome);
        metrics.delivery({ channel: name, outcome: outcome.type });
      },
      onDead: () => {
        metrics.deliveryDead(name);
      },
    });
    return { name, fingerprint, sender, health, notifier: guarded };
  }

  function start(built: Built): void {
    const [stopping, abandoning] = [new AbortController(), new AbortController()];
    metrics.channelOpened(built.name);
    const ended = supervise(
      {
        name: 'sender',
        about: { channel: built.name },
        run: (signal) => built.sender.run(signal, abandoning.signal),
      },
      stopping.signal,
    );
    openByName.set(built.name, { ...built, stopping, abandoning, ended });
  }

  /** Starts no more deliveries. Those in flight end while the successor may already send. */
  function retire(name: string): void {
    const found = openByName.get(name);
    if (found === undefined) return;
    openByName.delete(name);
    found.stopping.abort();
    const gone = found.ended.then(() => found.notifier[Symbol.asyncDispose]());
    retiring.set(
      found,
      gone.finally(() => retiring.delete(found)),
    );
  }

  return {
    async prepare(config) {
      await using fresh = new AsyncDisposableStack();
      const next = new Map<string, Built>();
      for (const channel of [...config.channels.values()].filter(isUsable)) {
        const fingerprint = JSON.stringify([channel.type, channel.to]);
        const found = openByName.get(channel.name);
        const isKept = found?.fingerprint === fingerprint;
        next.set(channel.name, isKept ? found : fresh.adopt(build(channel, fingerprint), closeNotifier));
      }
      const opened = fresh.move();
      return {
        commit() {
          opened.move();
          recipientsOf = recipientsIn(config);
          const gone = [...openByName.values()].filter((one) => next.get(one.name) !== one);
          for (const { name } of gone) retire(name);
          for (const built of next.values()) {
            const kept = openByName.get(built.name);
            if (kept === undefined) start(built);
            else kept.sender.resume();
          }
        },
        [Symbol.asyncDispose]: () => opened.disposeAsync(),
      };
    },
    recipientsOf: (channel) => recipientsOf(channel),
    names: () => [...openByName.keys()],
    resume(name) {
      openByName.get(name)?.sender.resume();
    },
    wake(channels) {
      for (const name of channels) openByName.get(name)?.sender.wake();
    },
    health: () => new Map([...openByName].map(([name, { health }]) => [name, health.now()])),
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

function closeNotifier({ notifier }: Built): PromiseLike<void> {
  return notifier[Symbol.asyncDispose]();
}

/** A receiver may echo secrets: its answer is redacted before it is stored, logged or shown. */
function withoutSecrets(notifier: OpenNotifier, redact: ChannelsOptions['redact']): OpenNotifier {
  return {
    async send(delivery, attempt, signal) {
      const outcome = await notifier.send(delivery, attempt, signal);
      return outcome.type === 'sent'
        ? { ...outcome, answer: redact(outcome.answer) }
        : { ...outcome, why: redact(outcome.why) };
    },
    [Symbol.asyncDispose]: () => notifier[Symbol.asyncDispose](),
  };
}

/** A channel without its secret is used by no watch: loading checked that. */
function isUsable({ missing }: Channel): boolean {
  return missing.length === 0;
}

function createDryNotifier(log: Log): OpenNotifier {
  return {
    send: (delivery) => {
      const { id, channel, recipient, members } = delivery;
      for (const { message } of members)
        log.info('delivery:dry', { delivery: id, channel, recipient, type: message.type, title: headingOf(message) });
      return Promise.resolve({ type: 'sent', answer: 'dry run' });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
