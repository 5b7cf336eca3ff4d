// Discord, through the webhook of a channel. It has no plain text: every character that is markup somewhere is escaped,
// and no mention is allowed to reach anybody.
import { z } from 'zod';
import type { Notifier } from './notifier.ts';
import type { ListedAlert } from './rendering/content.ts';
import { fitted, toLines, type AllLines, type Sizes } from './rendering/lines.ts';
import { jsonOf, type Answer, type Reading } from './wire/answers.ts';
import { Allow, mustBeAllowed } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS } from './wire/post-json.ts';
import { addressWarnings, hostOf, isWebAddress, secretsOf, WEB_ADDRESS } from './wire/web-address.ts';

const SECOND_MS = 1000;
/** How Discord counts characters is not documented: in UTF-16 units no reading of it is exceeded. */
const MOST_CHARACTERS = 2000;
const SUPPRESS_EMBEDS = 4;

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
    senderOf(to, poster) {
      const url = addressOf(to);
      return (delivery, attempt, signal) =>
        poster.postJson({ url, body: bodyOf(toLines(delivery, attempt), to) }, signal, read);
    },
  });
}

/** Without `wait` Discord answers before the message is saved, and says nothing when that fails. */
function addressOf({ url, thread_id: thread }: DiscordConfig): string {
  const address = new URL(url);
  address.searchParams.set('wait', 'true');
  if (thread !== undefined) address.searchParams.set('thread_id', thread);
  return address.href;
}

function bodyOf(lines: AllLines, { thread_name: thread }: DiscordConfig): string {
  return JSON.stringify({
    content: contentOf(lines),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
    ...(thread === undefined ? {} : { thread_name: thread }),
  });
}

const SIZES: Sizes = {
  line: (text) => escaped(text).length + 1,
  link: (url) => url.length + 1,
  alert: (alert) => alertLine(alert).length + 1,
};

function contentOf(lines: AllLines): string {
  const { headline, lead, alerts, links, text, facts } = fitted(lines, MOST_CHARACTERS, SIZES);
  const plain = (some: typeof text): string[] => some.map((line) => escaped(line.text));
  return [escaped(headline), ...plain(lead), ...alerts.map(alertLine), ...links, ...plain(text), ...plain(facts)].join(
    '\n',
  );
}

/** In angle brackets no page is asked for a preview. */
function alertLine({ subject, aside, link }: ListedAlert): string {
  const shown = link === null ? escaped(subject) : `[${escaped(subject)}](<${link}>)`;
  return `${shown} ${escaped(`(${aside})`)}`;
}

// A backslash before anything but letters, digits and spaces is taken away again. The dot is one of a numbered list.
function escaped(text: string): string {
  return text.replace(/[\\*_~`|<>#[\]():@+-]/g, '\\$&').replace(/^(\s*\d+)\./, '$1\\.');
}

const Refusal = z.object({ code: z.number().optional(), retry_after: z.number().optional() });

/** An unknown webhook: whoever goes on calling it is shut out for a while, with all that run at the same address. */
const UNKNOWN_WEBHOOK = 10015;
const INVALID_TOKEN = 50027;

function read(answer: Answer): Reading | undefined {
  if (answer.status >= 200 && answer.status < 300) return { as: 'sent', says: 'posted' };
  const { code, retry_after: afterS } = Refusal.safeParse(jsonOf(answer)).data ?? {};
  if (code === UNKNOWN_WEBHOOK) return { as: 'park' };
  if (code === INVALID_TOKEN) return { as: 'auth' };
  if (answer.status === 429 && afterS !== undefined) return { as: 'again', afterMs: afterS * SECOND_MS };
  return undefined;
}
