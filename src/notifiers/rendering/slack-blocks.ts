// A message for Slack. All parts except links are sent as plain_text, in which Slack looks for no markup, mention or
// link.
import { alertText, COLOURS, ourLine, tablesApart, type Link, type ListedAlert, type TextLine } from './content.ts';
import { fitted, linkText, type AllLines, type MessageLines, type Sizes } from './lines.ts';

/**
 * A text object may have 3,000 characters, all blocks together about 13,000 (undocumented), and the fallback text as
 * many.
 */
const MOST_CHARACTERS = 2900;
/** Several alerts may be longer, since they are spread over as many blocks as needed. */
const MOST_OF_SEVERAL = 6000;

/** The part of a delivery that fits. */
export function fittedForSlack(lines: AllLines): MessageLines {
  return fitted(lines, lines.alerts.length > 0 ? MOST_OF_SEVERAL : MOST_CHARACTERS, SIZES);
}

/** Slack must not ask the linked pages for a preview. */
export const NO_PREVIEW = { mrkdwn: false, unfurl_links: false, unfurl_media: false } as const;

/** The longest text that Slack allows in a header. */
const LONGEST_HEADER = 150;

interface SlackMessage {
  /** Shown in notifications, and by programs without blocks. */
  readonly text: string;
  readonly blocks: readonly object[];
  /** Its blocks have a bar of that colour at their side. */
  readonly attachments: readonly { readonly color: string; readonly blocks: readonly object[] }[];
}

export function blocksOf(lines: MessageLines): SlackMessage {
  const { tone, headline, lead, alerts, links, text, facts } = lines;
  const below = [...text, ...facts];
  const blocks = [
    ...tablesApart(lead).map((part) => (part.isTable ? tableBlock(part.lines) : plainBlock(part.lines))),
    ...inPieces(alerts.map(alertLine)).map(markedBlock),
    ...(links.length === 0 ? [] : [markedBlock([links.map(namedLink).join(' \u00b7 ')])]),
    ...(below.length === 0 ? [] : [plainBlock(below)]),
  ];
  return {
    text: bareText({ ...lines, alerts: [], links: [] }),
    blocks: [headline.length <= LONGEST_HEADER ? headerBlock(headline) : plainBlock([ourLine(headline)])],
    attachments: blocks.length === 0 ? [] : [{ color: COLOURS[tone], blocks }],
  };
}

/** The message as one text. Slack reads it as markup unless markup is switched off, so it is escaped as well. */
export function bareText({ headline, lead, alerts, links }: Omit<MessageLines, 'tone'>): string {
  const lines = [headline, ...lead.map(plainText), ...alerts.map(bareAlert), ...links.map(linkText)];
  return escaped(lines.join('\n'));
}

function namedLink({ label, url }: Link): string {
  return `<${escaped(url)}|${label}>`;
}

function headerBlock(text: string): object {
  return { type: 'header', text: { type: 'plain_text', emoji: false, text } };
}

function plainBlock(lines: readonly TextLine[]): object {
  return { type: 'section', text: { type: 'plain_text', emoji: false, text: lines.map(plainText).join('\n') } };
}

/** In a block of code all characters have one width. Nothing but a mark of code ends it. */
function tableBlock(lines: readonly TextLine[]): object {
  const rows = lines.map(({ text }) => escaped(text).replaceAll('`', LOOK_ALIKES['`'] ?? ''));
  return markedBlock(['```', ...rows, '```']);
}

function markedBlock(lines: readonly string[]): object {
  return { type: 'section', text: { type: 'mrkdwn', verbatim: true, text: lines.join('\n') } };
}

/** Fills each block with as many lines as fit. */
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
  const text = plainText({ text: alertText(alert), strange: alert.strange });
  return alert.link === null ? text : `${text} ${alert.link}`;
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '*': '\u2217',
  '~': '\u223c',
  '`': '\u02cb',
  '|': '\u2223',
  _: '\u02cd',
};

// Slack's markup has no escape. So a character that would be markup is replaced by one that looks like it. An
// underscore within a name is no markup.
function unmarked(text: string): string {
  return escaped(text).replace(/[*~`|]|\b_|_\b/g, (mark) => LOOK_ALIKES[mark] ?? mark);
}

const SIZES: Sizes = {
  line: ({ text }) => escaped(text).length + 1,
  link: (link) => namedLink(link).length + 3,
  alert: (alert) => alertLine(alert).length + 1,
};

// Even if a program reads plain text as markup, untrusted text cannot open a mention or a link.
function plainText({ text, strange }: TextLine): string {
  return strange ? text.replaceAll('<', '\u2039').replaceAll('>', '\u203a') : text;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
