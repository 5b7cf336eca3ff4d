// The services behind the channels, as their vendors publish them: which calls they take, and what they answer then. Each
// is served on the loopback. A call that the vendor would refuse is answered with 400 and kept in `refused`.
import { z } from 'zod';
import { alertmanagerWith } from '../../src/notifiers/alertmanager.ts';
import { discordWith } from '../../src/notifiers/discord.ts';
import { ntfyWith } from '../../src/notifiers/ntfy.ts';
import type { NotifierTools, OpenNotifier } from '../../src/notifiers/notifier.ts';
import { pagerdutyWith } from '../../src/notifiers/pagerduty.ts';
import { slackWith } from '../../src/notifiers/slack.ts';
import { teamsWith } from '../../src/notifiers/teams.ts';
import { telegramWith } from '../../src/notifiers/telegram.ts';
import { webhookWith } from '../../src/notifiers/webhook.ts';
import { LOOPBACK } from './samples.ts';
import { createWebhookSink, status, type Answer, type WebhookCall, type WebhookSink } from '../support/sinks.ts';

export interface Service {
  readonly name: string;
  /** Where it is called, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: z.ZodType;
  /** Another call that it takes: how a message is changed, or what is no message. */
  readonly edit?: { readonly path: RegExp; readonly method: 'POST' | 'PATCH'; readonly body: z.ZodType };
  readonly thanks: Answer;
  /** It says in its answer whether it took the message: a good status alone is not enough. */
  readonly saysWhether: boolean;
  open(origin: string, tools: NotifierTools, totalMs: number): OpenNotifier;
}

export const SLACK_TOKEN = `xoxb-${'7'.repeat(24)}`;
export const TELEGRAM_TOKEN = `123456:${'a'.repeat(35)}`;
export const DISCORD_PATH = `/api/webhooks/123456789012345678/${'d'.repeat(60)}`;
export const PAGERDUTY_KEY = 'e'.repeat(32);
const HOOK_PATH = '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX';
const FLOW_PATH = '/workflows/0123456789abcdef/triggers/manual/paths/invoke?sig=flow-signature';

const json = (body: unknown, code = 200): Answer =>
  status(code, { 'content-type': 'application/json' }, JSON.stringify(body));

/** A text of at most so many UTF-16 units, and not empty. */
const text = (most: number) => z.string().min(1).max(most);
const bytes = (most: number) => z.string().refine((value) => Buffer.byteLength(value) <= most, `over ${most} bytes`);
const link = z.url({ protocol: /^https?$/ });

const slackPlain = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: text(most), emoji: z.boolean().optional() });
const slackBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: slackPlain(150) }),
  z.strictObject({
    type: z.literal('section'),
    text: z.discriminatedUnion('type', [
      slackPlain(3000),
      z.strictObject({ type: z.literal('mrkdwn'), text: text(3000), verbatim: z.boolean().optional() }),
    ]),
  }),
]);
const SLACK_TS = /^\d{10}\.\d{6}$/;
const slackBlocks = z
  .array(slackBlock)
  .min(1)
  .max(50)
  .refine((blocks) => JSON.stringify(blocks).length < 13_200, 'msg_blocks_too_long');
const slackAttachments = z
  .array(z.strictObject({ color: z.string().regex(/^#[0-9a-f]{6}$/), blocks: slackBlocks }))
  .max(20);
const slackMessage = z.strictObject({
  channel: z.string().optional(),
  text: text(40_000),
  mrkdwn: z.boolean().optional(),
  unfurl_links: z.literal(false),
  unfurl_media: z.literal(false),
  thread_ts: z.string().regex(SLACK_TS).optional(),
  reply_broadcast: z.literal(true).optional(),
  blocks: slackBlocks.optional(),
  attachments: slackAttachments.optional(),
});
const slackEdit = z.strictObject({
  channel: z.string(),
  ts: z.string().regex(SLACK_TS),
  parse: z.literal('none'),
  text: text(40_000),
  blocks: slackBlocks,
  attachments: slackAttachments,
});

const marked = { offset: z.int(), length: z.int().positive() };
const telegramEntity = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['bold', 'code', 'pre']), ...marked }),
  z.strictObject({ type: z.literal('text_link'), ...marked, url: link }),
]);
const telegramText = {
  chat_id: z.union([z.int(), z.string().startsWith('@')]),
  text: text(4096),
  entities: z.array(telegramEntity).max(100),
  link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
  reply_markup: z
    .strictObject({
      inline_keyboard: z.array(
        z
          .array(z.strictObject({ text: text(64), url: link }))
          .min(1)
          .max(8),
      ),
    })
    .optional(),
};
const isInside = ({ text, entities }: { text: string; entities: readonly { offset: number; length: number }[] }) =>
  entities.every(({ offset, length }) => offset + length <= text.length);
const telegramMessage = z
  .strictObject({
    ...telegramText,
    message_thread_id: z.int().optional(),
    reply_parameters: z.strictObject({ message_id: z.int(), allow_sending_without_reply: z.literal(true) }).optional(),
  })
  .refine(isInside, 'outside');
