// Messages that were sent from memory and are not stored yet: their outcomes and limits.
import { deliveryId } from '../../core/model/watch/identity.ts';
import { newsOf, type Attempt, type Delivery, type Message, type Outcome } from '../../core/model/delivery.ts';
import { BUILT_IN_RULE, type Recipient } from '../../core/model/ids.ts';
import { nameOfTransition, type ToldUnrecorded, type Transition } from '../../core/model/transition.ts';
import { isEnd } from '../../dispatch/owed.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';

export interface Tellings {
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

export interface TellingsOptions {
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
  triedAt: Instant;
  /** Null: the message is being sent. */
  outcome: Outcome | null;
  onItsWay: Promise<void>;
}

type TellingKind = 'begin' | 'event' | 'end' | 'self';

const MOST_OF_KIND = 100;
const AGAIN_MS = 15_000;
const DAY_MS = 86_400_000;

export function createTellings({ send, clock, log }: TellingsOptions): Tellings {
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
