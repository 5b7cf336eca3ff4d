// While the state cannot be written, critical alerts are sent from memory. The polls continue from their decisions
// (`engine/polling/commit.ts`), and offer all unstored transitions here, again after each refused commit.
//
//   begins    sent at once to the targets of the rule and the routes, one message for each alert, under the id that its
//             delivery will have. The message states that it is not on record. Silences, mute windows and inhibitions
//             apply, as far as they can be read.
//   ends      sent only to the targets that were sent the begin from memory
//   repeated  a message that the receiver did not accept is sent again with the next poll, after 15 s at the earliest
//   bounded   at most 100 messages each about begins, events, ends, and the daemon itself. Further ones wait for the
//             state.
//
// Once the state can be written again, these messages are stored as sent with their transitions, and are not sent
// again. If the process ends before that, the daemon does not know of these messages any more. This is why they are
// marked as not on record.
import { type Attempt, type Delivery, type Message, newsOf, type Outcome } from '../../core/model/delivery.ts';
import { BUILT_IN_RULE, type Recipient } from '../../core/model/ids.ts';
import {
  isBegin,
  isUrgent,
  nameOfTransition,
  type ToldUnrecorded,
  type Transition,
} from '../../core/model/transition.ts';
import { deliveryId } from '../../core/model/watch/identity.ts';
import type { InhibitingAlert, Silence } from '../../dispatch/model.ts';
import { isEnd } from '../../dispatch/owed.ts';
import { inhibitionsAt, mutedUntil } from '../../dispatch/policy/holds.ts';
import { isSilencedBy } from '../../dispatch/policy/match.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';

export interface Unrecorded {
  /**
   * Offers transitions that the store did not keep. They must contain all unstored ones of their alerts, in order.
   * Never throws. `isUnanswered`: the answer to the commit was lost, so another replica may send them too.
   */
  offer(transitions: readonly Transition[], isUnanswered?: boolean): void;
  /**
   * Returns the transitions, each with the recipients that its message was sent to. Resolves once no message about them
   * is being sent.
   */
  withTold(transitions: readonly Transition[]): Promise<readonly Transition[]>;
  /** Call this when the transitions are stored with these recipients. */
  recorded(transitions: readonly Transition[]): void;
  /** True if its recipient was sent a message about one of its members from memory. */
  hasTold(delivery: Delivery): boolean;
}

export interface UnrecordedOptions extends TellingsOptions {
  readonly store: Pick<Store, 'policy' | 'openConditions'>;
  /** The rules in force. */
  readonly rules: () => Pick<DispatchRules, 'recipientsOf' | 'routingOf' | 'inhibit' | 'coveredUntil' | 'startedAt'>;
}

/**
 * A firing alert that cannot be stored is offered with each poll. After two minutes without an offer it may be over, so
 * it inhibits no others.
 */
const SOURCE_MS = 120_000;
const DAY_MS = 86_400_000;

