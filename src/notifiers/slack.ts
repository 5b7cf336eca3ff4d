// Slack, in both of its forms: a bot that posts to a channel, or the incoming webhook of a channel. Everything is sent as
// plain_text blocks, in which Slack looks for no markup, mention or link; the links stand in a block of their own.
import { z } from 'zod';
import type { Notifier } from './notifier.ts';
import { alertText, ourLine, type ListedAlert } from './rendering/content.ts';
import { fitted, toLines, type Line, type Lines, type Sizes } from './rendering/lines.ts';
import { jsonOf, type Answer, type ReadAnswer, type Reading } from './wire/answers.ts';
import { Allow, mustBeAllowed } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS, type JsonCall } from './wire/post-json.ts';
import { addressWarnings, hostOf, isWebAddress, secretsOf, WEB_ADDRESS } from './wire/web-address.ts';

/** A text object holds 3,000 characters, all blocks about 13,000 (undocumented); the fallback takes as much again. */
const MOST_CHARACTERS = 2900;
/** Alerts stand in as many blocks as they need. */
const MOST_OF_SEVERAL = 6000;
/** Slack repeats the message in its answer. */
const MOST_ANSWER_BYTES = 64 * 1024;

const config = z
  .strictObject({
    token: z
      .string()
      .regex(/^xox[a-z]-[\w-]{8,}$/, 'must be a token such as xoxb-…')
      .optional()
      .meta({
        description: 'The token of a bot with the scope `chat:write`: `xoxb-…`. Needs `channel`.',
        examples: [{ env: 'SLACK_TOKEN' }],
      }),
    channel: z
      .string()
      .regex(/^[CDGU][A-Z0-9]{4,}$/, 'must be the id of a channel such as C0123ABCD, not its name')
      .optional()
      .describe('The id of the channel that the bot posts to, such as `C0123ABCD`. The bot must be a member of it.'),
    url: z
      .string()
      .refine(isWebAddress, WEB_ADDRESS)
      .optional()
      .describe('An incoming webhook, in place of `token` and `channel`. It is a secret; messages name the host only.'),
    allow: Allow,
  })
  .superRefine(mustBeAllowed('url', ({ url }) => (url === undefined ? undefined : hostOf(url))))
  .superRefine(({ token, channel, url }, context) => {
    const isBot = token !== undefined && channel !== undefined && url === undefined;
    const isHook = token === undefined && channel === undefined && url !== undefined;
    if (!isBot && !isHook) context.addIssue('must have either `token` and `channel`, or `url`');
  });

type SlackConfig = z.infer<typeof config>;

export const slack = slackWith({ totalMs: TOTAL_MS, api: 'https://slack.com/api/chat.postMessage' });

export function slackWith({ totalMs, api }: { totalMs: number; api: string }): Notifier<SlackConfig> {
  return httpNotifier({
    totalMs,
    type: 'slack',
    summary: 'Posts each alert to a Slack channel, as a bot or through an incoming webhook.',
    unit: 'group',
    idempotent: false,
    readBy: 'people',
    config,
    secrets: ['token', 'url'],
    mostAnswerBytes: MOST_ANSWER_BYTES,
    warnings: ({ url }) => (url === undefined ? [] : addressWarnings(url)),
    secretsIn: ({ url, token = '' }) => (url === undefined ? [token] : secretsOf(url)),
    senderOf(to, poster) {
      const { url, headers, around, read } = placeOf(to, api);
      const callOf = (body: object): JsonCall => ({ url, headers, body: JSON.stringify({ ...around, ...body }) });

      return async (delivery, attempt, signal) => {
        const all = toLines(delivery, attempt);
        const lines = fitted(all, all.alerts.length > 0 ? MOST_OF_SEVERAL : MOST_CHARACTERS, SIZES);
        const answer = await poster.exchange(callOf(withBlocks(lines)), signal);
        // Told as bare text rather than not at all.
        if (answer.type !== 'answered' || !areBlocksRefused(answer)) return poster.outcomeOf(answer, read);
        return poster.postJson(callOf(asText(lines)), signal, read);
      };
    },
  });
}

/** Where messages are posted to. The two forms differ in what stands around a message, and in how they answer. */
interface Place {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly around: { readonly channel?: string | undefined };
  readonly read: ReadAnswer;
}

function placeOf({ url, token = '', channel }: SlackConfig, api: string): Place {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  if (url !== undefined) return { url, headers, around: {}, read: readHook };
  const asBot = { ...headers, authorization: `Bearer ${token}` };
  return { url: api, headers: asBot, around: { channel }, read: readBot };
}

