// Discord, through the webhook of a channel. Discord has no plain text: every character that is markup somewhere is
// escaped, and no mention may notify anybody.
import { z } from 'zod';
import type { Delivery } from '../core/model/delivery.ts';
import type { Notifier } from './notifier.ts';
import { COLOURS, tablesApart, type Link, type ListedAlert, type TextLine } from './rendering/content.ts';
import { fitted, toLines, type AllLines, type MessageLines, type Sizes } from './rendering/lines.ts';
import { jsonOf, type ReceiverAnswer, type AnswerReading } from './wire/answers.ts';
import { addressWarnings, Allow, hostOf, isWebAddress, mustBeAllowed, secretsOf, WEB_ADDRESS } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS, type JsonCall } from './wire/post-json.ts';
import { changeOwn, changeRoot, newRoot, ownMessages, receiptOf, rootOf, upToDate, type Root } from './wire/roots.ts';

const SECOND_MS = 1000;
/**
 * The limit of an embed. Discord does not document how it counts characters; counted in UTF-16 units, the limit holds
 * in any case.
 */
const MOST_CHARACTERS = 4000;
/** The answer of Discord contains the whole message, so it can be this long. */
const MOST_ANSWER_BYTES = 64 * 1024;

const config = z
  .strictObject({
    url: z
      .string()
      .refine(isWebAddress, WEB_ADDRESS)
      .refine((text) => /\/webhooks\/\d+\/[\w-]+\/?$/.test(text), 'must end in /webhooks/NUMBER/TOKEN')
      .describe('The webhook: Edit channel, Integrations, Webhooks. It is a secret; messages name the host only.'),
    thread_id: z
      .string()
      .regex(/^\d{5,20}$/, 'must be the number of a thread')
      .optional()
      .describe('The number of a thread in which alerts are posted.'),
    thread_name: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('In a forum or media channel: the title of the post that each alert opens.'),
    allow: Allow,
  })
  .superRefine(mustBeAllowed('url', ({ url }) => hostOf(url)))
  .refine(({ thread_id, thread_name }) => thread_id === undefined || thread_name === undefined, {
    error: 'must have `thread_id` or `thread_name`, not both',
  });

type DiscordConfig = z.infer<typeof config>;

export const discord = discordWith({ totalMs: TOTAL_MS });

export function discordWith({ totalMs }: { totalMs: number }): Notifier<DiscordConfig> {
  return httpNotifier({
    totalMs,
    type: 'discord',
    summary: 'Posts each alert to a Discord channel through its webhook.',
    unit: 'group',
    idempotent: false,
    readBy: 'people',
    config,
    secrets: ['url'],
    warnings: ({ url }) => addressWarnings(url),
    secretsIn: ({ url }) => secretsOf(url),
    mostAnswerBytes: MOST_ANSWER_BYTES,
    senderOf: (to, poster) => async (delivery, attempt, signal) => {
      const root = rootOf(delivery, attempt, placeOf(to));
      await changeOwn(ownMessages(delivery, attempt, placeOf(to)), (own) =>
        poster.exchange(editOf(to, own.root, upToDate(own.delivery, attempt)), signal),
      );
      const edited = await changeRoot(root, delivery, (former) =>
        poster.exchange(editOf(to, former, upToDate(delivery, attempt)), signal),
      );
      // Any other result of the edit is ignored: the new facts are in the message that follows.
      const isGone = edited?.type === 'answered' && saidIn(edited).code === UNKNOWN_MESSAGE;
      const lines = toLines(delivery, attempt);
      const readAs = (kept: Root | null) => (answer: ReceiverAnswer) =>
        read(answer, (posted) => kept ?? rootAt(to, delivery, posted));
      const answer = await poster.exchange(postOf(to, root, lines), signal);
      if (root === null || answer.type !== 'answered' || saidIn(answer).code !== UNKNOWN_CHANNEL)
        return poster.outcomeOf(answer, readAs(isGone ? null : root));
      return poster.postJson(postOf(to, null, lines), signal, readAs(null));
    },
  });
}

/** The number of the webhook, and the thread, if any. */
function placeOf({ url, thread_id: thread = '', thread_name: name = '' }: DiscordConfig): string {
  const [, webhook = ''] = /\/webhooks\/(\d+)\//.exec(url) ?? [];
  return [webhook, thread, name].join(' ');
}

/** A post in a forum is a thread: later messages about the alert go into this thread. */
function rootAt(to: DiscordConfig, delivery: Delivery, { id, channel_id: channel }: Posted): Root | null {
  return newRoot(delivery, { place: placeOf(to), id, inside: to.thread_name === undefined ? null : (channel ?? null) });
}

