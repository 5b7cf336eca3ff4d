import { z } from 'zod';
import type { Notifier } from './notifier.ts';
import { Allow, createEgress, mustBeAllowed } from './wire/egress.ts';
import { isLoopback } from '../lib/network.ts';
import { isPlainAddress, parseMailAddress } from './wire/mail-address.ts';
import { toMime } from './wire/mime.ts';
import { parseSmtpUrl } from './wire/smtp-server.ts';
import { submit, type SmtpLimits } from './wire/smtp.ts';

const DAY_MS = 24 * 3_600_000;

// One connection per message, without a pool: one refused recipient or stuck connection must not hold up the others.
const LIMITS: SmtpLimits = { connectMs: 25_000, greetingMs: 15_000, totalMs: 60_000 };

const config = z
  .strictObject({
    from: z
      .string()
      .refine((text) => parseMailAddress(text) !== undefined, 'must be name@example.com or Name <name@example.com>')
      .describe('The sender: `name@example.com` or `Name <name@example.com>`. Its domain also stands in message ids.'),
    to: z
      .array(z.string().refine(isPlainAddress, 'must be a plain address such as name@example.com'))
      .min(1, 'must name at least one address')
      .refine(areDifferent, 'names an address twice')
      .describe('The recipients. Each gets a message of its own, so that one refused address stops no other.'),
    smtp: z
      .string()
      .refine(
        (text) => parseSmtpUrl(text) !== undefined,
        'must be smtp://user:password@host:port or smtps://…, special characters percent-encoded, without options',
      )
      .describe(
        'The mail server: `smtps://user:password@host` speaks TLS from the start (port 465), `smtp://` uses STARTTLS ' +
          'when the server offers it (port 587). A password is only ever sent encrypted, or to this machine.',
      ),
    tls: z
      .enum(['required', 'if-offered'])
      .optional()
      .describe(
        '`required`: nothing is sent without TLS, so that nobody in between can strike STARTTLS from the offer. Off this ' +
          'machine that is the default; `if-offered` is for a server that has none.',
      ),
    allow: Allow,
  })
  .superRefine(mustBeAllowed('smtp', ({ smtp }) => parseSmtpUrl(smtp)?.host));

type EmailConfig = z.infer<typeof config>;

export const email = emailWith(LIMITS);

export function emailWith(limits: SmtpLimits): Notifier<EmailConfig> {
  return {
    type: 'email',
    summary: 'Mails each alert to each recipient, as text and HTML, one thread per alert.',
    unit: 'group',
    idempotent: true,
    readBy: 'people',
    config,
    secrets: ['smtp'],
    giveUpAfterMs: 5 * DAY_MS,
    recipients: ({ to }) => to.map(recipientOf),
    warnings: ({ smtp, tls }) => {
      const server = parseSmtpUrl(smtp);
      const isClear = server !== undefined && tls === 'if-offered' && !server.secure && !isLoopback(server.host);
      return isClear ? [IN_CLEAR] : [];
    },
    open(to, tools) {
      const from = parseMailAddress(to.from);
      const server = parseSmtpUrl(to.smtp);
      if (from === undefined || server === undefined)
        throw new Error(`channel ${tools.channel}: \`from\` or \`smtp\` is not what the config allows`);
      const requiresTls = to.tls === undefined ? !isLoopback(server.host) : to.tls === 'required';
      const route = { server, limits, requiresTls, egress: createEgress(to.allow) };
      return {
        async send(delivery, attempt, signal) {
          const address = to.to.find((one) => recipientOf(one) === delivery.recipient);
          if (address === undefined)
            return {
              type: 'rejected',
              why: `${delivery.recipient} is no longer in \`to\` of channel ${tools.channel}`,
            };
          try {
            const message = await toMime({ ...delivery, recipient: address }, from, attempt);
            return await submit(route, { from: from.address, to: address }, message, signal);
          } catch {
            return { type: 'again', why: `${server.host}: the message could not be written` };
          }
        },
        async [Symbol.asyncDispose]() {
          // No connection stays open between two messages.
        },
      };
    },
  };
}

const IN_CLEAR =
  'mails cross the network in clear where the server offers no STARTTLS, and so do links in them that acknowledge';

/** An address that is written in other capital letters stays the same recipient. */
function recipientOf(address: string): string {
  return address.toLowerCase();
}

function areDifferent(addresses: readonly string[]): boolean {
  return new Set(addresses.map(recipientOf)).size === addresses.length;
}