function withBlocks(lines: Lines): object {
  const { headline, lead, alerts, links, text, facts } = lines;
  const below = [...text, ...facts];
  const blocks = [
    plainBlock([ourLine(headline), ...lead]),
    ...inPieces(alerts.map(alertLine)).map(markedBlock),
    ...(links.length === 0 ? [] : [markedBlock(links.map((link) => `<${escaped(link)}>`))]),
    ...(below.length === 0 ? [] : [plainBlock(below)]),
  ];
  return { ...asText({ ...lines, alerts: [] }), blocks };
}

/** What notifications show. It is markup unless switched off, so it is escaped besides. */
function asText({ headline, lead, alerts, links }: Lines): object {
  const lines = [headline, ...lead.map(plainText), ...alerts.map(bareAlert), ...links];
  // Nothing is unfurled: Slack would ask the pages for a preview.
  return { text: escaped(lines.join('\n')), mrkdwn: false, unfurl_links: false, unfurl_media: false };
}

function plainBlock(lines: readonly Line[]): object {
  return { type: 'section', text: { type: 'plain_text', emoji: false, text: lines.map(plainText).join('\n') } };
}

function markedBlock(lines: readonly string[]): object {
  return { type: 'section', text: { type: 'mrkdwn', verbatim: true, text: lines.join('\n') } };
}

/** As many lines to a block as it holds. */
function inPieces(lines: readonly string[]): string[][] {
  const pieces: string[][] = [];
  let room = 0;
  for (const line of lines) {
    const size = line.length + 1;
    const piece = pieces.at(-1);
    if (piece === undefined || size > room) {
      pieces.push([line]);
      room = MOST_CHARACTERS - size;
    } else {
      piece.push(line);
      room -= size;
    }
  }
  return pieces;
}

function alertLine({ subject, aside, link }: ListedAlert): string {
  const shown = unmarked(subject);
  return `${link === null ? shown : `<${escaped(link)}|${shown}>`} ${unmarked(`(${aside})`)}`;
}

function bareAlert(alert: ListedAlert): string {
  return alert.link === null ? alertText(alert) : `${alertText(alert)} ${alert.link}`;
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '*': '\u2217',
  '~': '\u223c',
  '`': '\u02cb',
  '|': '\u2223',
  _: '\u02cd',
};

// Markup has no escape there: what would be some is shown as a character that looks like it. A line that stands within a
// name is none.
function unmarked(text: string): string {
  return escaped(text).replace(/[*~`|]|\b_|_\b/g, (mark) => LOOK_ALIKES[mark] ?? mark);
}

const SIZES: Sizes = {
  line: (text) => escaped(text).length + 1,
  link: (url) => escaped(url).length + 3,
  alert: (alert) => alertLine(alert).length + 1,
};

// Should any program read plain text as markup after all, a stranger's text has nothing that opens a mention or a link.
function plainText({ text, strange }: Line): string {
  return strange ? text.replaceAll('<', '\u2039').replaceAll('>', '\u203a') : text;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function areBlocksRefused(answer: Answer): boolean {
  return ['msg_blocks_too_long', 'invalid_blocks', 'invalid_blocks_format'].includes(
    botErrorOf(answer) ?? answer.text.trim(),
  );
}

const BotAnswer = z.object({ ok: z.boolean(), error: z.string().optional() });

function botErrorOf(answer: Answer): string | undefined {
  return BotAnswer.safeParse(jsonOf(answer)).data?.error;
}

const AGAIN = /^(?:ratelimited|rate_limited|service_unavailable|request_timeout|team_added_to_org|org_login_required)$/;
const AUTH =
  /^(?:not_in_channel|restricted_action.*|missing_scope|no_permission|access_denied|ekm_access_denied|team_access_not_granted|channel_not_found|is_archived|token_(?:expired|revoked)|invalid_auth|not_authed|account_inactive|not_allowed_token_type)$/;
/** It may have half succeeded. */
const UNKNOWN = /^(?:fatal_error|internal_error)$/;

/** The status is 200 whatever came of it; the words decide. */
function readBot(answer: Answer): Reading | undefined {
  if (!isGood(answer)) return undefined;
  const { data } = BotAnswer.safeParse(jsonOf(answer));
  if (data?.ok === true) return { as: 'sent', says: 'posted' };
  const error = data?.error;
  if (error === undefined || UNKNOWN.test(error)) return { as: 'unknown' };
  if (AGAIN.test(error)) return { as: 'again' };
  return { as: AUTH.test(error) ? 'auth' : 'rejected' };
}

function readHook(answer: Answer): Reading | undefined {
  return isGood(answer) ? { as: answer.text.trim() === 'ok' ? 'sent' : 'unknown' } : undefined;
}

function isGood({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}
