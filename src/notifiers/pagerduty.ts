// PagerDuty, Events API v2. The begin of an alert triggers an incident, an acknowledgement acknowledges it, the end
// resolves it. The alert's key is the dedup key, so a second copy of a message changes nothing while the incident is
// open. PagerDuty calls no one about an acknowledged incident. So when an acknowledgement ends, or the severity was
// raised, the incident is resolved and a new one is triggered. An event has no end: its incident is resolved when it is
// acknowledged, retracted, or a day old (engine/sending/acknowledging.ts).
import { z } from 'zod';
import { showInstant } from '../lib/clock.ts';
import { SEVERITY_RAISED, type Attempt, type Delivery, type Message, type Outcome } from '../core/model/delivery.ts';
import { nameOfTransition } from '../core/model/transition.ts';
import type { Notifier } from './notifier.ts';
import { SAMPLE } from './sample.ts';
import { ALERT, alertText, valueText } from './rendering/content.ts';
import { linkTo, toLines, type ContentLines, type MessageLines } from './rendering/lines.ts';
import { asOne } from './rendering/body.ts';
import { ours } from './rendering/wording.ts';
import { type ReceiverAnswer, type AnswerReading } from './wire/answers.ts';
import { Allow } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS } from './wire/post-json.ts';

const MINUTE_MS = 60_000;
const LONGEST_SUMMARY = 1024;
const LONGEST_KEY = 255;

const ENQUEUE = '/v2/enqueue';
const ENQUEUE_CHANGE = '/v2/change/enqueue';

const HOSTS = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' } as const;

const config = z.strictObject({
  routing_key: z
    .string()
    .regex(/^\w{32}$/, 'must be an integration key of 32 letters and digits')
    .describe('The integration key of a service: Integrations, Events API v2.'),
  region: z.enum(['us', 'eu']).default('us').describe('The region of the account: `us` or `eu`.'),
  allow: Allow,
});

type PagerdutyConfig = z.infer<typeof config>;

export const pagerduty = pagerdutyWith({ totalMs: TOTAL_MS, hosts: HOSTS });

interface Limits {
  readonly totalMs: number;
  readonly hosts: Readonly<Record<PagerdutyConfig['region'], string>>;
}

export function pagerdutyWith({ totalMs, hosts }: Limits): Notifier<PagerdutyConfig> {
  const urlOf = ({ region }: PagerdutyConfig, path: string): string => `${hosts[region]}${path}`;
  return httpNotifier({
    totalMs,
    pace: { most: 100, inMs: 60_000 },
    type: 'pagerduty',
    summary:
      'Triggers a PagerDuty incident for each alert, acknowledges it with you, and resolves it when the alert ends.',
    unit: 'alert',
    idempotent: true,
    readBy: 'machines',
    config,
    secrets: ['routing_key'],
    warnings: () => [],
    secretsIn: ({ routing_key: key }) => [key],
    senderOf(to, poster) {
      return async (delivery, attempt, signal) => {
        const { renewed, message } = asOne(delivery);
        const post = (body: object, path = ENQUEUE): Promise<Outcome> =>
          poster.postJson({ url: urlOf(to, path), body: JSON.stringify(body) }, signal, read);
        if (isChange(message)) return post(changeOf(delivery, attempt, to), ENQUEUE_CHANGE);
        if (renewed?.why === 'ack-ended' || message.reason === SEVERITY_RAISED) {
          const resolved = await post({ ...incidentOf(message.key, to), event_action: 'resolve' });
          if (resolved.type !== 'sent') return resolved;
        }
        return post(eventOf(delivery, attempt, to));
      };
    },
    acknowledgerOf:
      (to, poster) =>
      ({ key, isOver }, signal) => {
        const body = JSON.stringify({ ...incidentOf(key, to), event_action: isOver ? 'resolve' : 'acknowledge' });
        return poster.postJson({ url: urlOf(to, ENQUEUE), body }, signal, read);
      },
  });
}

/**
 * Events of severity `info`, reports and announcements must not call anyone. So they open no incident: they are sent as
 * changes of the service. A sample is sent as an incident, because it shows whether PagerDuty calls someone.
 */
function isChange(message: Message): boolean {
  const name = nameOfTransition(message);
  const isOfEvent = name !== 'firing' && name !== 'resolved';
  return isOfEvent && message.severity === 'info' && message.kind !== SAMPLE;
}

function changeOf(delivery: Delivery, attempt: Attempt, { routing_key }: PagerdutyConfig): object {
  const { message } = asOne(delivery);
  const lines = toLines(delivery, attempt);
  const { summary, timestamp, source, custom_details } = payloadOf(message, lines);
  return { routing_key, payload: { summary, timestamp, source, custom_details }, links: linksOf(lines) };
}

function linksOf({ links }: MessageLines): object[] {
  return links.map(({ label, url }) => ({ href: url, text: label }));
}

/** PagerDuty drops a second copy while the incident is open, so the text does not mention a possible copy. */
const NO_COPY = { maybeCopy: false };

/** Types that resolve an incident. PagerDuty ignores them if there is no incident. */
const ENDS: ReadonlySet<Message['type']> = new Set(['alert.resolved', 'alert.retracted']);

function incidentOf(key: string, { routing_key }: PagerdutyConfig): { routing_key: string; dedup_key: string } {
  return { routing_key, dedup_key: key.slice(0, LONGEST_KEY) };
}

function eventOf(delivery: Delivery, attempt: Attempt, to: PagerdutyConfig): object {
  const { message } = asOne(delivery);
  const subject = incidentOf(message.key, to);
  if (ENDS.has(message.type)) return { ...subject, event_action: 'resolve' };
  const lines = toLines(delivery, { ...attempt, ...NO_COPY });
  const page = linkTo(ALERT, lines);
  return {
    ...subject,
    event_action: 'trigger',
    client: 'Chainwarden',
    ...(page === null ? {} : { client_url: page }),
    payload: payloadOf(message, lines),
    links: linksOf(lines),
  };
}

function payloadOf(message: Message, { content, headline, lead, alerts, text }: ContentLines) {
  return {
    summary: headline.slice(0, LONGEST_SUMMARY),
    source: ours(message.of?.name ?? message.of?.address ?? message.explorer),
    severity: message.severity,
    timestamp: showInstant(message.at),
    component: ours(message.watch),
    group: ours(message.explorer),
    class: ours(message.alert),
    // PagerDuty allows 512,000 bytes. The lines are few and short enough to stay below this limit.
    custom_details: {
      ...Object.fromEntries(
        [...content.values, ...content.about, ...content.details].map((row) => [row.label, valueText(row)]),
      ),
      text: [...lead.map((line) => line.text), ...alerts.map(alertText), ...text.map((line) => line.text)].join('\n'),
    },
  };
}

/**
 * PagerDuty accepts about 120 calls a minute. A caller over the limit gets a 429 without a time to wait, and should
 * pause for minutes.
 */
function read({ status, headers }: ReceiverAnswer): AnswerReading | undefined {
  if (status !== 429 || headers['retry-after'] !== undefined) return undefined;
  return { as: 'again', afterMs: 2 * MINUTE_MS };
}
