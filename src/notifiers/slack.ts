// Slack, in both of its forms: a bot that posts to a channel, or the incoming webhook of a channel.
import { z } from 'zod';
import { SEVERITY_RAISED, type Attempt, type Delivery, type Outcome, type Receipt } from '../core/model/delivery.ts';
import type { Notifier, OpenNotifier } from './notifier.ts';
import { toLines, type AllLines, type MessageLines } from './rendering/lines.ts';
import { bareText, blocksOf, fittedForSlack, NO_PREVIEW } from './rendering/slack-blocks.ts';
import { jsonOf, type AnswerReading, type ReceiverAnswer } from './wire/answers.ts';
import { addressWarnings, Allow, hostOf, isWebAddress, mustBeAllowed, secretsOf, WEB_ADDRESS } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS, type JsonCall, type Poster } from './wire/post-json.ts';
import {
  changeOwn,
  changeRoot,
  isEnd,
  newRoot,
  ownMessages,
  receiptOf,
  rootOf,
  upToDate,
  type OwnMessage,
  type Root,
} from './wire/roots.ts';

/** Slack repeats the whole message in its answer, so answers may be this long. */
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

export const slack = slackWith({ totalMs: TOTAL_MS, api: 'https://slack.com/api' });

export function slackWith({ totalMs, api }: { totalMs: number; api: string }): Notifier<SlackConfig> {
  return httpNotifier({
    totalMs,
    pace: { most: 10, inMs: 10_000 },
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
      return to.url === undefined ? botSender(to, api, poster) : hookSender(to.url, poster);
    },
  });
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** An incoming webhook posts a new message each time, because it does not learn the ids of its messages. */
function hookSender(url: string, poster: Poster): OpenNotifier['send'] {
  return async (delivery, attempt, signal) => {
    const lines = fittedForSlack(toLines(delivery, attempt));
    const callOf = (body: object): JsonCall => ({
      url,
      headers: HEADERS,
      body: JSON.stringify({ ...body, ...NO_PREVIEW }),
    });
    const answer = await poster.exchange(callOf(blocksOf(lines)), signal);
    // Refused blocks are sent again as bare text.
    if (answer.type !== 'answered' || !areBlocksRefused(answer)) return poster.outcomeOf(answer, readHook);
    return poster.postJson(callOf({ text: bareText(lines) }), signal, readHook);
  };
}

/** A bot edits its first message about an alert and answers it with the new facts. */
function botSender({ token = '', channel = '' }: SlackConfig, api: string, poster: Poster): OpenNotifier['send'] {
  const headers = { ...HEADERS, authorization: `Bearer ${token}` };
  const callOf = (method: string, body: object): JsonCall => ({
    url: `${api}/${method}`,
    headers,
    body: JSON.stringify(body),
  });

  async function edit(lines: AllLines, root: Root, signal: AbortSignal): Promise<ReceiverAnswer | Outcome> {
    const body = {
      channel: root.inside ?? channel,
      ts: root.id,
      parse: 'none',
      ...blocksOf(fittedForSlack(lines)),
    };
    // The result of the edit is ignored: the new facts are in the answer that follows.
    return poster.exchange(callOf('chat.update', body), signal);
  }

  async function post(body: object, lines: MessageLines, signal: AbortSignal): Promise<ReceiverAnswer | Outcome> {
    const around = { channel, ...body, ...NO_PREVIEW };
    const answer = await poster.exchange(callOf('chat.postMessage', { ...around, ...blocksOf(lines) }), signal);
    if (answer.type !== 'answered' || !areBlocksRefused(answer)) return answer;
    return poster.exchange(callOf('chat.postMessage', { ...around, text: bareText(lines) }), signal);
  }

  /**
   * A message about several alerts goes to the channel. So each end in it is also posted in the thread of its alert.
   */
  async function answerEnds(own: readonly OwnMessage[], attempt: Attempt, signal: AbortSignal): Promise<void> {
    for (const { root, delivery } of own.filter((one) => one.delivery.members.every(isEnd)))
      await post(
        { channel: root.inside ?? channel, thread_ts: root.id },
        fittedForSlack(upToDate(delivery, attempt)),
        signal,
      );
  }

  return async (delivery, attempt, signal) => {
    const lines = fittedForSlack(toLines(delivery, attempt));
    const root = rootOf(delivery, attempt, channel);
    const own = ownMessages(delivery, attempt, channel);
    await changeOwn(own, (one) => edit(upToDate(one.delivery, attempt), one.root, signal));
    await changeRoot(root, delivery, (former) => edit(upToDate(delivery, attempt), former, signal));
    const read = (to: Root | null) => (answer: ReceiverAnswer) =>
      readBot(answer, ({ channel: inside = null, ts: id }) =>
        receiptOf(to ?? newRoot(delivery, { place: channel, inside, id })),
      );
    if (root === null) {
      const outcome = poster.outcomeOf(await post({}, lines, signal), read(null));
      // If the message failed, it is tried again later together with these answers. Answers that are sent now would
      // appear twice.
      if (outcome.type === 'sent') await answerEnds(own, attempt, signal);
      return outcome;
    }
    const broadcast = isForAll(delivery) ? { reply_broadcast: true } : {};
    const answer = await post({ channel: root.inside ?? channel, thread_ts: root.id, ...broadcast }, lines, signal);
    if (answer.type !== 'answered' || !isThreadGone(answer)) return poster.outcomeOf(answer, read(root));
    return poster.outcomeOf(await post({}, lines, signal), read(null));
  };
}

