// How chats read what is sent to them: each by the rules of its own medium, and rather too greedy. None of it shares code
// with the encoders it judges.
import { linksIn, textsOf } from './readers.ts';

export interface ChatReading {
  /** All that people see. */
  readonly text: string;
  /** Whatever the medium would not show as it stands: emphasis, lists, mentions, tags, commands, functions. */
  readonly markup: readonly string[];
  /** What can be followed, whether the medium was told so or finds it by itself. */
  readonly links: readonly string[];
}

type Reader = (body: string) => ChatReading;

/** By the name of the service. */
export const CHAT_READERS: Readonly<Record<string, Reader>> = {
  alertmanager: readPlain,
  'slack bot': readSlack,
  'slack webhook': readSlack,
  telegram: readTelegram,
  discord: readDiscord,
  teams: readTeams,
  pagerduty: readPlain,
  ntfy: readPlain,
  webhook: readPlain,
};

// Bare text: clients underline what looks like a link.
function readPlain(body: string): ChatReading {
  const text = textsOf(JSON.parse(body)).join('\n');
  return { text, markup: [], links: linksIn(text) };
}

type SlackBlocks = readonly { readonly text: { readonly type: string; readonly text: string } }[];

interface SlackBody {
  readonly text: string;
  readonly blocks: SlackBlocks;
  readonly attachments: readonly { readonly blocks: SlackBlocks }[];
}

/** `<address|words> words` in which nothing is markup, or several links. */
const SLACK_LINKS = /^(?:<https?:\/\/[^\s<>|]+\|[^<>*~`|]+>(?: \u00b7 (?=<)|$| [^<>*~`|]+$))+$/;
const SLACK_LINK = /<(https?:\/\/[^\s<>|]+)\|/g;

// Plain text is read as if it were markup after all. What stands in mrkdwn may be links and nothing else.
function readSlack(body: string): ChatReading {
  const { text, blocks: first, attachments } = JSON.parse(body) as SlackBody;
  const blocks = [...first, ...attachments.flatMap((attachment) => attachment.blocks)];
  const plain = blocks.filter((block) => block.text.type === 'plain_text').map((block) => block.text.text);
  const marked = blocks
    .filter((block) => block.text.type !== 'plain_text')
    .flatMap((block) => block.text.text.split('\n'));
  const fallback = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return {
    text: [...plain, ...marked, fallback].join('\n'),
    markup: [
      ...matches(plain.join('\n'), /<[!@#]|<[^<>\s][^<>]*>|@(?:here|channel|everyone)/g),
      ...matches(text, /[<>]|@(?:here|channel|everyone)/g),
      ...marked.filter((line) => !SLACK_LINKS.test(line)),
    ],
    links: [
      ...linksIn([...plain, fallback].join('\n')),
      ...marked.flatMap((line) => [...line.matchAll(SLACK_LINK)].map(([, address = '']) => address)),
    ],
  };
}

interface TelegramBody {
  readonly text: string;
  readonly entities: readonly {
    readonly type: string;
    readonly offset: number;
    readonly length: number;
    readonly url?: string;
  }[];
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly { text: string; url: string }[])[] };
}

// In code nothing is looked for.
function readTelegram(body: string): ChatReading {
  const {
    text,
    entities,
    reply_markup: { inline_keyboard: rows } = { inline_keyboard: [] },
  } = JSON.parse(body) as TelegramBody;
  let open = text;
  for (const { offset, length } of entities.filter(({ type }) => type === 'pre'))
    open = open.slice(0, offset) + '\n'.repeat(length) + open.slice(offset + length);
  return {
    text,
    markup: matches(open, /(?<![\p{L}\d_])[#$][\p{L}\d_]+|(?<![\w/<>.])\/\w+|@\w+/gu),
    links: [
      ...linksIn(open),
      ...linksIn(text),
      ...entities.flatMap(({ url = [] }) => url),
      ...rows.flat().map(({ url }) => url),
    ],
  };
}

/** `[words](address)` at the beginning of a line, or behind another one. */
const MASKED = /(?:^|(?<=\) )\u00b7 )\[((?:\\.|[^\]\\])*)\]\((https?:\/\/[^\s<>()]+)\)/gm;

/** Every character that a backslash stands before is a letter like any other: here, the one that is no markup. */
const LETTER = '\u0001';
const LIST_MARK = /^\s*(?:[-+]|\d+[.)])(?=\s|$)/gm;

function readDiscord(body: string): ChatReading {
  const { content, embeds } = JSON.parse(body) as { content: string; embeds: { description: string }[] };
  const headline = /^\*\*(.*)\*\*$/.exec(content)?.[1] ?? content;
  return readMarkdown([headline, ...embeds.map(({ description }) => description)].join('\n'), /[*_~`|<>[\]#@]|:\w+:/g);
}

interface TeamsBody {
  readonly attachments: readonly [
    { readonly content: { readonly body: { text: string }[]; readonly actions?: { url: string }[] } },
  ];
}

function readTeams(body: string): ChatReading {
  const [{ content }] = (JSON.parse(body) as TeamsBody).attachments;
  const reading = readMarkdown(content.body.map(({ text }) => text).join('\n'), /[*_~`|<>[\]#!{}&]/g);
  return { ...reading, links: [...reading.links, ...(content.actions ?? []).map(({ url }) => url)] };
}

// Bare web addresses are taken as a whole before anything in them is.
function readMarkdown(source: string, marks: RegExp): ChatReading {
  const bare = [
    ...matches(source, /^https?:\/\/\S+$/gm),
    ...[...source.matchAll(MASKED)].map(([, , address = '']) => address),
  ];
  const rest = source.replace(/^https?:\/\/\S+$/gm, '').replace(MASKED, '$1');
  const shown = rest.replace(/\\([!-/:-@[-`{-~])/g, '$1');
  const open = rest.replace(/\\[!-/:-@[-`{-~]/g, LETTER);
  return {
    text: [shown, ...bare].join('\n'),
    markup: [...matches(open, marks), ...matches(open, LIST_MARK)],
    links: [...linksIn(shown), ...bare],
  };
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([found]) => found);
}
