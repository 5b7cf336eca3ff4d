// Decides if a pending message may be sent now: by the pace of the service, by the failures of its receiver, and by the
// silences, mute windows and other alerts that hold its alerts back.
import { isHoldSummary, type Outcome } from '../../core/model/delivery.ts';
import { heldAmong } from '../../dispatch/first-try.ts';
import { PAST_SILENCES_MS } from '../../dispatch/policy/holds.ts';
import type { DecidingRules } from '../../dispatch/rounds/due-round.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SendingPace } from '../../notifiers/notifier.ts';
import type { Claimed } from '../../store/contract/deliveries.ts';
import type { Store } from '../../store/contract/store.ts';

// Limits how fast a channel sends to the pace that its service accepts. One rule may use half of it, and a fifth is
// kept for critical alerts.

interface Room {
  /** The number of messages that may be sent now. */
  readonly most: number;
  /** Rules that have used their half. */
  readonly resting: readonly string[];
  /** True if only critical alerts may be sent. */
  readonly onlyCritical: boolean;
  /** The time at which the next message stops counting; null: no rule or severity is held back. */
  readonly moreAtMs: number | null;
}

interface Pacing {
  room(nowMs: number): Room;
  /** `rule`: empty if the message is about several. */
  began(rule: string, nowMs: number): void;
}

const ALL: Room = { most: Infinity, resting: [], onlyCritical: false, moreAtMs: null };
const SHARE_OF_RULE = 1 / 2;
const SHARE_OF_OTHERS = 4 / 5;

/** `pace`: null = any number. */
export function createPacing(pace: SendingPace | null): Pacing {
  if (pace === null) return { room: () => ALL, began: () => undefined };
  const { most, inMs } = pace;
  let begun: { readonly rule: string; readonly atMs: number }[] = [];

  return {
    room(nowMs) {
      begun = begun.filter(({ atMs }) => nowMs - atMs < inMs);
      const [oldest] = begun;
      if (oldest === undefined) return { ...ALL, most };
      const ofRules = Map.groupBy(begun, ({ rule }) => rule);
      const resting = [...ofRules].filter(
        ([rule, own]) => rule !== '' && own.length >= Math.ceil(most * SHARE_OF_RULE),
      );
      const onlyCritical = begun.length >= Math.floor(most * SHARE_OF_OTHERS);
      return {
        most: most - begun.length,
        resting: resting.map(([rule]) => rule),
        onlyCritical,
        moreAtMs: onlyCritical || resting.length > 0 ? oldest.atMs + inMs : null,
      };
    },
    began(rule, nowMs) {
      begun.push({ rule, atMs: nowMs });
    },
  };
}

// Receivers of a channel that accept no message. To find out if one works again, one of its messages is tried outside
// of the message's own schedule.
//
//   working    accepted its last message, or failed fewer than three times since
//   failing    its last three attempts were refused or never connected: one message is tried every 30 s
//   refusing   it refuses the daemon's credentials, or does not exist any more: one message is tried after 1 min, after
//              5 min, then every 15 min
//
// A channel tries one such message at a time; its receivers take turns. Times are of a clock that is never set.

interface FailingReceivers {
  /**
   * Call this after each attempt. True: the receiver was failing and works again, so all its pending messages may be
   * sent.
   */
  ended(recipient: string, outcome: Outcome, atMs: number): boolean;
  /** Call this for a receiver that failed in a former process. */
  wasFailing(recipient: string, atMs: number): void;
  /** Receivers that fail, and receivers that named a time until which they want no message. */
  failing(atMs: number): string[];
  /** The receiver with the next turn, and its time; null: none fails. */
  next(): { readonly recipient: string; readonly atMs: number } | null;
  /** Call this when it is the recipient's turn, also if none of its messages may be sent. */
  hadTurn(recipient: string, atMs: number): void;
}

const FAILING = 3;
const TURN_MS = 30_000;
const REFUSED_MS = [60_000, 300_000, 900_000] as const;

interface Trouble {
  readonly failures: number;
  /** The number of refusals of the credentials in a row. */
  readonly refusals: number;
  readonly nextMs: number;
  /** The time until which the receiver wants no message. */
  readonly quietUntilMs: number;
}

const NO_TROUBLE: Trouble = { failures: 0, refusals: 0, nextMs: 0, quietUntilMs: 0 };