export function createUnrecorded({ store, rules, send, clock, log }: UnrecordedOptions): Unrecorded {
  const tellings = createTellings({ send, clock, log });
  /** Firing conditions that are not stored, by key: they may inhibit others. */
  const firing = new Map<string, InhibitingAlert & { readonly at: Instant }>();
  const maybeKept = createMaybeKept(clock);
  /** Offers are handled one after the other. */
  let offering: Promise<void> = Promise.resolve();

  function remember(transitions: readonly Transition[], at: Instant): void {
    for (const [key, source] of firing) if (at - source.at > SOURCE_MS) firing.delete(key);
    for (const { message, labels } of transitions) {
      const name = nameOfTransition(message);
      if (isEnd(name)) firing.delete(message.key);
      if (name === 'firing') firing.set(message.key, { key: message.key, watch: message.watch, labels, at });
    }
  }

  async function offerBegins(transitions: readonly Transition[]): Promise<void> {
    const now = clock.now();
    const silences = await silencesAt(store, now);
    const { recipientsOf, routingOf, ...inForce } = rules();
    const ofStore = inhibitionsAt({ ...inForce, sources: await conditionsOf(store) }, now);
    const ofMemory = inhibitionsAt({ ...inForce, sources: [...firing.values()], coveredUntil: () => now }, now);
    const isInhibited = ({ labels, message: { key } }: Transition): boolean =>
      [ofMemory, ofStore].some((inhibitionOf) => inhibitionOf({ key, labels }) !== null);
    for (const one of transitions) {
      const { labels, notify } = one;
      const isSilenced = silences.some(({ matchers }) => isSilencedBy(matchers, labels));
      const isMuted = mutedUntil(routingOf(labels).options.mute, now) !== null;
      if (isSilenced || isMuted || isInhibited(one)) continue;
      for (const to of notify.flatMap((channel) => recipientsOf(channel) ?? []))
        tellings.tell(one, to, { receipt: null, mayBeKept: maybeKept.includes(one) });
    }
  }

  /** Sends the end to the recipients of its begin. */
  function offerEnd(end: Transition, begin: Transition): void {
    for (const { channel, recipient, outcome } of tellings.toldOf(begin)) {
      const receipt = outcome.type === 'sent' ? (outcome.receipt ?? null) : null;
      tellings.tell(end, { channel, recipient }, { receipt, mayBeKept: maybeKept.includes(end) });
    }
  }

  async function offerAll(transitions: readonly Transition[]): Promise<void> {
    remember(transitions, clock.now());
    tellings.forgetOld();
    const ofKey = Map.groupBy(transitions, ({ message }) => message.key);
    const open: Transition[] = [];
    for (const begin of transitions.filter(isTellable)) {
      const end = ofKey.get(begin.message.key)?.find((one) => isEndOf(one, begin));
      if (end === undefined) open.push(begin);
      else offerEnd(end, begin);
    }
    if (open.length > 0) await offerBegins(open);
  }

  return {
    offer(transitions, isUnanswered = false) {
      if (!transitions.some(isTellable)) return;
      if (isUnanswered) maybeKept.note(transitions);
      offering = offering
        .then(() => offerAll(transitions))
        .catch((error: unknown) => {
          log.error('alert:not-told', { error });
        });
    },
    async withTold(transitions) {
      await offering;
      await tellings.arrived();
      return transitions.map((one) => {
        const told = tellings.toldOf(one);
        return told.length === 0 ? one : { ...one, told };
      });
    },
    recorded: tellings.recorded,
    hasTold: ({ members, channel, recipient }) =>
      members.some(({ message }) => tellings.has(message, { channel, recipient })),
  };
}

/** Transitions that may be stored, because the answer to their commit was lost. */
function createMaybeKept(clock: Clock) {
  const notedAt = new Map<string, Instant>();
  const placeOf = ({ message: { key, episode, seq } }: Transition): string => `${key} ${episode} ${seq}`;
  return {
    note(transitions: readonly Transition[]): void {
      const now = clock.now();
      for (const [place, at] of notedAt) if (now - at > DAY_MS) notedAt.delete(place);
      for (const one of transitions) notedAt.set(placeOf(one), now);
    },
    includes: (one: Transition): boolean => notedAt.has(placeOf(one)),
  };
}

/**
 * True for a begin that does not wait for the state: if it is critical, or about a failure of the state at any
 * severity.
 */
function isTellable(one: Transition): boolean {
  const { kind, alert } = one.message;
  const isOfStorage = kind === BUILT_IN_RULE && alert === 'storage' && isBegin(nameOfTransition(one.message));
  return isUrgent(one) || isOfStorage;
}

/** True if the message is an end in the episode of this begin. */
function isEndOf({ message }: Transition, begin: Transition): boolean {
  const { key, episode, seq } = begin.message;
  return message.key === key && message.episode === episode && message.seq > seq && isEnd(nameOfTransition(message));
}

/** Firing conditions in the store; empty if they cannot be read. */
async function conditionsOf(store: UnrecordedOptions['store']): Promise<readonly InhibitingAlert[]> {
  try {
    return await store.openConditions();
  } catch {
    return [];
  }
}

/** The silences in force; empty if they cannot be read. */
async function silencesAt(store: UnrecordedOptions['store'], now: Instant): Promise<readonly Silence[]> {
  try {
    const { silences } = await store.policy(now);
    return silences.filter(({ from, until }) => from <= now && now < until);
  } catch {
    return [];
  }
}

/** For a process that sends no message from memory. */
export const NOBODY_TOLD: Pick<Unrecorded, 'offer' | 'withTold' | 'recorded'> = {
  offer: () => undefined,
  withTold: (transitions) => Promise.resolve(transitions),
  recorded: () => undefined,
};

interface Tellings {
  /** Sends the message at once, unless that is under way or done, or the limit is reached. */
  tell(transition: Transition, to: Recipient, how: TellingWay): void;
  /** The recipients that accepted the message, or may have accepted it. */
  toldOf(transition: Transition): readonly ToldUnrecorded[];
  /** Resolves once no message is being sent. */
  arrived(): Promise<void>;
  readonly recorded: (transitions: readonly Transition[]) => void;
  has(message: Message, to: Recipient): boolean;
  /** Drops messages that were not offered for a day. */
  forgetOld(): void;
}

