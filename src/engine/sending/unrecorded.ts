// While the state cannot be written, critical alerts are told all the same, from memory. A poll whose decision was not
// kept decides the same again at the next poll, under the same ids, so each is offered here again and again:
//
//   told at once   to whom its rule and the routes lead, each alert alone, under the id that its delivery will have. The
//                  message says that it is not on record. Silences, mute windows and open alerts that inhibit it hold, as
//                  far as they can be read.
//   told once      while it is offered. After a day in which it was not, it is news again.
//   repeated       what the receiver did not take, with the next poll, a quarter of a minute later at the earliest
//   bounded        a hundred messages are remembered. What is more waits for the state file.
//
// Once the state file works again, the alert is stored as ever, and its delivery says that it may be a copy. When the
// process ends before that, nothing is left of this memory: what told people then was marked in their first message.
import { deliveryId } from '../../core/model/watch/identity.ts';
import { newsOf, type Attempt, type Delivery, type Outcome } from '../../core/model/delivery.ts';
import type { Recipient } from '../../core/model/ids.ts';
import { isBegin, nameOfTransition, type Transition } from '../../core/model/transition.ts';
import { inhibitionsAt } from '../../dispatch/policy/inhibit.ts';
import type { InhibitingAlert, Silence } from '../../dispatch/model.ts';
import { mutedUntil } from '../../dispatch/policy/mutes.ts';
import type { DispatchRules } from '../../dispatch/rules.ts';
import { isSilencedBy } from '../../dispatch/policy/silenced.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';

export interface Unrecorded {
  /** The store did not keep these. Never throws. */
  offer(transitions: readonly Transition[]): void;
  /** Whether its recipient was told something of it from memory. */
  hasTold(delivery: Delivery): boolean;
}

export interface UnrecordedOptions {
  readonly store: Pick<Store, 'policy' | 'openAlerts'>;
  /** In force now. */
  readonly rules: () => Pick<DispatchRules, 'recipientsOf' | 'routingOf' | 'inhibit' | 'lookedAt' | 'startedAt'>;
  /** One try, at once. Never rejects. */
  readonly send: (delivery: Delivery, attempt: Attempt) => Promise<Outcome>;
  readonly clock: Clock;
  readonly log: Log;
}

/** One message to one recipient. */
interface Telling {
  offeredAt: Instant;
  /** Null: it was told, or refused, or nobody knows. */
  againAt: Instant | null;
}

const MOST_TOLD = 100;
const AGAIN_MS = 15_000;
const DAY_MS = 86_400_000;
/** What fires and cannot be stored is offered with each poll: after two minutes without, it may be over. */
const SOURCE_MS = 120_000;
const ONLY_TRY: Attempt = { number: 1, maybeCopy: false, receipt: null, unrecorded: true };

export function createUnrecorded({ store, rules, send, clock, log }: UnrecordedOptions): Unrecorded {
  const told = new Map<string, Telling>();
  /** Conditions that fire and are not on record, by key: they may inhibit others. */
  const firing = new Map<string, InhibitingAlert & { readonly at: Instant }>();
  let isFull = false;

  /** Whether it is to be sent now. */
  function isDue(id: string, now: Instant): boolean {
    const before = told.get(id);
    if (before === undefined && told.size >= MOST_TOLD) {
      if (!isFull)
        log.error('alert:not-told', { why: 'a hundred messages are not on record', effect: 'the rest waits' });
      isFull = true;
      return false;
    }
    const isNew = before === undefined || (before.againAt !== null && before.againAt <= now);
    // While it is sent, it is as good as told.
    told.set(id, { offeredAt: now, againAt: isNew ? null : (before.againAt ?? null) });
    return isNew;
  }

  async function tell({ message }: Transition, to: Recipient, now: Instant): Promise<void> {
    const id = deliveryId(message.key, message, to);
    if (!isDue(id, now)) return;
    const outcome = await send({ id, ...to, kind: 'news', at: now, members: [newsOf(message)], more: [] }, ONLY_TRY);
    const { watch, alert } = message;
    log.warn('alert:unrecorded', { channel: to.channel, delivery: id, watch, alert, outcome: outcome.type });
    if (outcome.type === 'again') told.set(id, { offeredAt: now, againAt: now + AGAIN_MS });
  }

  function remember(transitions: readonly Transition[], at: Instant): void {
    for (const [key, source] of firing) if (at - source.at > SOURCE_MS) firing.delete(key);
    for (const { message, labels } of transitions)
      if (nameOfTransition(message) === 'firing')
        firing.set(message.key, { key: message.key, watch: message.watch, labels, at });
  }

  async function offerAll(transitions: readonly Transition[]): Promise<void> {
    const now = clock.now();
    for (const [id, { offeredAt }] of told) if (now - offeredAt > DAY_MS) told.delete(id);
    isFull &&= told.size >= MOST_TOLD;
    const silences = await silencesAt(store, now);
    const { recipientsOf, routingOf, ...inForce } = rules();
    const sources = [...firing.values(), ...(await openAt(store, now))];
    const inhibitionOf = inhibitionsAt({ ...inForce, sources }, now);
    const all = transitions.filter(isCritical).filter(({ labels, message: { key } }) => {
      const isSilenced = silences.some(({ matchers }) => isSilencedBy(matchers, labels));
      const isMuted = mutedUntil(routingOf(labels).options.mute, now) !== null;
      return !isSilenced && !isMuted && inhibitionOf({ key, labels }) === null;
    });
    const tellings = all.flatMap((one) =>
      one.notify.flatMap((channel) => (recipientsOf(channel) ?? []).map((to) => tell(one, to, now))),
    );
    await Promise.all(tellings);
  }

  return {
    offer(transitions) {
      remember(transitions, clock.now());
      if (!transitions.some(isCritical)) return;
      void offerAll(transitions).catch((error: unknown) => {
        log.error('alert:not-told', { error });
      });
    },
    hasTold: ({ members, channel, recipient }) =>
      members.some(({ message }) => told.has(deliveryId(message.key, message, { channel, recipient }))),
  };
}

/** Who was told of its begin before is told of its end once it can be stored. */
function isCritical({ message }: Transition): boolean {
  return message.severity === 'critical' && isBegin(nameOfTransition(message));
}

/** Conditions on record that fire; none where they cannot be read. */
async function openAt(store: UnrecordedOptions['store'], at: Instant): Promise<readonly InhibitingAlert[]> {
  try {
    return (await store.openAlerts({ at })).filter(({ isEvent }) => !isEvent);
  } catch {
    return [];
  }
}

/** Those that are in force; none where they cannot be read. */
async function silencesAt(store: UnrecordedOptions['store'], now: Instant): Promise<readonly Silence[]> {
  try {
    const { silences } = await store.policy(now);
    return silences.filter(({ from, until }) => from <= now && now < until);
  } catch {
    return [];
  }
}