export function createFailingReceivers(): FailingReceivers {
  const troubles = new Map<string, Trouble>();
  let freeFromMs = 0;

  return {
    ended(recipient, outcome, atMs) {
      const before = troubles.get(recipient) ?? NO_TROUBLE;
      if (outcome.type !== 'sent') {
        troubles.set(recipient, troubled(before, outcome, atMs));
        return false;
      }
      troubles.delete(recipient);
      if (!isFailing(before)) return false;
      freeFromMs = atMs;
      // Other receivers behind the same server may be back as well.
      for (const [other, trouble] of troubles)
        if (trouble.refusals === 0) troubles.set(other, { ...trouble, nextMs: Math.max(atMs, trouble.quietUntilMs) });
      return true;
    },
    wasFailing(recipient, atMs) {
      troubles.set(recipient, { ...NO_TROUBLE, failures: FAILING, nextMs: atMs });
    },
    failing(atMs) {
      const some = [...troubles].filter(([, trouble]) => isFailing(trouble) || trouble.quietUntilMs > atMs);
      return some.map(([recipient]) => recipient);
    },
    next() {
      const failing = [...troubles].filter(([, trouble]) => isFailing(trouble));
      const [first] = failing.toSorted(([, a], [, b]) => a.nextMs - b.nextMs);
      return first === undefined ? null : { recipient: first[0], atMs: Math.max(first[1].nextMs, freeFromMs) };
    },
    hadTurn(recipient, atMs) {
      freeFromMs = atMs + TURN_MS;
      const trouble = troubles.get(recipient);
      if (trouble !== undefined)
        troubles.set(recipient, { ...trouble, nextMs: Math.max(atMs + waitOf(trouble), trouble.quietUntilMs) });
    },
  };
}

function isFailing({ failures, refusals }: Trouble): boolean {
  return failures >= FAILING || refusals > 0;
}

function troubled(before: Trouble, outcome: Exclude<Outcome, { type: 'sent' }>, atMs: number): Trouble {
  const isRefusal = outcome.type === 'again' && outcome.auth === true;
  const after = {
    // Only `again` counts. After `unknown` the receiver may have accepted the message; other failures are about that
    // message.
    failures: before.failures + Number(outcome.type === 'again'),
    refusals: isRefusal ? before.refusals + 1 : 0,
  };
  const askedMs = outcome.type === 'again' ? (outcome.afterMs ?? 0) : 0;
  const quietUntilMs = Math.max(before.quietUntilMs, atMs + askedMs);
  return { ...after, nextMs: Math.max(atMs + waitOf(after), quietUntilMs), quietUntilMs };
}

function waitOf({ refusals }: Pick<Trouble, 'refusals'>): number {
  return refusals === 0 ? TURN_MS : (REFUSED_MS[refusals - 1] ?? REFUSED_MS[2]);
}

// Checks, before the first attempt of a message that had to wait, if all its alerts may still be sent. Alerts that a
// silence, a mute window or another open alert holds back by now are removed from it, and decided again. A message that
// was attempted stays unchanged.

/** False: alerts were removed from the message, so this claim must not be sent. */
export type MayGo = (claimed: Claimed) => Promise<boolean>;

interface FirstTriesOptions {
  readonly store: Pick<Store, 'readFirstTry' | 'putBack'>;
  /** The rules in force. */
  readonly rules: () => DecidingRules;
  /** Called when alerts were removed from a message and must be decided again. */
  readonly onPutBack: () => void;
  readonly clock: Pick<Clock, 'now'>;
}

/** A message that was closed within this time is not checked: it counts as sent before a hold that starts now. */
const UNDER_WAY_MS = 10_000;
/** The most members in one transaction. The rest of a larger message is found at its next claim. */
const MOST_PUT_BACK = 500;

export function createFirstTries({ store, rules, onPutBack, clock }: FirstTriesOptions): MayGo {
  function hasWaited({ delivery: { kind, at }, attempt, isOutOfTurn, maybeCopy }: Claimed): boolean {
    const isFirst = attempt === 1 && !isOutOfTurn && !maybeCopy;
    return isFirst && !isHoldSummary(kind) && clock.now() - at > UNDER_WAY_MS;
  }

  return async (claimed) => {
    if (!hasWaited(claimed)) return true;
    const {
      delivery: { id },
      attempt,
    } = claimed;
    const [at, inForce] = [clock.now(), rules()];
    const query = { silencesSince: at - PAST_SILENCES_MS, withSources: inForce.inhibit.length > 0 };
    const held = heldAmong(await store.readFirstTry(id, query), inForce, at);
    if (held.length === 0) return true;
    if ((await store.putBack({ id, attempt }, held.slice(0, MOST_PUT_BACK), at)) === 'superseded') return true;
    onPutBack();
    return false;
  };
}
