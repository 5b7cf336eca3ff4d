// Prometheus Alertmanager, API v2. It keeps its own state of alerts and drops alerts that are not posted again, so all
// open alerts are posted at every refresh (engine/sending/mirror.ts). It decides by itself about recipients and
// repeats.
import { z } from 'zod';
import { newsOf, type Delivery, type Message, type Outcome } from '../core/model/delivery.ts';
import { EVENT_SHOWN_MS, type ShownAlert } from '../core/model/mirror.ts';
import { labelsOfMessage } from '../core/model/watch/identity.ts';
import { headingOf } from '../core/wording/words.ts';
import { showInstant } from '../lib/clock.ts';
import { formatDuration, parseDuration } from '../lib/durations.ts';
import type { Notifier, OpenMirror } from './notifier.ts';
import { RUNBOOK } from './rendering/content.ts';
import { fitted, linkTo, toLines, type MessageLines, type Sizes } from './rendering/lines.ts';
import { ours } from './rendering/wording.ts';
import type { ReceiverAnswer } from './wire/answers.ts';
import { addressWarnings, Allow, hostOf, isWebAddress, mustBeAllowed, secretsOf, WEB_ADDRESS } from './wire/egress.ts';
import { createPoster, TOTAL_MS, type Poster } from './wire/post-json.ts';
import { httpNotifier } from './wire/http-notifier.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const span = (least: number, most: number, byDefault: number, description: string) =>
  z
    .string()
    .default(formatDuration(byDefault))
    .transform((written, context) => {
      const ms = parseDuration(written.trim());
      if (ms !== undefined && ms >= least && ms <= most) return ms;
      const message = `must be a duration from ${formatDuration(least)} to ${formatDuration(most)}, such as 60s`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ description });

const config = z
  .strictObject({
    url: z
      .string()
      .refine((text) => isWebAddress(text) && !/[?#]/.test(text), `${WEB_ADDRESS}, without a query`)
      .meta({
        description: 'The server, with its path prefix where it has one; `/api/v2/alerts` is added.',
        examples: ['http://127.0.0.1:9093'],
      }),
    token: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: 'A bearer token, if a proxy before the server requires one.',
        examples: [{ env: 'AM_TOKEN' }],
      }),
    user: z.string().min(1).optional().describe('The name for basic authentication.'),
    password: z.string().min(1).optional().describe('The password for basic authentication.'),
    refresh: span(1000, HOUR_MS, MINUTE_MS, 'The interval at which all open alerts are posted again.'),
    hold: span(MINUTE_MS, 30 * DAY_MS, DAY_MS, 'The time that an alert stays open when it is not posted any more.'),
    allow: Allow,
  })
  .superRefine(mustBeAllowed('url', ({ url }) => hostOf(url)))
  .superRefine(({ refresh, hold, token, user, password }, context) => {
    const complain = (path: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [path], message });
    };
    if (refresh >= hold) complain('refresh', 'must be shorter than `hold`: an alert would end between two refreshes');
    if ((user === undefined) !== (password === undefined))
      complain(user === undefined ? 'password' : 'user', '`user` and `password` belong together');
    if (token !== undefined && user !== undefined) complain('token', 'cannot be combined with `user` and `password`');
  });

type AlertmanagerConfig = z.infer<typeof config>;

export const alertmanager = alertmanagerWith({ totalMs: TOTAL_MS });

export function alertmanagerWith({ totalMs }: { readonly totalMs: number }): Notifier<AlertmanagerConfig> {
  const channel = httpNotifier<AlertmanagerConfig>({
    totalMs,
    type: 'alertmanager',
    summary: 'Posts all open alerts to a Prometheus Alertmanager, again and again.',
    unit: 'alert',
    idempotent: true,
    readBy: 'machines',
    config,
    secrets: ['url', 'token', 'user', 'password'],
    warnings: ({ url }) => addressWarnings(url),
    secretsIn,
    senderOf:
      (to, poster, { clock }) =>
      ({ members }, _attempt, signal) => {
        const now = clock.now();
        const shown = { startsAt: now, endsAt: now + EVENT_SHOWN_MS };
        const alerts = members.map(({ message }) => ({ message, labels: labelsOfMessage(message), shown }));
        return poster.postJson(callOf(alerts, to), signal);
      },
  });
  return {
    ...channel,
    // The receiver has no pending deliveries: an alert that it refuses now is posted again at the next refresh.
    recipients: () => [],
    mirror: {
      timesOf: ({ refresh, hold }) => ({ refreshMs: refresh, holdMs: hold }),
      open(to, tools) {
        const poster = createPoster({ tools, totalMs, allow: to.allow, secrets: secretsIn(to) });
        return createMirror(to, poster);
      },
    },
  };
}

function secretsIn({ url, token, user, password }: AlertmanagerConfig): string[] {
  const login = user === undefined || password === undefined ? [] : [user, password, basic(user, password)];
  return [...secretsOf(url), ...(token === undefined ? [] : [token]), ...login];
}

function basic(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}

/** The largest number of alerts in one call. */
const MOST_ALERTS = 200;

