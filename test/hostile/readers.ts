// How others would read what we wrote: a tokenizer for HTML after its standard, what mail programs take for a link, and
// the characters that must never come through. None of it shares code with the encoders it judges.

export interface HtmlReading {
  /** `td[colspan=2][style=…]`, in order. */
  readonly tags: readonly string[];
  readonly text: string;
}

/** The tags with their attributes, and the text between them, as a browser's tokenizer sees them. */
export function readHtml(markup: string): HtmlReading {
  const tags: string[] = [];
  const texts: string[] = [];
  for (const [found] of markup.matchAll(TOKENS))
    if (found.startsWith('<!--')) tags.push('comment');
    else if (/^<[!?]/.test(found)) tags.push(found);
    else if (/^<\/?[A-Za-z]/.test(found)) tags.push(readTag(found));
    else texts.push(found);
  return { tags, text: decodeEntities(texts.join('')) };
}

// A comment, a declaration, a tag whose quoted attributes may hold `>`, or text; what is never closed goes to the end.
const TOKENS = /<!--[^]*?(?:-->|$)|<[!?][^>]*>?|<\/?[A-Za-z](?:[^>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*>?|<|[^<]+/g;
const ATTRIBUTE = /([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/g;

function readTag(tag: string): string {
  const [, name = '', rest = ''] = /^<(\/?[^\s/>]+)([^]*?)>?$/.exec(tag) ?? [];
  const attributes = [...rest.matchAll(ATTRIBUTE)].map(
    ([, key = '', double, single, bare]) => `[${key.toLowerCase()}=${decodeEntities(double ?? single ?? bare ?? '')}]`,
  );
  return name.toLowerCase() + attributes.join('');
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00a0' };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));?/gi,
    (all, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? all;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(hex, 16));
    },
  );
}

// Greedier than any mail program: what is not in here, none of them underlines. Each looks around one character, so that
// reading a long text takes no longer than it is.
const LINKS = [
  /\S[:\uff1a]\/\/\S{1,20}/g,
  /(?:mailto|javascript|vbscript|data|tel|sms|file|bitcoin|ethereum|wc|tg|callto|skype|xmpp|magnet):\S{1,20}/gi,
  /\S[.\u2024\u3002\ufe52\uff0e\uff61][\p{L}\p{M}][\p{L}\p{M}\p{N}-]{1,20}/gu,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
  /\S[@\uff20\ufe6b]\S/g,
  /(?:^|\s)[@\uff20]\w/g,
  /\\\\\S/g,
  /<[!#@]\S{0,20}/g,
];

/** What a mail program or a chat would make a link of, in order of kind. */
export function linksIn(text: string): string[] {
  return LINKS.flatMap((pattern) => [...text.matchAll(pattern)].map(([found]) => found));
}

/** Characters that act, hide or reorder. A line feed is looked at apart. */
const FORBIDDEN: readonly (readonly [number, number])[] = [
  [0x00, 0x09],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xe000, 0xf8ff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffc],
  [0xfffe, 0xffff],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  [0xf0000, 0x10ffff],
];

const FORBIDDEN_PATTERN = new RegExp(
  `[${FORBIDDEN.map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join('-')).join('')}]`,
  'gu',
);

/** The forbidden ones of a text, as `U+202E`. */
export function forbiddenIn(text: string): string[] {
  return [...text.matchAll(FORBIDDEN_PATTERN)].map(([found]) => `U+${(found.codePointAt(0) ?? 0).toString(16)}`);
}

/** All text in JSON, names included, one per line. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsOf(inner)]);
}
