// ntfy, on ntfy.sh or on a server of one's own. Messages are plain text; clients underline bare addresses in them, which
// a stranger's text no longer holds.
import { z } from 'zod';
import type { Delivery, Message } from '../core/model/delivery.ts';
import type { Notifier } from './notifier.ts';
import { fitted, toLines } from './rendering/lines.ts';
import { jsonOf, type Answer, type Reading } from './wire/answers.ts';
import { Allow, mustBeAllowed } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS } from './wire/post-json.ts';
import { addressWarnings, hostOf, isWebAddress, secretsOf, WEB_ADDRESS } from './wire/web-address.ts';

const HOUR_MS = 3_600_000;
/** 4,096 bytes of message, and 8,192 of JSON with all else in it: counted as JSON, both hold. */
const MOST_MESSAGE_BYTES = 4000;

const config = z
  .strictObject({
    url: z
      .string()
      .refine((text) => isWebAddress(text) && /^https?:\/\/[^/]+\/?$/.test(text), `${WEB_ADDRESS}, without a path`)
      .meta({ description: 'The server, such as `https://ntfy.sh`.', examples: ['https://ntfy.sh'] }),
    topic: z
      .string()
      .regex(/^[-\w]{1,64}$/, 'must be 1 to 64 letters, digits, dashes and underscores')
      .meta({
        description:
          'The topic. Whoever knows its name reads it, unless the server restricts it: treat it as a secret.',
        examples: [{ env: 'NTFY_TOPIC' }],
      }),
    token: z
      .string()
      .regex(/^tk_\w{8,}$/, 'must be an access token such as tk_…')
      .optional()
      .meta({
        description: 'An access token of the server: `tk_…`. Needed where the topic is restricted.',
        examples: [{ env: 'NTFY_TOKEN' }],
      }),
    allow: Allow,
  })
  .superRefine(mustBeAllowed('url', ({ url }) => hostOf(url)));

type NtfyConfig = z.infer<typeof config>;

export const ntfy = ntfyWith({ totalMs: TOTAL_MS });

export function ntfyWith({ totalMs }: { totalMs: number }): Notifier<NtfyConfig> {
  return httpNotifier({
    totalMs,
    type: 'ntfy',
    summary: 'Pushes each alert to phones and browsers through an ntfy server.',
    unit: 'group',
    idempotent: false,
    readBy: 'people',
    config,
    secrets: ['topic', 'token'],
    warnings: ({ url }) => addressWarnings(url),
    secretsIn: ({ url, topic, token }) => [...secretsOf(url), topic, ...(token === undefined ? [] : [token])],
    senderOf({ url, topic, token }, poster) {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (delivery, _attempt, signal) =>
        poster.postJson({ url, headers, body: JSON.stringify({ topic, ...pushOf(delivery) }) }, signal, read);
    },
  });
}

const PRIORITIES: Readonly<Record<Message['severity'], number>> = { info: 3, warning: 4, critical: 5 };
const NORMAL = 3;
/** What begins, or is told for the first time, may wake people. */
const BEGINS: ReadonlySet<Message['type']> = new Set(['alert.event', 'alert.firing', 'alert.summary']);

function pushOf({ id, members: [{ message }] }: Delivery): object {
  const { headline, lead, links, runbook, text, facts } = fitted(toLines(message), MOST_MESSAGE_BYTES, bytesOf);
  const [click] = links;
  return {
    title: headline,
    message: [...lead, ...text, ...facts].map((line) => line.text).join('\n'),
    priority: BEGINS.has(message.type) ? PRIORITIES[message.severity] : NORMAL,
    tags: [message.severity],
    // From release 2.16 on a second copy replaces the first one.
    sequence_id: id,
    ...(click === undefined ? {} : { click }),
    ...(links.length === 0
      ? {}
      : { actions: links.map((url) => ({ action: 'view', label: url === runbook ? 'Runbook' : 'Open', url })) }),
  };
}

/** As JSON, line end included. */
function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

const Refusal = z.object({ code: z.number() });
/** The quota of the day is used up, or too many logins failed; the server does not say for how long. */
const LONG_WAITS: ReadonlySet<number> = new Set([42908, 42909]);

function read(answer: Answer): Reading | undefined {
  const { data } = Refusal.safeParse(jsonOf(answer));
  return data !== undefined && LONG_WAITS.has(data.code) ? { as: 'again', afterMs: HOUR_MS } : undefined;
}