/**
 * Only the readers of a thread see an answer in it. So an end, a repeat, a raised severity or an item that is back also
 * goes to the whole channel.
 */
function isForAll({ members }: Delivery): boolean {
  return members.some(
    ({ message: { type, reason }, as }) =>
      as === 'repeat' || reason === SEVERITY_RAISED || /^alert\.(?:resolved|retracted|reinstated)$/.test(type),
  );
}

// Answers of Slack: to a bot in JSON, to an incoming webhook in words.

/** True if Slack may accept the message as bare text. */
function areBlocksRefused(answer: ReceiverAnswer): boolean {
  const error = botErrorOf(answer) ?? answer.text.trim();
  return /^(?:msg_blocks_too_long|invalid_blocks(?:_format)?|invalid_attachments|attachment_payload_limit_exceeded)$/.test(
    error,
  );
}

const BotAnswer = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  channel: z.string().optional(),
  ts: z.string().optional(),
});

function botErrorOf(answer: ReceiverAnswer): string | undefined {
  return BotAnswer.safeParse(jsonOf(answer)).data?.error;
}

const AGAIN = /^(?:ratelimited|rate_limited|service_unavailable|request_timeout|team_added_to_org|org_login_required)$/;
const AUTH =
  /^(?:not_in_channel|restricted_action.*|missing_scope|no_permission|access_denied|ekm_access_denied|team_access_not_granted|channel_not_found|is_archived|token_(?:expired|revoked)|invalid_auth|not_authed|account_inactive|not_allowed_token_type)$/;
/** The root message no longer exists, or accepts no answers. */
const NO_THREAD = /^(?:thread_not_found|message_not_found|invalid_thread_ts|cannot_reply_to_message)$/;

function isThreadGone(answer: ReceiverAnswer): boolean {
  return NO_THREAD.test(botErrorOf(answer) ?? '');
}

/** The place of a message: its channel, and its number there. */
type Posted = Pick<z.infer<typeof BotAnswer>, 'channel' | 'ts'>;

/** Errors after which the message may have been posted nevertheless. */
const UNKNOWN = /^(?:fatal_error|internal_error)$/;

/**
 * The meaning of an answer to a bot. Slack uses status 200 for errors too. `receiptOf` makes the receipt of the posted
 * message.
 */
function readBot(
  answer: ReceiverAnswer,
  receiptOf: (posted: Posted) => Receipt | undefined,
): AnswerReading | undefined {
  if (!isGood(answer)) return undefined;
  const { data } = BotAnswer.safeParse(jsonOf(answer));
  if (data?.ok === true) return { as: 'sent', says: 'posted', receipt: receiptOf(data) };
  const error = data?.error;
  if (error === undefined || UNKNOWN.test(error)) return { as: 'unknown' };
  if (AGAIN.test(error)) return { as: 'again' };
  return { as: AUTH.test(error) ? 'auth' : 'rejected' };
}

function readHook(answer: ReceiverAnswer): AnswerReading | undefined {
  return isGood(answer) ? { as: answer.text.trim() === 'ok' ? 'sent' : 'unknown' } : undefined;
}

function isGood({ status }: ReceiverAnswer): boolean {
  return status >= 200 && status < 300;
}
