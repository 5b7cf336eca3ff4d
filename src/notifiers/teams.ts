// Posts to Microsoft Teams: a webhook starts a workflow, and the workflow posts an adaptive card. A TextBlock of a card
// interprets some Markdown, so the characters of Markdown are escaped.
import { z } from 'zod';
import type { Notifier } from './notifier.ts';
import type { Link, ListedAlert, MessageTone, TextLine } from './rendering/content.ts';
import { fitted, toLines, type AllLines, type Sizes } from './rendering/lines.ts';
import { type ReceiverAnswer, type AnswerReading } from './wire/answers.ts';
import { addressWarnings, Allow, hostOf, isWebAddress, mustBeAllowed, secretsOf, WEB_ADDRESS } from './wire/egress.ts';
import { httpNotifier } from './wire/http-notifier.ts';
import { TOTAL_MS } from './wire/post-json.ts';

/**
 * Cards of more than about 28 kB fail inside the workflow, after its answer. The limit leaves room for the text around
 * the lines.
 */
const MOST_BYTES = 19_000;

const RETIRED =
  'is an address of the former connectors, which are retired: in the channel choose Workflows, "Send webhook alerts to ' +
  'a channel", and copy the address that it shows';

const config = z
  .strictObject({
    url: z
      .string()
      .refine(isWebAddress, WEB_ADDRESS)
      .refine((text) => !isWebAddress(text) || !/(?:^|\.)webhook\.office\.com$/.test(hostOf(text)), RETIRED)
      .describe('The address of the workflow. It is a secret; messages name the host only.'),
    allow: Allow,
  })
  .superRefine(mustBeAllowed('url', ({ url }) => hostOf(url)));

type TeamsConfig = z.infer<typeof config>;

export const teams = teamsWith({ totalMs: TOTAL_MS });

export function teamsWith({ totalMs }: { totalMs: number }): Notifier<TeamsConfig> {
  return httpNotifier({
    totalMs,
    type: 'teams',
    summary: 'Posts each alert to a Microsoft Teams channel through a workflow.',
    unit: 'group',
    idempotent: false,
    readBy: 'people',
    config,
    secrets: ['url'],
    warnings: ({ url }) => addressWarnings(url),
    secretsIn: ({ url }) => secretsOf(url),
    senderOf:
      ({ url }, poster) =>
      (delivery, attempt, signal) =>
        poster.postJson({ url, body: bodyOf(toLines(delivery, attempt)) }, signal, read),
  });
}

function bodyOf(lines: AllLines): string {
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: cardOf(lines) };
  return JSON.stringify({ type: 'message', attachments: [card] });
}

function cardOf(lines: AllLines): object {
  const { headline, lead, alerts, links, text, facts, tone } = fitted(lines, MOST_BYTES, SIZES);
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: [
      { ...textBlock(headline), weight: 'bolder', size: 'medium', color: COLOUR_NAMES[tone] },
      ...lead.map(lineBlock),
      ...alerts.map(alertBlock),
      ...text.map((line) => textBlock(line.text)),
      ...facts.map((line) => ({ ...textBlock(line.text), ...QUIET })),
    ],
    ...(links.length === 0 ? {} : { actions: links.map(openAction) }),
  };
}

/** Cards use names for their colours. */
const COLOUR_NAMES: Readonly<Record<MessageTone, string>> = {
  info: 'accent',
  warning: 'warning',
  critical: 'attention',
  resolved: 'good',
};

const QUIET = { isSubtle: true, spacing: 'none' };

/** A card shows several blanks as one, so a table has non-breaking blanks. */
function lineBlock({ text, isTable }: TextLine): object {
  return isTable === true
    ? { ...textBlock(text.replaceAll(' ', '\u00a0')), fontType: 'monospace', spacing: 'none' }
    : textBlock(text);
}

function textBlock(text: string): object {
  return { type: 'TextBlock', text: escaped(text), wrap: true };
}

function alertBlock({ subject, aside, link }: ListedAlert): object {
  const shown = link === null ? escaped(subject) : `[${escaped(subject)}](${link})`;
  return { type: 'TextBlock', text: `${shown} ${escaped(`(${aside})`)}`, wrap: true };
}

function openAction({ label, url }: Link): object {
  return { type: 'Action.OpenUrl', title: label, url };
}

// Braces are escaped as well: {{DATE(…)}} is a function of a card.
function escaped(text: string): string {
  return text.replace(/[\\*_~`|<>#[\](){}!+&-]/g, '\\$&').replace(/^(\s*\d+)\./, '$1\\.');
}

const SIZES: Sizes = {
  line: (line) => bytesOf({ ...lineBlock(line), ...QUIET }),
  link: (link) => bytesOf(openAction(link)),
  alert: (alert) => bytesOf(alertBlock(alert)),
};

/** The size with the comma that follows. */
function bytesOf(part: object): number {
  return Buffer.byteLength(JSON.stringify(part)) + 1;
}

/**
 * The workflow answers before it posts. A card with a wrong size or version fails afterwards, so an accepted card may
 * never be shown.
 */
function read({ status }: ReceiverAnswer): AnswerReading | undefined {
  return status >= 200 && status < 300 ? { as: 'sent', says: 'taken by the workflow' } : undefined;
}
