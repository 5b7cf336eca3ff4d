// Opens the channels of the config, each with its sender. A channel with unchanged settings stays open over a reload.
// Deliveries of a removed channel stay in the outbox until the config has the channel again.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Attempt, Delivery, Outcome } from '../../core/model/delivery.ts';
import type { RecipientsOf } from '../../core/model/ids.ts';
import { headingOf } from '../../core/wording/words.ts';
import type { Channel, Config } from '../../config/model.ts';
import { recipientsIn } from '../../config/routing/recipients.ts';
import {
  createChannelHealth,
  type ChannelHealth,
  type ChannelHealthRecord,
} from '../../engine/sending/channel-health.ts';
import { createAckPasser, type AckPasser } from '../../engine/sending/acknowledging.ts';
import type { MayGo } from '../../engine/sending/may-send.ts';
import { createMirrorLoop, type MirrorLoop, type MirrorLoopOptions } from '../../engine/sending/mirror.ts';
import { createSender, type Sender } from '../../engine/sending/sender.ts';
import type { WhileHeld } from '../../engine/upkeep/held-loops.ts';
import type { Loop, Supervise } from '../../engine/upkeep/supervisor.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OpenMirror, OpenNotifier } from '../../notifiers/notifier.ts';
import { ONLY_TRY, sampleFor, sampleRecipients } from '../../notifiers/sample.ts';
import type { SampleTry } from '../../operators/action.ts';
import type { OutboxDepth } from '../../store/contract/deliveries.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { SafeLog } from '../../telemetry/logger.ts';
import type { DeliveryMetrics } from '../../telemetry/delivery-metrics.ts';
import {
  NO_LINKS,
  type PageLinks,
  pageLinksOf,
  withLinks,
  withoutSecrets,
  withoutSecretsInMirror,
  withPages,
} from './wrapped-notifiers.ts';
import type { Prepared } from './prepared.ts';

export interface ChannelsOptions {
  readonly store: Store;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'holds' | 'setBackAt'>;
  readonly clock: Clock;
  readonly log: Log & Pick<SafeLog, 'addSecrets'>;
  readonly supervise: Supervise;
  /**
   * Runs the sender of a channel in one replica at a time. Otherwise the limits on parallel sends and on messages in an
   * hour would not hold.
   */
  readonly whileHeld: WhileHeld;
  readonly metrics: Pick<DeliveryMetrics, 'channelOpened' | 'delivery' | 'deliveryDead'>;
  readonly print: (line: string) => Promise<void>;
  readonly version: string;
  /** Redacts every secret of the config. */
  readonly redact: (text: string) => string;
  /** True for a dry run, which logs the messages and sends none. */
  readonly isDry: boolean;
  /** The rules in force. */
  readonly rules: MirrorLoopOptions['rules'];
  readonly mayGo: MayGo;
  readonly isToldUnrecorded: (delivery: Delivery) => boolean;
}

export interface ChannelSet {
  /** Opens the channels that are new or have other settings; rejects if one of them cannot be opened. */
  prepare(config: Config): Promise<Prepared>;
  /** The recipients of a channel, by the config in force. */
  readonly recipientsOf: RecipientsOf;
  wake(channels: ReadonlySet<string>): void;
  /** Wakes the loops of receivers that keep their own state, after a transition or an acknowledgement. */
  wakeMirrors(): void;
  /** For each channel whose receiver keeps its own state: the number of alerts that were posted and not accepted. */
  readonly owedToMirrors: () => readonly OutboxDepth[];
  /** The names of open channels. */
  readonly names: () => readonly string[];
  /** Tries all waiting deliveries of the channel at once. */
  resume(channel: string): void;
  /** The results of the attempts on each open channel. */
  readonly health: () => ReadonlyMap<string, ChannelHealth>;
  /** Makes one immediate attempt for a delivery that is not in the outbox. Never rejects. */
  sendNow(delivery: Delivery, attempt: Attempt): Promise<Outcome>;
  /** Sends a sample to each recipient at once. Never rejects; empty for a channel that is not open. */
  readonly sample: (channel: string) => Promise<readonly SampleTry[]>;
  /** Waits for deliveries in flight; aborts them after `budgetMs`. */
  readonly stop: (budgetMs: number) => Promise<void>;
}