const telegramEdit = z.strictObject({ ...telegramText, message_id: z.int() }).refine(isInside, 'outside');

const discordMessage = z.strictObject({
  content: text(2000),
  embeds: z
    .array(z.strictObject({ color: z.int().min(0).max(0xffffff), description: text(4096) }))
    .max(10)
    .refine((embeds) => embeds.reduce((sum, { description }) => sum + description.length, 0) <= 6000),
  allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
  thread_name: text(100).optional(),
});

const textBlock = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string().min(1),
  wrap: z.literal(true),
  weight: z.enum(['bolder', 'default', 'lighter']).optional(),
  size: z.enum(['default', 'small', 'medium', 'large']).optional(),
  color: z.enum(['default', 'accent', 'good', 'warning', 'attention']).optional(),
  isSubtle: z.boolean().optional(),
  // Since version 1.2 of the cards.
  fontType: z.enum(['default', 'monospace']).optional(),
  spacing: z.enum(['none', 'small', 'default']).optional(),
});
const teamsMessage = z
  .strictObject({
    type: z.literal('message'),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.enum(['1.0', '1.1', '1.2', '1.3', '1.4']),
          body: z.array(textBlock).min(1),
          actions: z
            .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: link }))
            .max(6)
            .optional(),
        }),
      }),
    ]),
  })
  .refine((body) => Buffer.byteLength(JSON.stringify(body)) <= 20_000, 'over 20 kB');

