// ntfy, on ntfy.sh or on an own server. Messages are plain text. Clients turn bare addresses into links, so untrusted
// text has its addresses defanged.
import { z } from 'zod';
import type { Attempt, Delivery, DeliveryMember, Message } from '../core/model/delivery.ts';
import type { Notifier } from './notifier.ts';
import { ACKNOWLEDGE, ACKNOWLEDGE_ALL, ALERT, alertText, RUNBOOK, type ListedAlert } from './rendering/content.ts';
import { fitted, linkTo, toLines, type MessageLines, type Sizes } from './rendering/lines.ts';
import { jsonOf, type ReceiverAnswer, type AnswerReading } from './wire/answers.ts';
import { addressWarnings, Allow, hostOf, isWebAddress, mustBeAllowed, secretsOf, WEB_ADDRESS } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS } from './wire/post-json.ts';

const HOUR_MS = 3_600_000;
/**
 * ntfy accepts messages of up to 4,096 bytes, in a JSON body of up to 8,192 bytes. `bytesOf` counts the message as
 * JSON, which is never shorter than the message itself. So this limit keeps both.
 */
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
          'The topic. Anybody who knows its name can read it, unless the server restricts it: treat it as a secret.',
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
      return (delivery, attempt, signal) =>
        poster.postJson({ url, headers, body: JSON.stringify({ topic, ...pushOf(delivery, attempt) }) }, signal, read);
    },
  });
}

const PRIORITIES: Readonly<Record<Message['severity'], number>> = { info: 3, warning: 4, critical: 5 };
const NORMAL = 3;
/** Types of messages about something new. Only these may have a higher priority and wake people. */
const BEGINS: ReadonlySet<Message['type']> = new Set([
  'alert.event',
  'alert.firing',
  'alert.reinstated',
  'alert.summary',
]);

function pushOf(delivery: Delivery, attempt: Attempt): object {
  const { members } = delivery;
  const lines = fitted(toLines(delivery, attempt), MOST_MESSAGE_BYTES, SIZES);
  const { headline, lead, alerts, links, text, facts } = lines;
  const click = clickOf(lines);
  const buttons = links.filter(({ url }) => url !== click).slice(0, MOST_BUTTONS);
  return {
    title: headline,
    message: [
      ...lead.map((line) => line.text),
      ...alerts.map(alertLine),
      ...[...text, ...facts].map((line) => line.text),
    ].join('\n'),
    priority: Math.max(...members.map(priorityOf)),
    // The first member is the most severe one.
    tags: [members[0].message.severity],
    // From ntfy 2.16 on, a second copy with the same id replaces the first one.
    sequence_id: delivery.id,
    ...(click === null ? {} : { click }),
    ...(buttons.length === 0 ? {} : { actions: buttons.map(({ label, url }) => ({ action: 'view', label, url })) }),
  };
}

const MOST_BUTTONS = 3;

/** The page that a tap opens: the daemon's page of the alert, else the explorer's. A tap acknowledges nothing. */
function clickOf(lines: MessageLines): string | null {
  const { links, alerts } = lines;
  const pages = links.filter(({ label }) => label !== RUNBOOK && label !== ACKNOWLEDGE && label !== ACKNOWLEDGE_ALL);
  return linkTo(ALERT, lines) ?? pages[0]?.url ?? alerts[0]?.link ?? linkTo(RUNBOOK, lines);
}

function priorityOf({ message: { type, severity } }: DeliveryMember): number {
  return BEGINS.has(type) ? PRIORITIES[severity] : NORMAL;
}

/** The text of an alert, followed by the bare address of its page. Clients turn this address into a link. */
function alertLine(alert: ListedAlert): string {
  return alert.link === null ? alertText(alert) : `${alertText(alert)} ${alert.link}`;
}

const SIZES: Sizes = { line: ({ text }) => bytesOf(text), link: () => 0, alert: (alert) => bytesOf(alertLine(alert)) };

/** The size as JSON, with the line end. */
function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

const Refusal = z.object({ code: z.number() });
/** The day's quota is used up, or too many logins failed. The server does not send how long to wait. */
const LONG_WAITS: ReadonlySet<number> = new Set([42908, 42909]);

function read(answer: ReceiverAnswer): AnswerReading | undefined {
  const { data } = Refusal.safeParse(jsonOf(answer));
  return data !== undefined && LONG_WAITS.has(data.code) ? { as: 'again', afterMs: HOUR_MS } : undefined;
}