function createMirror(to: AlertmanagerConfig, poster: Poster): OpenMirror {
  /**
   * The alerts that the server refused when they were posted singly. They come after the others, so that these need not
   * wait.
   */
  let refused: ReadonlySet<string> = new Set();

  async function post(alerts: readonly ShownAlert[], signal: AbortSignal): Promise<ReceiverAnswer | Outcome> {
    return poster.exchange(callOf(alerts, to), signal);
  }

  /**
   * One outcome for each alert. If the server rejects one alert of a call, it keeps either none of the call's alerts or
   * all others. So they are then posted singly.
   */
  async function postAll(alerts: readonly ShownAlert[], signal: AbortSignal): Promise<Outcome[]> {
    const end = await post(alerts, signal);
    if (alerts.length === 1 || !isDisliked(end)) return alerts.map(() => poster.outcomeOf(end));
    const outcomes: Outcome[] = [];
    for (const alert of alerts) outcomes.push(poster.outcomeOf(await post([alert], signal)));
    return outcomes;
  }

  return {
    async show(alerts, signal) {
      const outcomeByAlert = new Map<ShownAlert, Outcome>();
      const batches = [...chunks(alerts.filter((one) => !refused.has(nameOf(one)))), ...single(alerts, refused)];
      for (const batch of batches) {
        const outcomes = await postAll(batch, signal);
        for (const [i, one] of batch.entries()) outcomeByAlert.set(one, outcomes[i] ?? NOT_POSTED);
        // The receiver does not answer, or refuses the caller: the other alerts are tried at the next refresh.
        if (outcomes.every(({ type }) => type === 'again' || type === 'unknown')) break;
      }
      const all = alerts.map((one) => outcomeByAlert.get(one) ?? NOT_POSTED);
      refused = new Set(alerts.filter((_one, i) => all[i]?.type === 'rejected').map(nameOf));
      return all;
    },
    [Symbol.asyncDispose]: () => poster[Symbol.asyncDispose](),
  };
}

const NOT_POSTED: Outcome = { type: 'again', why: 'not posted: the call before was not taken' };

function isDisliked(end: ReceiverAnswer | Outcome): boolean {
  return end.type === 'answered' && (end.status === 400 || end.status === 422);
}

function nameOf({ message: { key, seq }, labels }: ShownAlert): string {
  return `${key} ${seq} ${labels['severity'] ?? ''}`;
}

function* chunks(alerts: readonly ShownAlert[]): Generator<readonly ShownAlert[]> {
  for (let i = 0; i < alerts.length; i += MOST_ALERTS) yield alerts.slice(i, i + MOST_ALERTS);
}

function single(alerts: readonly ShownAlert[], refused: ReadonlySet<string>): ShownAlert[][] {
  return alerts.filter((one) => refused.has(nameOf(one))).map((one) => [one]);
}

function callOf(alerts: readonly ShownAlert[], to: AlertmanagerConfig) {
  const { url, token, user, password } = to;
  const authorization =
    token !== undefined
      ? `Bearer ${token}`
      : user !== undefined && password !== undefined
        ? `Basic ${basic(user, password)}`
        : null;
  return {
    url: `${url.replace(/\/+$/, '')}/api/v2/alerts`,
    body: JSON.stringify(alerts.map(alertOf)),
    headers: authorization === null ? {} : { authorization },
  };
}

function alertOf({ message, labels, shown, page: ownPage = null }: ShownAlert) {
  const lines = linesOf(message);
  const page = ownPage ?? lines.links.find(({ label }) => label !== RUNBOOK)?.url;
  return {
    labels: labelsFor(message, labels),
    annotations: annotationsOf(message, lines),
    startsAt: showInstant(shown.startsAt),
    endsAt: showInstant(shown.endsAt),
    ...(page === undefined ? {} : { generatorURL: page }),
  };
}

/** Names that every release accepts. */
const CLASSIC_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Two alerts with the same labels would be one, so the key is added. */
function labelsFor({ watch, alert, key }: Message, labels: ShownAlert['labels']): Record<string, string> {
  const own = Object.entries(labels).filter(([name]) => CLASSIC_NAME.test(name));
  return {
    alertname: ours(`${watch}/${alert}`),
    ...Object.fromEntries(own.map(([name, value]) => [name, ours(value)])),
    chainwarden_key: key,
  };
}

/** In bytes. Templates of mails and chats show annotations in full, so a description must not be too long. */
const LARGEST_DESCRIPTION = 4000;

function linesOf(message: Message): MessageLines {
  const { key, at } = message;
  const to = { channel: '', recipient: '' };
  const alone: Delivery = { id: key, ...to, kind: 'news', at, members: [newsOf(message)], more: [] };
  return fitted(toLines(alone, { maybeCopy: false }), LARGEST_DESCRIPTION, SIZES);
}

const SIZES: Sizes = { line: ({ text }) => Buffer.byteLength(text) + 1, link: () => 0, alert: () => 0 };

function annotationsOf(message: Message, lines: MessageLines): Record<string, string> {
  const { lead, text, facts } = lines;
  const runbook = linkTo(RUNBOOK, lines);
  const description = [...lead, ...text, ...facts].map((line) => line.text).join('\n');
  return {
    summary: ours(headingOf(message)),
    ...(description === '' ? {} : { description }),
    ...(runbook === null ? {} : { runbook_url: runbook }),
  };
}