interface Built {
  readonly name: string;
  readonly fingerprint: string;
  readonly sender: Sender;
  readonly health: ChannelHealthRecord;
  readonly onOutcome: (outcome: Outcome) => void;
  readonly notifier: OpenNotifier;
  /** The recipients of samples. */
  readonly sampled: readonly string[];
  /** Set for a receiver that keeps its own state of alerts. */
  readonly mirror: { readonly loop: MirrorLoop; readonly open: OpenMirror } | null;
  /** Set for a receiver that keeps its own acknowledgements. */
  readonly acks: AckPasser | null;
}

interface Open extends Built {
  readonly stopping: AbortController;
  readonly abandoning: AbortController;
  readonly ended: Promise<void>;
}

export function createChannels(options: ChannelsOptions): ChannelSet {
  const { openByName, start, retire, stop } = createOpenChannels(options);
  let recipientsOf: RecipientsOf = () => undefined;
  let links = NO_LINKS;
  const build = createBuild(options, () => links);

  return {
    async prepare(config) {
      await using fresh = new AsyncDisposableStack();
      const secrets = config.http.hasLinks ? await options.store.linkSecrets() : [];
      options.log.addSecrets(secrets);
      const next = new Map<string, Built>();
      for (const channel of [...config.channels.values()].filter(isUsable)) {
        const fingerprint = JSON.stringify([channel.type, channel.to]);
        const found = openByName.get(channel.name);
        const isKept = found?.fingerprint === fingerprint;
        next.set(channel.name, isKept ? found : fresh.adopt(build(channel, fingerprint), closeChannel));
      }
      const opened = fresh.move();
      return {
        commit() {
          opened.move();
          recipientsOf = recipientsIn(config);
          links = pageLinksOf(config.http, secrets[0] ?? null);
          const before = new Set(openByName.keys());
          const gone = [...openByName.values()].filter((one) => next.get(one.name) !== one);
          for (const { name } of gone) retire(name);
          for (const built of next.values()) {
            if (openByName.get(built.name) === undefined) start(built);
            // All waiting deliveries are tried at once, as an operator who loads a config expects.
            if (before.has(built.name)) built.sender.resume();
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
    async sendNow(delivery, attempt) {
      const open = openByName.get(delivery.channel);
      if (open === undefined) return { type: 'again', why: 'the channel is not open' };
      const outcome = await open.notifier.send(delivery, attempt, open.abandoning.signal);
      open.onOutcome(outcome);
      return outcome;
    },
    sample: (channel) => sampleOf(openByName.get(channel), options.clock),
    wake(channels) {
      for (const name of channels) openByName.get(name)?.sender.wake();
    },
    wakeMirrors() {
      for (const { mirror, acks } of openByName.values()) {
        mirror?.loop.wake();
        acks?.wake();
      }
    },
    owedToMirrors: () => [...openByName.values()].flatMap(({ mirror }) => mirror?.loop.owed() ?? []),
    health: () => new Map([...openByName].map(([name, { health }]) => [name, health.now()])),
    stop,
  };
}

interface OpenChannels {
  readonly openByName: ReadonlyMap<string, Open>;
  readonly start: (built: Built) => void;
  readonly retire: (name: string) => void;
  readonly stop: ChannelSet['stop'];
}

function createOpenChannels({ clock, metrics, supervise, whileHeld }: ChannelsOptions): OpenChannels {
  const openByName = new Map<string, Open>();
  const retiring = new Map<Open, Promise<void>>();

  function start(built: Built): void {
    const [stopping, abandoning] = [new AbortController(), new AbortController()];
    metrics.channelOpened(built.name);
    const about = { channel: built.name };
    const { sender, mirror, acks } = built;
    const loops: Pick<Loop, 'name' | 'run'>[] = [
      { name: 'sender', run: (signal) => sender.run(signal, abandoning.signal) },
    ];
    if (mirror !== null) loops.push({ name: 'mirror', run: mirror.loop.run });
    if (acks !== null) loops.push({ name: 'acknowledgements', run: acks.run });
    const running = loops.map(({ name, run }) =>
      supervise({ name, about, run: whileHeld(`channel:${built.name}`, run) }, stopping.signal),
    );
    const ended = Promise.all(running).then(() => undefined);
    openByName.set(built.name, { ...built, stopping, abandoning, ended });
  }

  /** The channel starts no more deliveries. Deliveries in flight may end after its successor has started to send. */
  function retire(name: string): void {
    const found = openByName.get(name);
    if (found === undefined) return;
    openByName.delete(name);
    found.stopping.abort();
    const gone = found.ended.then(() => closeChannel(found));
    retiring.set(
      found,
      gone.finally(() => retiring.delete(found)),
    );
  }

  return {
    openByName,
    start,
    retire,
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

type Build = (channel: Channel, fingerprint: string) => Built;

/** `linksOf`: the links to pages that messages carry, by the config in force. */
function createBuild(options: ChannelsOptions, linksOf: () => PageLinks): Build {
  const { clock, log, metrics } = options;

  function buildMirror({ name, notifier, to }: Channel, onOutcome: (outcome: Outcome) => void): Built['mirror'] {
    if (notifier.mirror === undefined || options.isDry) return null;
    const opened = withPages(notifier.mirror.open(to, { ...options, channel: name }), linksOf);
    const open = withoutSecretsInMirror(opened, options.redact);
    const loop = createMirrorLoop({
      ...options,
      ...notifier.mirror.timesOf(to),
      channel: name,
      mirror: open,
      onOutcome,
    });
    return { loop, open };
  }

  return (channel, fingerprint) => {
    const { name, notifier, to } = channel;
    const opened = options.isDry ? createDryNotifier(log) : notifier.open(to, { ...options, channel: name });
    const linked = withLinks(opened, linksOf, notifier.readBy);
    const guarded = withoutSecrets(linked, options.redact);
    const health = createChannelHealth(clock);
    const onOutcome = (outcome: Outcome): void => {
      health.ended(outcome);
      metrics.delivery({ channel: name, outcome: outcome.type });
      // The receiver now has the alert, so an earlier acknowledgement can be passed on.
      if (outcome.type === 'sent') acks?.wake();
    };
    const { acknowledge } = guarded;
    const acks =
      acknowledge === undefined ? null : createAckPasser({ ...options, channel: name, acknowledge, onOutcome });
    const sender = createSender({
      ...options,
      channel: name,
      recipients: notifier.recipients(to, name),
      notifier: guarded,
      giveUpAfterMs: notifier.giveUpAfterMs,
      pace: notifier.pace,
      onOutcome,
      onDead: () => {
        metrics.deliveryDead(name);
      },
    });
    const mirror = buildMirror(channel, onOutcome);
    const sampled = sampleRecipients(channel);
    return { name, fingerprint, sender, health, onOutcome, notifier: guarded, sampled, mirror, acks };
  };
}

/** The time for all samples. It is shorter than the time that a browser, or the web server, waits for an answer. */
const SAMPLE_MS = 8_000;

async function sampleOf(open: Open | undefined, clock: Clock): Promise<readonly SampleTry[]> {
  if (open === undefined) return [];
  const { name, notifier, sampled, abandoning } = open;
  const late = new AbortController();
  const signal = AbortSignal.any([abandoning.signal, late.signal]);
  const slow = clock.sleep(SAMPLE_MS, signal).then((): Outcome => {
    late.abort();
    return { type: 'unknown', why: `no answer within ${SAMPLE_MS / 1000} s` };
  });
  const tries = sampled.map(async (recipient): Promise<SampleTry> => {
    const delivery = sampleFor(name, recipient, clock.now());
    const outcome = await Promise.race([notifier.send(delivery, ONLY_TRY, signal), slow]);
    return { recipient, outcome: outcome.type, answer: outcome.type === 'sent' ? outcome.answer : outcome.why };
  });
  const all = await Promise.all(tries);
  late.abort();
  return all;
}

async function closeChannel({ notifier, mirror }: Built): Promise<void> {
  await notifier[Symbol.asyncDispose]();
  await mirror?.open[Symbol.asyncDispose]();
}

/** A channel without its secret is not opened. Loading has checked that no watch uses it. */
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
