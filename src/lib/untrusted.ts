// Untrusted text, which other people choose: token names, revert reasons, tags. At run time it is a string, so that it
// can be stored and compared. Its type has none of a string's members: it cannot be joined, put into a template or
// passed where a string is expected. Only the functions of this file return it as a string.
declare const brand: unique symbol;

export interface Untrusted {
  readonly [brand]: 'untrusted';
}

/** Marks text that came from the chain. Call this only where answers are decoded. */
export function untrusted(text: string): Untrusted {
  return text as unknown as Untrusted;
}

/** Returns the text for an exact comparison or for storage. To show it to a person, use `plain` or `html`. */
export function rawText(text: Untrusted): string {
  return text as unknown as string;
}

const MOST_CHARACTERS = 256;

/**
 * The text for a place between double quotes, without a mark that could close them. Has at most `most` characters, and
 * is still untrusted.
 */
export function quotable(text: Untrusted, most: number): Untrusted {
  return untrusted(singleLine(rawText(text), most).replace(/["\u201c-\u201f\u2033\u301d-\u301f\uff02]/g, "'"));
}

/**
 * One safe line for mails, logs and terminals: no control or invisible characters, white space folded, at most three
 * combining marks in a row, capped, and with links, mail addresses and mentions defanged.
 *
 * plain(untrusted('claim at https://evil.example')) // 'claim at hxxps[:]//evil[.]example'
 */
export function plain(text: Untrusted, most = MOST_CHARACTERS): string {
  return plainJoined([{ untrusted: text }], most);
}

/**
 * Joins text of the program and untrusted text; each untrusted part is shown as by `plain`. A link that only arises
 * from both parts is defanged as well: `evil.` beside `com`, or an untrusted word behind a dot of the program. Line
 * breaks of the program stay.
 */
export function plainJoined(
  pieces: readonly ({ readonly text: string } | { readonly untrusted: Untrusted })[],
  most = MOST_CHARACTERS,
): string {
  let joined = '';
  const spans: Span[] = [];
  for (const piece of pieces) {
    const text = 'text' in piece ? piece.text : singleLine(rawText(piece.untrusted), most);
    if ('untrusted' in piece) spans.push([joined.length, joined.length + text.length]);
    joined += text;
  }
  return defang(joined, spans);
}

// Controls, format characters, bidirectional marks, zero-width characters, tag characters, variation selectors, blank
// fillers, lone surrogates, noncharacters and private use: they change what a reader sees, and are not visible
// themselves.
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufffc]/gu;

// Most text matches this and needs no change.
const PRINTABLE = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Text of another program or of the chain as one visible line: white space folded, invisible characters spelled out, at
 * most three combining marks in a row, capped. Links stay links: for untrusted text use `plain`.
 *
 * singleLine('queued\r\nas 12\u202e') // 'queued as 12‹U+202E›'
 */
export function singleLine(text: string, most = MOST_CHARACTERS): string {
  if (text.length <= most && PRINTABLE.test(text)) return text;
  const line = text
    .slice(0, most * 8)
    .toWellFormed()
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(INVISIBLE, (character) => `\u2039U+${codePoint(character)}\u203a`)
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .trim();
  return cap(line, most);
}

/** Escapes text for HTML content or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

function cap(line: string, most: number): string {
  if (line.length <= most) return line;
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, most).join('')}\u2026`;
}

/** An untrusted part of a text: the offset of its first character, and the offset after its last. */
type Span = readonly [start: number, end: number];

// Mail programs and chats make a link of anything like a scheme, a host, an address, a mention or a network path: http,
// a colon or a dot with text behind it, an at sign, two backslashes, and characters that look like these. Chats behind
// a webhook take `<!channel>` for a call to everybody, and `<#` for a link to a channel.
const LINK_MAKERS =
  /http|[:\uff1a](?:\/\/)?(?=\S)|[.\u2024\u3002\ufe52\uff0e\uff61](?=\S)|[@\ufe6b\uff20]|\\(?=\\)|<(?=[!#@])/gi;

function defang(joined: string, spans: readonly Span[]): string {
  if (spans.length === 0) return joined;
  return joined.replace(LINK_MAKERS, (found, at: number) =>
    spans.some(([start, end]) => at + found.length >= start && at <= end) ? disarmed(found) : found,
  );
}

function disarmed(found: string): string {
  if (found.length === 4) return found === 'HTTP' ? 'HXXP' : 'hxxp';
  if (found.length === 3) return `[${found.charAt(0)}]//`;
  return /[@\ufe6b\uff20]/.test(found) ? '[at]' : `[${found}]`;
}