interface TellingsOptions {
  /** Makes one attempt at once. Never rejects. */
  readonly send: (delivery: Delivery, attempt: Attempt) => Promise<Outcome>;
  readonly clock: Clock;
  readonly log: Log;
}

interface TellingWay extends Pick<Attempt, 'receipt'> {
  /** True if another replica may send the message too. */
  readonly mayBeKept: boolean;
}

/** One message about one transition to one recipient. */
interface Telling {
  readonly of: Pick<Message, 'key' | 'episode' | 'seq'>;
  readonly to: Recipient;
  readonly kind: TellingKind;
  readonly mayBeKept: boolean;
  offeredAt: Instant;
  /** The end of the try; while the message is being sent, its begin. */
  triedAt: Instant;
  /** Null: the message is being sent. */
  outcome: Outcome | null;
  onItsWay: Promise<void>;
}

type TellingKind = 'begin' | 'event' | 'end' | 'self';

const MOST_OF_KIND = 100;
const AGAIN_MS = 15_000;

function createTellings({ send, clock, log }: TellingsOptions): Tellings {
  const tellings = new Map<string, Telling>();
  const full = new Set<TellingKind>();

  function hasRoom(kind: TellingKind): boolean {
    const count = [...tellings.values()].filter((one) => one.kind === kind).length;
    if (count < MOST_OF_KIND) {
      full.delete(kind);
      return true;
    }
    const why = `${MOST_OF_KIND} messages of this kind are not on record`;
    if (!full.has(kind))
      log.error('alert:not-told', {
        kind,
        why,
        effect: 'further messages of this kind wait until the state can be written',
      });
    full.add(kind);
    return false;
  }

  function tell({ message }: Transition, to: Recipient, { receipt, mayBeKept }: TellingWay): void {
    const id = deliveryId(message.key, message, to);
    const now = clock.now();
    const before = tellings.get(id);
    if (before !== undefined) before.offeredAt = now;
    if (before === undefined ? !hasRoom(kindOf(message)) : !isAgain(before, now)) return;
    const telling: Telling = {
      of: message,
      to,
      kind: kindOf(message),
      mayBeKept,
      offeredAt: now,
      triedAt: now,
      outcome: null,
      onItsWay: Promise.resolve(),
    };
    tellings.set(id, telling);
    telling.onItsWay = sendOne(
      telling,
      { id, ...to, kind: 'news', at: now, members: [newsOf(message)], more: [] },
      receipt,
    );
  }

  async function sendOne(telling: Telling, delivery: Delivery, receipt: Attempt['receipt']): Promise<void> {
    const outcome = await send(delivery, { number: 1, maybeCopy: telling.mayBeKept, receipt, unrecorded: true });
    const [{ message }] = delivery.members;
    const { watch, alert } = message;
    const about = { channel: delivery.channel, delivery: delivery.id, watch, alert, outcome: outcome.type };
    log.warn('alert:unrecorded', about);
    telling.outcome = outcome;
    telling.triedAt = clock.now();
  }

  function toldOf(transition: Transition): readonly ToldUnrecorded[] {
    return [...tellings.values()].flatMap(({ of, to, triedAt, outcome }): ToldUnrecorded[] => {
      if (!isOf(of, transition) || !isTold(outcome)) return [];
      return [{ channel: to.channel, recipient: to.recipient, at: triedAt, outcome }];
    });
  }

  return {
    tell,
    toldOf,
    async arrived() {
      await Promise.all([...tellings.values()].map(({ onItsWay }) => onItsWay));
    },
    recorded(transitions) {
      for (const [id, { of }] of tellings) if (transitions.some((one) => isOf(of, one))) tellings.delete(id);
    },
    has: (message, to) => tellings.has(deliveryId(message.key, message, to)),
    forgetOld() {
      const now = clock.now();
      for (const [id, { offeredAt }] of tellings) if (now - offeredAt > DAY_MS) tellings.delete(id);
    },
  };
}

function isOf({ key, episode, seq }: Telling['of'], { message }: Transition): boolean {
  return message.key === key && message.episode === episode && message.seq === seq;
}

function isTold(outcome: Outcome | null): outcome is ToldUnrecorded['outcome'] {
  return outcome?.type === 'sent' || outcome?.type === 'unknown';
}

function isAgain({ outcome, triedAt }: Telling, now: Instant): boolean {
  return outcome?.type === 'again' && now - triedAt >= AGAIN_MS;
}

function kindOf(message: Message): TellingKind {
  if (message.kind === BUILT_IN_RULE) return 'self';
  const name = nameOfTransition(message);
  if (isEnd(name)) return 'end';
  return name === 'event' ? 'event' : 'begin';
}