const incident = { routing_key: z.string().length(32), dedup_key: text(255) };
const pagerdutyEvent = z.discriminatedUnion('event_action', [
  z.strictObject({ ...incident, event_action: z.enum(['acknowledge', 'resolve']) }),
  z.strictObject({
    ...incident,
    event_action: z.literal('trigger'),
    client: z.string().optional(),
    client_url: link.optional(),
    links: z.array(z.strictObject({ href: link, text: z.string() })).optional(),
    payload: z.strictObject({
      summary: text(1024),
      source: z.string().min(1),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime().optional(),
      component: z.string().optional(),
      group: z.string().optional(),
      class: z.string().optional(),
      custom_details: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
]);

const pagerdutyChange = z.strictObject({
  routing_key: z.string().length(32),
  payload: z.strictObject({
    summary: text(1024),
    source: z.string().optional(),
    timestamp: z.iso.datetime().optional(),
    custom_details: z.record(z.string(), z.unknown()).optional(),
  }),
  links: z.array(z.strictObject({ href: link, text: z.string() })).optional(),
});

const ntfyMessage = z
  .strictObject({
    topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/),
    title: bytes(1024),
    message: bytes(4096).min(1),
    priority: z.int().min(1).max(5),
    tags: z.array(z.string()).refine((tags) => Buffer.byteLength(tags.join(',')) <= 512),
    sequence_id: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/),
    click: link.optional(),
    actions: z
      .array(z.strictObject({ action: z.literal('view'), label: z.string(), url: link }))
      .max(3)
      .optional(),
  })
  .refine((body) => Buffer.byteLength(JSON.stringify(body)) <= 8192, 'over 8,192 bytes');

/** `postableAlerts` of the API v2, with the names that every release takes. */
const classicName = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/);
export const postableAlerts = z.array(
  z
    .strictObject({
      labels: z.record(classicName, z.string()).refine((labels) => Object.values(labels).some((value) => value !== '')),
      annotations: z.record(classicName, z.string()).optional(),
      startsAt: z.iso.datetime().optional(),
      endsAt: z.iso.datetime().optional(),
      generatorURL: link.optional(),
    })
    .refine(({ startsAt, endsAt }) => startsAt === undefined || endsAt === undefined || startsAt <= endsAt),
);

export const SERVICES: readonly Service[] = [
  {
    name: 'alertmanager',
    path: '/prefix/api/v2/alerts',
    headers: { authorization: `Basic ${Buffer.from('warden:a-password').toString('base64')}` },
    body: postableAlerts,
    thanks: status(200),
    saysWhether: false,
    open: (origin, tools, totalMs) =>
      alertmanagerWith({ totalMs }).open(
        {
          url: `${origin}/prefix/`,
          user: 'warden',
          password: 'a-password',
          token: undefined,
          refresh: 60_000,
          hold: 86_400_000,
          allow: LOOPBACK,
        },
        tools,
      ),
  },
  {
    name: 'slack bot',
    path: '/api/chat.postMessage',
    headers: { authorization: `Bearer ${SLACK_TOKEN}`, 'content-type': 'application/json; charset=utf-8' },
    body: slackMessage.required({ channel: true }),
    edit: { path: /^\/api\/chat\.update$/, method: 'POST', body: slackEdit },
    thanks: json({ ok: true, channel: 'C0123ABCD', ts: '1700000000.000100', message: { text: 'x'.repeat(6000) } }),
    saysWhether: true,
    open: (origin, tools, totalMs) =>
      slackWith({ totalMs, api: `${origin}/api` }).open(
        { token: SLACK_TOKEN, channel: 'C0123ABCD', allow: LOOPBACK },
        tools,
      ),
  },
  {
    name: 'slack webhook',
    path: HOOK_PATH,
    body: slackMessage.omit({ channel: true, thread_ts: true, reply_broadcast: true }),
    thanks: status(200, {}, 'ok'),
    saysWhether: true,
    open: (origin, tools, totalMs) =>
      slackWith({ totalMs, api: origin }).open({ url: origin + HOOK_PATH, allow: LOOPBACK }, tools),
  },
  {
    name: 'telegram',
    path: `/bot${TELEGRAM_TOKEN}/sendMessage`,
    body: telegramMessage,
    edit: { path: /\/editMessageText$/, method: 'POST', body: telegramEdit },
    thanks: json({ ok: true, result: { message_id: 7, text: 'x'.repeat(6000) } }),
    saysWhether: true,
    open: (origin, tools, totalMs) =>
      telegramWith({ totalMs, api: origin }).open(
        { token: TELEGRAM_TOKEN, chat: '-1001234567890', allow: LOOPBACK },
        tools,
      ),
  },
  {
    name: 'discord',
    path: `${DISCORD_PATH}?wait=true`,
    headers: { 'user-agent': 'chainwarden/0.1.0' },
    body: discordMessage,
    edit: {
      path: new RegExp(`^${DISCORD_PATH}/messages/\\d+(?:\\?thread_id=\\d+)?$`),
      method: 'PATCH',
      body: discordMessage.omit({ thread_name: true }),
    },
    thanks: json({ id: '1234567890', content: 'x'.repeat(6000) }),
    saysWhether: false,
    open: (origin, tools, totalMs) =>
      discordWith({ totalMs }).open({ url: origin + DISCORD_PATH, allow: LOOPBACK }, tools),
  },
  {
    name: 'teams',
    path: FLOW_PATH,
    body: teamsMessage,
    thanks: status(202),
    saysWhether: false,
    open: (origin, tools, totalMs) => teamsWith({ totalMs }).open({ url: origin + FLOW_PATH, allow: LOOPBACK }, tools),
  },
  {
    name: 'pagerduty',
    path: '/v2/enqueue',
    body: pagerdutyEvent,
    edit: { path: /^\/v2\/change\/enqueue$/, method: 'POST', body: pagerdutyChange },
    thanks: json({ status: 'success', message: 'Event processed', dedup_key: 'k' }, 202),
    saysWhether: false,
    open: (origin, tools, totalMs) =>
      pagerdutyWith({ totalMs, hosts: { us: origin, eu: 'https://eu.example' } }).open(
        { routing_key: PAGERDUTY_KEY, region: 'us', allow: LOOPBACK },
        tools,
      ),
  },
  {
    name: 'ntfy',
    path: '/',
    headers: { authorization: 'Bearer tk_0123456789abcdef' },
    body: ntfyMessage,
    thanks: json({ id: 'm1', event: 'message' }),
    saysWhether: false,
    open: (origin, tools, totalMs) =>
      ntfyWith({ totalMs }).open(
        { url: origin, topic: 'our-alerts', token: 'tk_0123456789abcdef', allow: LOOPBACK },
        tools,
      ),
  },
  {
    name: 'webhook',
    path: '/hook',
    body: z.strictObject({ type: z.string(), timestamp: z.iso.datetime(), data: z.record(z.string(), z.unknown()) }),
    thanks: status(204),
    saysWhether: false,
    open: (origin, tools, totalMs) => webhookWith({ totalMs }).open({ url: `${origin}/hook`, allow: LOOPBACK }, tools),
  },
];

export interface ServedService extends WebhookSink {
  /** What the vendor would have refused, and why. */
  readonly refused: readonly string[];
}

export async function serve(service: Service): Promise<ServedService> {
  const refused: string[] = [];
  const sink = await createWebhookSink((response, call) => {
    const fault = faultOf(service, call);
    if (fault === null) service.thanks(response, call);
    else {
      refused.push(fault);
      status(400, {}, fault)(response, call);
    }
  });
  return { ...sink, refused };
}

function faultOf({ path, headers = {}, body, edit }: Service, call: WebhookCall): string | null {
  const isEdit = edit !== undefined && edit.method === call.method && edit.path.test(call.path);
  const isPost = call.method === 'POST' && call.path.replace(/&thread_id=\d+$/, '') === path;
  if (!isEdit && !isPost) return `${call.method} ${call.path}`;
  const wrong = Object.entries(headers).find(([name, value]) => call.headers[name] !== value);
  if (wrong !== undefined) return `header ${wrong[0]}: ${String(call.headers[wrong[0]])}`;
  const { error } = (isEdit ? edit.body : body).safeParse(JSON.parse(call.body));
  return error === undefined ? null : z.prettifyError(error);
}

/** `serviceNamed('telegram')` */
export function serviceNamed(name: string): Service {
  const found = SERVICES.find((service) => service.name === name);
  if (found === undefined) throw new Error(`no service ${name}`);
  return found;
}
