// How receivers answer at a moment: all of them at once as faults of the network have it, or one of them by itself.
import type { Outcome } from '../../../src/core/model/delivery.ts';
import type { FaultField } from '../faults/field.ts';
import type { FaultKind } from '../faults/kinds.ts';
import type { Instant, PlannedFault } from '../model.ts';
import type { TryOutcome } from '../people/log.ts';

export interface Receivers {
  /** How long a message takes until it is answered. */
  readonly slowness: (receiver: string, at: Instant) => number;
  /** `id`: of the delivery; null: of none, which is never refused for what it says. */
  readonly answerTo: (receiver: string, id: string | null, at: Instant) => ReceiverAnswer;
}

export interface ReceiverAnswer {
  readonly took: boolean;
  readonly outcome: Outcome;
  readonly logged: TryOutcome;
}

const SLOW_SINKS: ReadonlySet<FaultKind> = new Set(['slow-sink']);
const SLOW_ONE: ReadonlySet<FaultKind> = new Set(['receiver-slow']);
const REFUSING: ReadonlySet<FaultKind> = new Set(['sink-5xx', 'sink-4xx']);
const FAILING_ONE: ReadonlySet<FaultKind> = new Set(['receiver-fails']);
const BODY: ReadonlySet<FaultKind> = new Set(['body-refused']);
const UNKNOWN: ReadonlySet<FaultKind> = new Set(['sink-unknown']);

export function createReceivers(field: FaultField): Receivers {
  /** By the id of a delivery, until when its body is refused. */
  const refusedUntil = new Map<string, Instant>();

  function isBodyRefused(receiver: string, id: string, at: Instant): boolean {
    const known = refusedUntil.get(id);
    if (known !== undefined) return at < known;
    const fault = field.strike(BODY, at, receiver);
    if (fault === null) return false;
    refusedUntil.set(id, fault.at + fault.ms);
    return true;
  }

  return {
    slowness(receiver, at) {
      const slow = field.lasting(SLOW_SINKS, at) ?? field.lastingAt(SLOW_ONE, at, receiver);
      return slow?.amount ?? 0;
    },
    answerTo(receiver, id, at) {
      const refusing = field.lasting(REFUSING, at);
      if (refusing !== null) return refused('busy', { type: 'again', why: 'no answer that fits' });
      const failing = field.lastingAt(FAILING_ONE, at, receiver);
      if (failing !== null) return failingAnswer(failing);
      if (id !== null && isBodyRefused(receiver, id, at)) return refused('body', { type: 'rejected', why: '400' });
      if (field.strike(UNKNOWN, at, null) === null) return TAKEN;
      return UNANSWERED;
    },
  };
}

const TAKEN: ReceiverAnswer = { took: true, outcome: { type: 'sent', answer: '200' }, logged: { type: 'accepted' } };
const UNANSWERED: ReceiverAnswer = {
  took: true,
  outcome: { type: 'unknown', why: 'cut after the send' },
  logged: { type: 'unknown', took: true },
};
const AUTH_REST_MS = 900_000;

/** `times` says what it answers. */
function failingAnswer({ times, amount }: PlannedFault): ReceiverAnswer {
  switch (times) {
    case 1:
      return refused('busy', { type: 'again', why: '429', afterMs: amount }, amount);
    case 2:
      return refused('auth', { type: 'again', why: '401', auth: true, atLeastMs: AUTH_REST_MS });
    case 3:
      return refused('not-connected', { type: 'again', why: 'no connection (ECONNREFUSED)' });
    case 4:
      return refused('gone', { type: 'again', why: '410', auth: true, atLeastMs: AUTH_REST_MS });
    default:
      return refused('busy', { type: 'again', why: '503' });
  }
}

type Why = Extract<TryOutcome, { type: 'refused' }>['why'];

function refused(why: Why, outcome: Outcome, retryAfterMs: number | null = null): ReceiverAnswer {
  return { took: false, outcome, logged: { type: 'refused', why, retryAfterMs } };
}
