// Telegram. Messages have no parse mode, so no text in them is markup; but Telegram looks for links, #tags, $tags and
// /commands in any text that is not code. Lines with untrusted text are therefore marked as code. Links are buttons.
// Telegram refuses a button to an address inside a network, and then the links are in the text.
import { z } from 'zod';
import type { Outcome, Receipt } from '../core/model/delivery.ts';
import type { Notifier } from './notifier.ts';
import { alertText, tablesApart, type Link, type ListedAlert, type TextLine } from './rendering/content.ts';
import { fitted, linkText, toLines, type AllLines, type MessageLines, type Sizes } from './rendering/lines.ts';
import { jsonOf, type ReceiverAnswer, type AnswerReading } from './wire/answers.ts';
import { Allow } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS } from './wire/post-json.ts';
import { changeOwn, changeRoot, newRoot, ownMessages, receiptOf, rootOf, upToDate, type Root } from './wire/roots.ts';

const SECOND_MS = 1000;
/** The longest message, in UTF-16 units. Entities do not count. */
const MOST_CHARACTERS = 4096;
/** The answer of Telegram contains the whole message, so it can be this long. */
const MOST_ANSWER_BYTES = 64 * 1024;

const config = z.strictObject({
  token: z
    .string()
    .regex(/^\d{3,20}:[\w-]{20,}$/, 'must be a token of a bot such as 123456:ABC-DEF…, as @BotFather gives it')
    .meta({
      description: 'The token of the bot, as @BotFather gives it: `123456:ABC-DEF…`.',
      examples: [{ env: 'TELEGRAM_TOKEN' }],
    }),
  chat: z
    .string()
    .regex(/^(?:-?\d{1,16}|@\w{4,64})$/, 'must be the number of a chat such as -1001234567890, or @name of a channel')
    .describe('The number of the chat, such as `-1001234567890`, or `@name` of a public channel.'),
  topic: z
    .string()
    .regex(/^[1-9]\d{0,9}$/, 'must be the number of a topic')
    .optional()
    .meta({ description: 'The number of a topic in a group that has topics.', examples: ['42'] }),
  allow: Allow,
});

type TelegramConfig = z.infer<typeof config>;

export const telegram = telegramWith({ totalMs: TOTAL_MS, api: 'https://api.telegram.org' });

export function telegramWith({ totalMs, api }: { totalMs: number; api: string }): Notifier<TelegramConfig> {
  return httpNotifier({
    totalMs,
    pace: { most: 20, inMs: 60_000 },
    type: 'telegram',
    summary: 'Sends each alert to a Telegram chat through a bot.',
    unit: 'group',
    idempotent: false,
    readBy: 'people',
    config,
    secrets: ['token'],
    mostAnswerBytes: MOST_ANSWER_BYTES,
    warnings: () => [],
    // The number of the bot before the colon is public. The rest of the token is secret, and may be quoted alone.
    secretsIn: ({ token }) => [token, token.replace(/^\d+:/, '')],
    senderOf(to, poster) {
      const urlOf = (method: string): string => `${api}/bot${to.token}/${method}`;
      // A group that becomes a supergroup gets another number; the answer names it.
      let { chat } = to;

      function read(
        answer: ReceiverAnswer,
        rootIn: (id: string | undefined) => Root | null,
      ): AnswerReading | undefined {
        const said = Said.safeParse(jsonOf(answer)).data;
        const moved = said?.parameters?.migrate_to_chat_id;
        if (moved === undefined)
          return readAnswer(answer, said, receiptOf(rootIn(said?.result?.message_id?.toString())));
        chat = String(moved);
        const says = `the group has become a supergroup: set \`chat: '${chat}'\``;
        return { as: 'again', afterMs: SECOND_MS, says };
      }

      /** A message with refused buttons is sent again without them. */
      async function call(
        method: string,
        around: object,
        lines: AllLines,
        signal: AbortSignal,
      ): Promise<ReceiverAnswer | Outcome> {
        const exchange = (content: object): Promise<ReceiverAnswer | Outcome> =>
          poster.exchange({ url: urlOf(method), body: JSON.stringify({ ...around, ...content }) }, signal);
        const answer = await exchange(contentOf(lines));
        if (answer.type !== 'answered' || lines.links.length === 0 || !isButtonRefused(answer)) return answer;
        return exchange(contentWithoutButtons(lines));
      }

      return async (delivery, attempt, signal) => {
        const place = [chat, to.topic ?? ''].join(' ');
        const root = rootOf(delivery, attempt, place);
        const toChat = { chat_id: chat.startsWith('@') ? chat : Number(chat) };
        const edited = await changeRoot(root, delivery, (former) =>
          call('editMessageText', { ...toChat, message_id: Number(former.id) }, upToDate(delivery, attempt), signal),
        );
        // Any other result of the edit is ignored: the new facts are in the message that follows.
        const isGone = edited?.type === 'answered' && /message to edit not found/i.test(edited.text);
        const own = ownMessages(delivery, attempt, place);
        await changeOwn(own, ({ root: { id }, delivery: news }) =>
          call('editMessageText', { ...toChat, message_id: Number(id) }, upToDate(news, attempt), signal),
        );
        // A message can answer one other message only.
        const answered = root ?? (own.length === 1 ? (own[0]?.root ?? null) : null);
        const around = { ...toChat, ...inTopic(to), ...inAnswerTo(answered) };
        const rootIn = (id: string | undefined): Root | null =>
          (isGone ? null : root) ?? newRoot(delivery, { place, id, inside: null });
        const end = await call('sendMessage', around, toLines(delivery, attempt), signal);
        return poster.outcomeOf(end, (answer) => read(answer, rootIn));
      };
    },
  });
}

