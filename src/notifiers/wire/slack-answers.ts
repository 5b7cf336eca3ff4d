// Answers of Slack: to a bot in JSON, to an incoming webhook in words.
import { z } from 'zod';
import type { Receipt } from '../../core/model/delivery.ts';
import { jsonOf, type ReceiverAnswer, type AnswerReading } from './answers.ts';

/** True if Slack may accept the message as bare text. */
export function areBlocksRefused(answer: ReceiverAnswer): boolean {
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

export function isThreadGone(answer: ReceiverAnswer): boolean {
  return NO_THREAD.test(botErrorOf(answer) ?? '');
}

/** The place of a message: its channel, and its number there. */
export type Posted = Pick<z.infer<typeof BotAnswer>, 'channel' | 'ts'>;

/** Errors after which the message may have been posted nevertheless. */
const UNKNOWN = /^(?:fatal_error|internal_error)$/;

/**
 * The meaning of an answer to a bot. Slack uses status 200 for errors too. `receiptOf` makes the receipt of the posted
 * message.
 */
export function readBot(
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

export function readHook(answer: ReceiverAnswer): AnswerReading | undefined {
  return isGood(answer) ? { as: answer.text.trim() === 'ok' ? 'sent' : 'unknown' } : undefined;
}

function isGood({ status }: ReceiverAnswer): boolean {
  return status >= 200 && status < 300;
}
