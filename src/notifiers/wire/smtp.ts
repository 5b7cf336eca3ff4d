// One SMTP conversation: connect, log in, hand over one message for one recipient, leave. nodemailer speaks the
// protocol; its transport is not used, since only here it can be seen whether the final dot had left when a
// connection broke. Before it, the message was certainly not taken; after it, nobody knows. The connection is made here
// as well: nodemailer would look the name up by itself, and go wherever it leads.
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { createDeadline } from '../../lib/clock.ts';
import { bareHost, isLoopback } from '../../lib/loopback.ts';
import { createRedactor } from '../../lib/redact.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { Outcome } from '../../core/model/delivery.ts';
import { connect } from './connect.ts';
import { EGRESS_REFUSED, type Egress } from './egress.ts';

/** Where mails are handed in, read from `smtp://user:password@host:port`. */
interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. Otherwise STARTTLS, when the server offers it. */
  readonly secure: boolean;
  readonly login: { readonly user: string; readonly pass: string } | null;
}

export interface SmtpLimits {
  /** Until the session is set up, STARTTLS included. */
  readonly connectMs: number;
  readonly greetingMs: number;
  /** From the first packet to the answer behind the final dot. */
  readonly totalMs: number;
}

/** How to get a mail to its server. */
export interface SmtpRoute {
  readonly server: SmtpServer;
  readonly limits: SmtpLimits;
  readonly egress: Egress;
}

interface Envelope {
  readonly from: string;
  readonly to: string;
}

const DEFAULT_PORT = 587;
const DEFAULT_TLS_PORT = 465;

/** Undefined unless it is `smtp:` or `smtps:`, a host, and at most a port, a user and a password. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = /^smtps?:\/\/[\u0021-\u007e]+$/.test(text) ? URL.parse(text) : null;
  if (url === null || !/^[\w.:[\]-]+$/.test(url.hostname) || !/^\/?$/.test(url.pathname + url.search + url.hash))
    return undefined;
  const secure = url.protocol === 'smtps:';
  const login = loginOf(url);
  if (login === undefined) return undefined;
  return {
    host: bareHost(url.hostname),
    port: url.port === '' ? (secure ? DEFAULT_TLS_PORT : DEFAULT_PORT) : Number(url.port),
    secure,
    login,
  };
}

function loginOf(url: URL): SmtpServer['login'] | undefined {
  if (url.username === '' && url.password === '') return null;
  try {
    return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  } catch {
    return undefined;
  }
}

/** Hands one message over. Never throws; neither the password nor what was made of it is in any outcome. */
export async function submit(
  route: SmtpRoute,
  envelope: Envelope,
  message: Buffer,
  signal: AbortSignal,
): Promise<Outcome> {
  const { server, limits, egress } = route;
  const deadline = createDeadline(signal, limits.totalMs);
  try {
    const socket = await connect(server, { egress, withinMs: limits.connectMs, signal: deadline.signal });
    const connection = connectionOver(socket, server, limits);
    return await handOver(connection, server, { ...envelope, message }, deadline.signal);
  } catch (error) {
    return outcomeOf(error as SmtpError, server.host, false, shownBy(server));
  } finally {
    deadline.done();
  }
}

/** What became of the message, once there is a connection. */
async function handOver(
  connection: SMTPConnection,
  server: SmtpServer,
  { message, ...envelope }: Envelope & { readonly message: Buffer },
  signal: AbortSignal,
): Promise<Outcome> {
  const body = Readable.from([message]);
  let isHandedOver = false;
  body.once('end', () => (isHandedOver = true));
  const show = shownBy(server);
  try {
    const answer = await Promise.race([talk(connection, server, envelope, body), broken(connection, signal)]);
    connection.quit();
    return { type: 'sent', answer: show(answer) };
  } catch (error) {
    const failure = error as SmtpError;
    // Only after a reply: in the middle of a message the word would become a part of it.
    if (failure.responseCode !== undefined) connection.quit();
    return outcomeOf(failure, server.host, isHandedOver, show);
  } finally {
    connection.close();
    body.destroy();
  }
}

/** How long a closed connection may linger until the other side has closed it too. */
const CLOSE_MS = 1000;
const MOST_RESPONSE_BYTES = 64 * 1024;

function connectionOver(socket: Socket, { host, port, secure, login }: SmtpServer, limits: SmtpLimits): SMTPConnection {
  return new SMTPConnection({
    connection: socket,
    host,
    port,
    secure,
    // A password leaves this machine only encrypted: who sits between could strike STARTTLS from the offer.
    requireTLS: !secure && login !== null && !isLoopback(host),
    connectionTimeout: limits.connectMs,
    greetingTimeout: limits.greetingMs,
    socketTimeout: limits.totalMs,
    socketCloseTimeout: CLOSE_MS,
    maxResponseSize: MOST_RESPONSE_BYTES,
  });
}

/** The server's answer behind the final dot. */
async function talk(
  connection: SMTPConnection,
  { login }: SmtpServer,
  { from, to }: Envelope,
  body: Readable,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
  if (login !== null && connection.allowsAuth)
    await new Promise<void>((resolve, reject) => {
      connection.login({ user: login.user, credentials: login }, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  return new Promise((resolve, reject) => {
    connection.send({ from, to: [to] }, body, (error, info) => {
      if (error) reject(error);
      else if (info.rejected.length > 0) reject(info.rejectedErrors?.[0] ?? new Error('recipient refused'));
      else resolve(info.response);
    });
  });
}

/** Rejects when the connection fails outside of a command, or when time is up. */
function broken(connection: SMTPConnection, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    connection.on('error', reject);
    signal.addEventListener(
      'abort',
      () => {
        reject(signal.reason as Error);
      },
      { once: true },
    );
    if (signal.aborted) reject(signal.reason as Error);
  });
}

/** What nodemailer puts on its errors, as far as it is looked at here. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly timeoutType?: string;
}

const MINUTE_MS = 60_000;
/** Grey-listing servers refuse whoever comes back sooner. */
const AFTER_TEMPORARY_MS = MINUTE_MS;
const AFTER_PERMANENT_MS = 5 * MINUTE_MS;
/** Too many wrong passwords lock the account; a person has to correct it anyway. */
const AFTER_LOGIN_MS = 15 * MINUTE_MS;

function outcomeOf(error: SmtpError, host: string, isHandedOver: boolean, show: Show): Outcome {
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

// A refusal for good is tried again too, slowly: quotas are raised, filters corrected, mailboxes made.
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

/** A server's words as they may be shown. */
type Show = (text: string) => string;

function shownBy({ login }: SmtpServer): Show {
  if (login === null) return (text) => singleLine(text, MOST_SHOWN);
  const { redact } = createRedactor([login.pass]);
  return (text) => singleLine(redact(text), MOST_SHOWN);
}
