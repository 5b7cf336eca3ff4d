// Telegram. Messages have no parse mode, so nothing in them is markup; but Telegram looks for links, #tags, $tags and
// /commands in any text that is not code. Lines that hold a stranger's text are therefore marked as code.
import { z } from 'zod';
import type { Notifier } from './notifier.ts';
import { alertText, type ListedAlert } from './rendering/content.ts';
import { fitted, toLines, type AllLines, type Line, type Sizes } from './rendering/lines.ts';
import { jsonOf, type Answer, type Reading } from './wire/answers.ts';
import { Allow } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS } from './wire/post-json.ts';

const SECOND_MS = 1000;
/** UTF-16 units, once entities are taken out. */
const MOST_CHARACTERS = 4096;
/** Telegram repeats the message in its answer. */
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
    type: 'telegram',
    summary: 'Sends each alert to a Telegram chat through a bot.',
    unit: 'group',
    idempotent: false,
    readBy: 'people',
    config,
    secrets: ['token'],
    mostAnswerBytes: MOST_ANSWER_BYTES,
    warnings: () => [],
    // The number of the bot before the colon is public; what follows it is not, and may be quoted alone.
    secretsIn: ({ token }) => [token, token.replace(/^\d+:/, '')],
    senderOf(to, poster) {
      const url = `${api}/bot${to.token}/sendMessage`;
      // A group that becomes a supergroup gets another number, which the answer tells.
      let { chat } = to;

      function read(answer: Answer): Reading | undefined {
        const { ok, parameters } = Said.safeParse(jsonOf(answer)).data ?? {};
        const moved = parameters?.migrate_to_chat_id;
        if (moved === undefined) return readAnswer(answer, ok, parameters?.retry_after);
        chat = String(moved);
        const says = `the group has become a supergroup: set \`chat: '${chat}'\``;
        return { as: 'again', afterMs: SECOND_MS, says };
      }
      return (delivery, attempt, signal) =>
        poster.postJson({ url, body: bodyOf(toLines(delivery, attempt), { ...to, chat }) }, signal, read);
    },
  });
}

function bodyOf(lines: AllLines, { chat, topic }: TelegramConfig): string {
  return JSON.stringify({
    chat_id: chat.startsWith('@') ? chat : Number(chat),
    ...(topic === undefined ? {} : { message_thread_id: Number(topic) }),
    ...textOf(lines),
    link_preview_options: { is_disabled: true },
  });
}

interface Entity {
  readonly type: 'pre' | 'text_link';
  /** In UTF-16 units, as is the length. */
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

/** A line, or several that are marked as one; `marks` count from its own begin. */
interface Part {
  readonly text: string;
  readonly marks: readonly Entity[];
}

/** The address of a link is no part of the text. */
const SIZES: Sizes = {
  line: ({ length }) => length + 1,
  link: ({ length }) => length + 1,
  alert: (alert) => alertText(alert).length + 1,
};

function textOf(lines: AllLines): { readonly text: string; readonly entities: readonly Entity[] } {
  const { headline, lead, alerts, links, text, facts } = fitted(lines, MOST_CHARACTERS, SIZES);
  const parts = [
    { text: headline, marks: [] },
    ...partOf(lead),
    ...alerts.map(alertPart),
    ...links.map((link) => ({ text: link, marks: [] })),
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

/** In code nothing is looked for. */
function partOf(lines: readonly Line[]): Part[] {
  if (lines.length === 0) return [];
  const text = lines.map((line) => line.text).join('\n');
  return [{ text, marks: isStrange(lines) ? [{ type: 'pre', offset: 0, length: text.length }] : [] }];
}

function alertPart(alert: ListedAlert): Part {
  const { subject, link } = alert;
  const marks: Entity[] = link === null ? [] : [{ type: 'text_link', offset: 0, length: subject.length, url: link }];
  return { text: alertText(alert), marks };
}

function isStrange(lines: readonly Line[]): boolean {
  return lines.some(({ strange }) => strange);
}

const Said = z.object({
  ok: z.boolean(),
  parameters: z.object({ retry_after: z.number().optional(), migrate_to_chat_id: z.int().optional() }).optional(),
});

function readAnswer({ status, text }: Answer, ok?: boolean, retryAfterS?: number): Reading | undefined {
  if (status >= 200 && status < 300) return ok === true ? { as: 'sent', says: 'sent' } : { as: 'unknown' };
  if (status === 400 && /chat not found|message thread not found/i.test(text)) return { as: 'auth' };
  if (status === 429 && retryAfterS !== undefined) return { as: 'again', afterMs: retryAfterS * SECOND_MS };
  return undefined;
}
