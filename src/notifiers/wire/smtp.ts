// One SMTP conversation: connect, log in, hand over one message for one recipient, quit. nodemailer implements the
// protocol. Its transport is not used, because it does not report whether the final dot had been sent when a connection
// broke. Before the dot, the message was certainly not accepted; after it, that is unknown. The connection is made here
// too: nodemailer would look up the name by itself, and connect to any address.
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { createDeadline } from '../../lib/clock.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { isLoopback } from '../../lib/network.ts';
import type { Outcome } from '../../core/model/delivery.ts';
import { connect } from './connect.ts';
import type { Egress } from './egress.ts';
import { outcomeOf, shownBy, type SmtpError } from './smtp-outcome.ts';
import type { SmtpServer } from './smtp-server.ts';

export interface SmtpLimits {
  /** The limit until the session is set up, STARTTLS included. */
  readonly connectMs: number;
  readonly greetingMs: number;
  /** The limit from the first packet to the answer after the final dot. */
  readonly totalMs: number;
}

/** The connection of a mail to its server. */
export interface SmtpRoute {
  readonly server: SmtpServer;
  readonly limits: SmtpLimits;
  readonly egress: Egress;
  /** True if no mail may be sent without TLS. */
  readonly requiresTls: boolean;
}

interface Envelope {
  readonly from: string;
  readonly to: string;
}

/** Hands one message over. Never throws; no outcome contains the password or a form of it. */
export async function submit(
  route: SmtpRoute,
  envelope: Envelope,
  message: Buffer,
  signal: AbortSignal,
): Promise<Outcome> {
  const { server, limits, egress, requiresTls } = route;
  const deadline = createDeadline(signal, limits.totalMs);
  try {
    const socket = await connect(server, { egress, withinMs: limits.connectMs, signal: deadline.signal });
    const connection = connectionOver(socket, server, { limits, requiresTls });
    return await handOver(connection, server, { ...envelope, message }, deadline.signal);
  } catch (error) {
    return outcomeOf(error as SmtpError, server.host, false, shownBy(server));
  } finally {
    deadline.done();
  }
}

/** The outcome of the message, once there is a connection. */
async function handOver(
  connection: SMTPConnection,
  server: SmtpServer,
  { message, ...envelope }: Envelope & { readonly message: Buffer },
  signal: AbortSignal,
): Promise<Outcome> {
  const body = Readable.from([message]);
  let isHandedOver = false;
  body.once('end', () => {
    isHandedOver = true;
    failpoint('send.mailed');
  });
  const show = shownBy(server);
  try {
    const answer = await Promise.race([talk(connection, server, envelope, body), broken(connection, signal)]);
    connection.quit();
    return { type: 'sent', answer: show(answer) };
  } catch (error) {
    const failure = error as SmtpError;
    // QUIT is sent only after a reply: in the middle of a message it would become a part of the message.
    if (failure.responseCode !== undefined) connection.quit();
    return outcomeOf(failure, server.host, isHandedOver, show);
  } finally {
    connection.close();
    body.destroy();
  }
}

/** The time that a closed connection may wait for the other side to close it too. */
const CLOSE_MS = 1000;
const MOST_RESPONSE_BYTES = 64 * 1024;

function connectionOver(
  socket: Socket,
  { host, port, secure, login }: SmtpServer,
  { limits, requiresTls }: Pick<SmtpRoute, 'limits' | 'requiresTls'>,
): SMTPConnection {
  return new SMTPConnection({
    connection: socket,
    host,
    port,
    secure,
    // A password leaves this machine encrypted only: an attacker between the two sides could remove STARTTLS from the
    // offer.
    requireTLS: !secure && (requiresTls || (login !== null && !isLoopback(host))),
    connectionTimeout: limits.connectMs,
    greetingTimeout: limits.greetingMs,
    socketTimeout: limits.totalMs,
    socketCloseTimeout: CLOSE_MS,
    maxResponseSize: MOST_RESPONSE_BYTES,
  });
}

/** Resolves with the server's answer after the final dot. */
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

/** Rejects when the connection fails outside a command, or when time is up. */
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
