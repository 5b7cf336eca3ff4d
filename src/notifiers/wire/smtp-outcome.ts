// The outcome of a conversation with a mail server that did not accept the mail.
import type { Outcome } from '../../core/model/delivery.ts';
import { createRedactor } from '../../lib/redact.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { EGRESS_REFUSED } from './egress.ts';
import type { SmtpServer } from './smtp-server.ts';

/** The properties of nodemailer's errors that are read here. */
export interface SmtpError extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly timeoutType?: string;
}

const MINUTE_MS = 60_000;
/** Grey-listing servers refuse clients that come back sooner. */
const AFTER_TEMPORARY_MS = MINUTE_MS;
const AFTER_PERMANENT_MS = 5 * MINUTE_MS;
/** Too many wrong passwords lock the account, and a person has to correct the password anyway. */
const AFTER_LOGIN_MS = 15 * MINUTE_MS;

/** `isHandedOver`: true if the final dot had been sent, so that it is unknown whether the message was accepted. */
export function outcomeOf(error: SmtpError, host: string, isHandedOver: boolean, show: Show): Outcome {
  if (error.code === EGRESS_REFUSED)
    return { type: 'again', why: `not connected: ${error.message}`, atLeastMs: AFTER_LOGIN_MS, auth: true };
  if (error.responseCode === undefined) {
    const why = `${host}: ${reasonOf(error, isHandedOver)}`;
    if (error.code === 'EAUTH') return { type: 'again', why, atLeastMs: AFTER_LOGIN_MS, auth: true };
    return { type: isHandedOver ? 'unknown' : 'again', why };
  }
  const why = `${host} answered ${show(error.response ?? '')}${error.command === undefined ? '' : ` to ${error.command}`}`;
  const atLeastMs = waitAfter(error.code, error.responseCode);
  return { type: 'again', why, atLeastMs, ...(error.code === 'EAUTH' ? { auth: true } : {}) };
}

// A permanent refusal is tried again too, slowly: people raise quotas, correct filters and create mailboxes.
function waitAfter(code: string | undefined, responseCode: number): number {
  if (code === 'EAUTH') return AFTER_LOGIN_MS;
  return responseCode >= 500 ? AFTER_PERMANENT_MS : AFTER_TEMPORARY_MS;
}

function reasonOf(error: SmtpError, isHandedOver: boolean): string {
  if (error.name === 'TimeoutError') return 'no answer in time';
  if (error.name === 'AbortError') return 'stopped before an answer came';
  if (error.timeoutType !== undefined) return `no answer in time (${error.timeoutType})`;
  const code = error.originalCode ?? error.code ?? error.name;
  if (isHandedOver) return `the connection broke after the message had left (${code})`;
  return /TLS|SSL|CERT/.test(`${error.code} ${code}`) ? `no encrypted connection (${code})` : `no connection (${code})`;
}

const MOST_SHOWN = 200;

/** Makes a server's words safe to show. */
export type Show = (text: string) => string;

export function shownBy({ login }: SmtpServer): Show {
  if (login === null) return (text) => singleLine(text, MOST_SHOWN);
  const { redact } = createRedactor([login.pass]);
  return (text) => singleLine(redact(text), MOST_SHOWN);
}
