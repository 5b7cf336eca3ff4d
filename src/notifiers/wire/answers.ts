// The meaning of an answer over HTTP: one table for all channels. A channel only defines the differences of its
// service.
import type { IncomingHttpHeaders } from 'node:http';
import type { Instant } from '../../lib/clock.ts';
import type { Outcome, Receipt } from '../../core/model/delivery.ts';

/** The answer of a server. `text` is the unchanged body. It may contain secrets, so only its redacted form is shown. */
export interface ReceiverAnswer {
  readonly type: 'answered';
  readonly host: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The meaning of an answer. `afterMs`: the wait that the server asks for. `says`: shown in place of its text. */
export interface AnswerReading {
  readonly as: 'sent' | 'again' | 'auth' | 'rejected' | 'unknown';
  readonly afterMs?: number;
  readonly says?: string;
  /** The receipt of the message. */
  readonly receipt?: Receipt | undefined;
}

/** The reading of an answer for which a service differs from `readingOf`; undefined if it does not differ. */
export type AnswerOverride = (answer: ReceiverAnswer) => AnswerReading | undefined;

/** The answer as JSON; undefined if it is not JSON. */
export function jsonOf({ text }: ReceiverAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Temporary refusals: too slow, too early, too many. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
const REFUSED: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** The meaning of a status, for all channels. */
export function readingOf(status: number): AnswerReading {
  if (status >= 200 && status < 300) return { as: 'sent' };
  if (REFUSED.has(status)) return { as: 'auth' };
  return { as: status >= 400 && status < 500 && !PASSING.has(status) ? 'rejected' : 'again' };
}

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
/**
 * The wait after a refusal that a person has to correct. Services count such calls, and some lock out a caller that
 * makes many.
 */
const AFTER_REFUSAL_MS = HOUR_MS / 4;

interface Showing {
  /** Makes a server's words safe to show. */
  readonly show: (text: string) => string;
  readonly now: Instant;
}

/** The outcome of an answer. A wait that the server names in its headers is used too. */
export function toOutcome(
  answer: ReceiverAnswer,
  { as, afterMs, says, receipt }: AnswerReading,
  { show, now }: Showing,
): Outcome {
  const { host, status } = answer;
  const words = show(says ?? answer.text);
  const shown = words === '' ? String(status) : `${status} ${words}`;
  if (as === 'sent') return { type: 'sent', answer: shown, ...(receipt === undefined ? {} : { receipt }) };
  const why = status >= 300 && status < 400 ? movedTo(answer) : `${host} answered ${shown}`;
  if (as === 'rejected' || as === 'unknown') return { type: as, why };
  const waitMs = afterMs ?? waitAsked(answer.headers['retry-after'], now);
  if (as === 'again') return { type: 'again', why, ...(waitMs === undefined ? {} : { afterMs: bounded(waitMs) }) };
  return { type: 'again', why, atLeastMs: AFTER_REFUSAL_MS, auth: true };
}

// Redirects are not followed: a new owner of the old address could send the alerts anywhere, even into the own network.
function movedTo({ host, status, headers: { location } }: ReceiverAnswer): string {
  const target = location === undefined ? undefined : URL.parse(location, `https://${host}`)?.host;
  if (!target) return `moved: ${host} answered ${status} without a valid location`;
  return `moved: ${host} answered ${status} and points to ${target}; if you trust that host, change the channel's url`;
}

/** Retry-After in seconds or as a date (RFC 9110 10.2.3). */
function waitAsked(header: string | undefined, now: Instant): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND_MS : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Not less than a second, not more than an hour. */
function bounded(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), SECOND_MS), HOUR_MS);
}

/**
 * The outcome of a call to an address that the channel must not reach. The call is retried, since the name server may
 * give another address later. If it does not, a person has to correct the channel.
 */
export function notAllowed(why: string): Outcome {
  return { type: 'again', why: `not connected: ${why}`, atLeastMs: AFTER_REFUSAL_MS, auth: true };
}