function inTopic({ topic }: TelegramConfig): object {
  return topic === undefined ? {} : { message_thread_id: Number(topic) };
}

/** Makes the message an answer to the root. If the root was deleted, the message is still sent. */
function inAnswerTo(root: Root | null): object {
  if (root === null) return {};
  return { reply_parameters: { message_id: Number(root.id), allow_sending_without_reply: true } };
}

const NO_PREVIEW = { link_preview_options: { is_disabled: true } };
const BUTTONS_IN_A_ROW = 3;

function contentOf(lines: AllLines): object {
  const { links, ...rest } = fitted(lines, MOST_CHARACTERS, SIZES);
  const content = { ...textOf({ ...rest, links: [] }), ...NO_PREVIEW };
  return links.length === 0 ? content : { ...content, reply_markup: { inline_keyboard: rowsOf(links) } };
}

function contentWithoutButtons(lines: AllLines): object {
  return { ...textOf(fitted(lines, MOST_CHARACTERS, SIZES)), ...NO_PREVIEW };
}

function rowsOf(links: readonly Link[]): object[][] {
  const buttons = links.map(({ label, url }) => ({ text: label, url }));
  return [buttons.slice(0, BUTTONS_IN_A_ROW), buttons.slice(BUTTONS_IN_A_ROW)].filter(({ length }) => length > 0);
}

function isButtonRefused({ status, text }: ReceiverAnswer): boolean {
  return status === 400 && /button|keyboard|reply.?markup/i.test(text);
}

interface Entity {
  readonly type: 'bold' | 'code' | 'pre' | 'text_link';
  /** In UTF-16 units, like the length. */
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

/** A line, or several lines that are marked as one; offsets in `marks` count from the start of the part. */
interface Part {
  readonly text: string;
  readonly marks: readonly Entity[];
}

/** The address of a link does not count as text. */
const SIZES: Sizes = {
  line: ({ text }) => text.length + 1,
  link: (link) => linkText(link).length + 1,
  alert: (alert) => alertText(alert).length + 1,
};

function textOf({ headline, lead, alerts, links, text, facts }: Omit<MessageLines, 'tone'>): {
  readonly text: string;
  readonly entities: readonly Entity[];
} {
  const parts: Part[] = [
    { text: headline, marks: [{ type: 'bold', offset: 0, length: headline.length }] },
    ...partOf(lead),
    ...alerts.map(alertPart),
    ...links.map((link) => ({ text: linkText(link), marks: [] })),
    ...partOf(text),
    ...partOf(facts),
  ];
  const entities: Entity[] = [];
  let whole = '';
  for (const { text: next, marks } of parts) {
    if (whole !== '') whole += '\n';
    for (const mark of marks) entities.push({ ...mark, offset: whole.length + mark.offset });
    whole += next;
  }
  return { text: whole, entities };
}

/** Telegram does not search code for links, and shows it in characters of one width. */
function partOf(all: readonly TextLine[]): Part[] {
  return tablesApart(all).map(({ isTable, lines }) => {
    const text = lines.map((line) => line.text).join('\n');
    return { text, marks: isTable || isStrange(lines) ? [{ type: 'pre', offset: 0, length: text.length }] : [] };
  });
}

function alertPart(alert: ListedAlert): Part {
  const { subject, link, strange } = alert;
  const text = alertText(alert);
  const offset = subject.length + 1;
  return {
    text,
    marks: [
      ...(link === null ? [] : [{ type: 'text_link', offset: 0, length: subject.length, url: link } as const]),
      ...(strange ? [{ type: 'code', offset, length: text.length - offset } as const] : []),
    ],
  };
}

function isStrange(lines: readonly TextLine[]): boolean {
  return lines.some(({ strange }) => strange);
}

const Said = z.object({
  ok: z.boolean(),
  parameters: z.object({ retry_after: z.number().optional(), migrate_to_chat_id: z.int().optional() }).optional(),
  result: z.object({ message_id: z.int().optional() }).optional(),
});
type Said = z.infer<typeof Said>;

/** Answers to a bot that is not in the chat, or has lost the right to write there. An admin can mend each of them. */
const MAY_NOT_POST =
  /(?:chat|message thread) not found|not enough rights|no rights to send|need administrator rights|CHAT_WRITE_FORBIDDEN|CHAT_RESTRICTED|TOPIC_CLOSED/i;

function readAnswer({ status, text }: ReceiverAnswer, said?: Said, receipt?: Receipt): AnswerReading | undefined {
  if (status >= 200 && status < 300)
    return said?.ok === true ? { as: 'sent', says: 'sent', receipt } : { as: 'unknown' };
  if (status === 400 && MAY_NOT_POST.test(text)) return { as: 'auth' };
  const afterS = said?.parameters?.retry_after;
  return status === 429 && afterS !== undefined ? { as: 'again', afterMs: afterS * SECOND_MS } : undefined;
}