/** Without `wait` Discord answers before the message is saved, and does not report a failure. */
function postOf(to: DiscordConfig, root: Root | null, lines: AllLines): JsonCall {
  const address = new URL(to.url);
  address.searchParams.set('wait', 'true');
  toThread(address, threadOf(to, root));
  const opens = to.thread_name !== undefined && threadOf(to, root) === null;
  const body = { ...bodyOf(lines), ...(opens ? { thread_name: to.thread_name } : {}) };
  return { url: address.href, body: JSON.stringify(body) };
}

/** Changes the first message about an alert, so that it shows the present state. */
function editOf(to: DiscordConfig, root: Root, lines: AllLines): JsonCall {
  const address = new URL(to.url);
  toThread(address, threadOf(to, root));
  address.pathname = `${address.pathname.replace(/\/$/, '')}/messages/${encodeURIComponent(root.id)}`;
  return { url: address.href, method: 'PATCH', body: JSON.stringify(bodyOf(lines)) };
}

function toThread(address: URL, thread: string | null): void {
  if (thread !== null) address.searchParams.set('thread_id', thread);
}

function threadOf({ thread_id: thread }: DiscordConfig, root: Root | null): string | null {
  return root?.inside ?? thread ?? null;
}

/** A changed message allows mentions again unless the change forbids them, so each body forbids them. */
function bodyOf(lines: AllLines): object {
  const { headline, ...rest } = fitted(lines, MOST_CHARACTERS, SIZES);
  const description = descriptionOf(rest);
  return {
    // Push notifications show this text.
    content: `**${escaped(headline)}**`,
    embeds: description === '' ? [] : [{ color: Number.parseInt(COLOURS[lines.tone].slice(1), 16), description }],
    allowed_mentions: { parse: [] },
  };
}

const SIZES: Sizes = {
  line: ({ text }) => escaped(text).length + 1,
  link: (link) => namedLink(link).length + 3,
  alert: (alert) => alertLine(alert).length + 1,
};

function descriptionOf({ lead, alerts, links, text, facts }: Omit<MessageLines, 'headline'>): string {
  const plain = (some: typeof text): string[] =>
    tablesApart(some).flatMap((part) =>
      part.isTable ? tableOf(part.lines) : part.lines.map((line) => escaped(line.text)),
    );
  const named = links.length === 0 ? [] : [links.map(namedLink).join(' \u00b7 ')];
  return [...plain(lead), ...alerts.map(alertLine), ...named, ...plain(text), ...plain(facts)].join('\n');
}

/** A block of code, in which no character is markup but the one that ends it. */
function tableOf(lines: readonly TextLine[]): string[] {
  return ['```', ...lines.map(({ text }) => text.replaceAll('`', "'")), '```'];
}

function namedLink({ label, url }: Link): string {
  return `[${label}](${url})`;
}

function alertLine({ subject, aside, link }: ListedAlert): string {
  const shown = link === null ? escaped(subject) : namedLink({ label: escaped(subject), url: link });
  return `${shown} ${escaped(`(${aside})`)}`;
}

// Discord removes a backslash before every character except letters, digits and spaces. The escaped dot is that of a
// numbered list.
function escaped(text: string): string {
  return text.replace(/[\\*_~`|<>#[\]():@+-]/g, '\\$&').replace(/^(\s*\d+)\./, '$1\\.');
}

const Said = z.object({
  code: z.number().optional(),
  retry_after: z.number().optional(),
  id: z.string().optional(),
  channel_id: z.string().optional(),
});
type Posted = Pick<z.infer<typeof Said>, 'id' | 'channel_id'>;

function saidIn(answer: ReceiverAnswer): Partial<z.infer<typeof Said>> {
  return Said.safeParse(jsonOf(answer)).data ?? {};
}

/** The earlier message, or its thread, no longer exists. */
const UNKNOWN_MESSAGE = 10008;
const UNKNOWN_CHANNEL = 10003;
/** An unknown webhook. Discord blocks a caller that goes on calling it, with all programs at the same address. */
const UNKNOWN_WEBHOOK = 10015;
const INVALID_TOKEN = 50027;

function read(answer: ReceiverAnswer, rootIn: (posted: Posted) => Root | null): AnswerReading | undefined {
  const { code, retry_after: afterS, ...posted } = saidIn(answer);
  if (answer.status >= 200 && answer.status < 300)
    return { as: 'sent', says: 'posted', receipt: receiptOf(rootIn(posted)) };
  if (code === UNKNOWN_WEBHOOK || code === INVALID_TOKEN) return { as: 'auth' };
  if (answer.status === 429 && afterS !== undefined) return { as: 'again', afterMs: afterS * SECOND_MS };
  return undefined;
}
