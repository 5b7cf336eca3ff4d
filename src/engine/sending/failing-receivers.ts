// Receivers of a channel that accept no message. To find out if one works again, one of its messages is tried outside
// of the message's own schedule.
//
//   working    accepted its last message, or failed fewer than three times since
//   failing    its last three attempts were refused or never connected: one message is tried every 30 s
//   refusing   it refuses the daemon's credentials, or does not exist any more: one message is tried after 1 min, after
//              5 min, then every 15 min
//
// A channel tries one such message at a time; its receivers take turns. Times are of a clock that is never set.
import type { Outcome } from '../../core/model/delivery.ts';

export interface FailingReceivers {
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
