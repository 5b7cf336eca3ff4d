import { Buffer } from 'node:buffer';
import { secretsIn, SHORTEST_ANYWHERE, spellingsOf, type Spelling } from './secret-spellings.ts';

/** Replaces secrets in text, from any source and with any escapes. */
export interface Redactor {
  readonly redact: (text: string) => string;
  /**
   * Replaces secrets in a JSON body, which remains valid JSON. Returns the same bytes if the body contains no secret.
   */
  readonly redactJson: (body: Buffer) => Buffer;
  readonly add: (secrets: readonly string[]) => void;
}

const REDACTED = '[redacted]';

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = new Set<string>();
  let spellings: readonly Spelling[] = [];
  let pattern = NOTHING;
  let inJson: readonly string[] = [];

  function add(more: readonly string[]): void {
    const before = known.size;
    for (const secret of more) if (secret !== '') known.add(secret);
    if (known.size === before) return;
    // Longest first: if one secret is part of another, the longer one is replaced.
    spellings = spellingsOf(known).sort((a, b) => b.literal.length - a.literal.length);
    pattern = spellings.length === 0 ? NOTHING : new RegExp(spellings.map(({ source }) => source).join('|'), 'g');
    inJson = [...known].flatMap(secretsIn).filter(isUnlikeData).flatMap(spellingsInJson);
  }

  // Few texts contain a secret. A search for plain text takes a tenth of the time that a match with the pattern takes,
  // so the search comes first.
  function redactBare(text: string): string {
    return spellings.some(({ literal }) => text.includes(literal)) ? text.replace(pattern, REDACTED) : text;
  }

  function redactJson(body: Buffer): Buffer {
    if (inJson.length === 0) return body;
    const mayHold = inJson.some((spelling) => body.includes(spelling)) || body.includes(ESCAPED_ASCII);
    if (!mayHold) return body;
    const text = body.toString('utf8').replace(JSON_ESCAPE, withoutNeed);
    const clean = inJson.reduce((rest, spelling) => rest.replaceAll(spelling, REDACTED_IN_JSON), text);
    return clean === text ? body : Buffer.from(clean);
  }

  add(secrets);
  return {
    add,
    redact: (text) => (known.size === 0 ? text : withoutEscaped(redactBare(text), pattern)),
    redactJson,
  };
}

/** The offset of the first character, and the offset after the last. */
type Range = readonly [start: number, end: number];

/** Servers escape text that they echo, and a second server escapes it again. */
const MOST_LAYERS = 2;

/** `text` without the secrets that its unescaped form contains. */
function withoutEscaped(text: string, pattern: RegExp): string {
  const found: Range[] = [];
  let layer = unescaped(text);
  for (let n = 0; layer !== null && n < MOST_LAYERS; n += 1) {
    const { offsets } = layer;
    for (const { 0: secret, index } of layer.text.matchAll(pattern))
      found.push([offsets[index] ?? 0, offsets[index + secret.length] ?? text.length]);
    layer = unescapedAgain(layer);
  }
  return found.length === 0 ? text : without(text, found);
}

function without(text: string, ranges: readonly Range[]): string {
  let end = 0;
  let kept = '';
  for (const [start, next] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start >= end) kept += text.slice(end, start) + REDACTED;
    end = Math.max(end, next);
  }
  return kept + text.slice(end);
}

const REDACTED_IN_JSON = '***';
/** The start of each escape of a letter or digit in JSON. */
const ESCAPED_ASCII = '\\u00';
const JSON_ESCAPE = /\\(?:u00([2-7][\da-f])|[^])/gi;

/** Replaces an escape by its character if JSON does not need the escape. */
function withoutNeed(escape: string, code: string | undefined): string {
  const character = code === undefined ? '' : String.fromCharCode(parseInt(code, 16));
  return /^[!#-[\]-~]$/.test(character) ? character : escape;
}

/**
 * False for a secret of digits, which may equal an amount, and for a short secret, which may equal a word. To replace
 * them would damage the data.
 */
function isUnlikeData(secret: string): boolean {
  return secret.length >= SHORTEST_ANYWHERE && !/^\d+$/.test(secret);
}

function spellingsInJson(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, encodeURIComponent(secret.toWellFormed()), quoted, quoted.replaceAll('/', '\\/')])];
}

const NOTHING = /(?!)/g;

/** Text without the escapes of JSON, URLs and HTML, with the original offset of each character. */
interface Unescaped {
  readonly text: string;
  /** For each UTF-16 unit of `text`, and for its end: the offset in the text before unescaping. */
  readonly offsets: readonly number[];
}

const ESCAPE =
  /\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&(amp|lt|gt|quot|apos);|\\(["'/\\])/gi;

/** Null if no part is escaped. Each byte beyond ASCII in a URL becomes one character. */
function unescaped(escaped: string): Unescaped | null {
  let text = '';
  let end = 0;
  const offsets: number[] = [];
  const keep = (part: string, at: number, step: 0 | 1): void => {
    for (let i = 0; i < part.length; i += 1) offsets.push(at + i * step);
    text += part;
  };
  for (const match of escaped.matchAll(ESCAPE)) {
    keep(escaped.slice(end, match.index), end, 1);
    keep(characterOf(match), match.index, 0);
    end = match.index + match[0].length;
  }
  if (end === 0) return null;
  keep(escaped.slice(end), end, 1);
  return { text, offsets: [...offsets, escaped.length] };
}

/** Removes a second layer of escapes; the offsets are those in the first text. Null if there is no second layer. */
function unescapedAgain({ text, offsets }: Unescaped): Unescaped | null {
  const again = unescaped(text);
  return again && { text: again.text, offsets: again.offsets.map((offset) => offsets[offset] ?? 0) };
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10ffff;

function characterOf([all, braced, unit, byte, percent, hex, decimal, name, literal]: RegExpExecArray): string {
  if (literal !== undefined) return literal;
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? all;
  const code = decimal === undefined ? parseInt(braced ?? unit ?? byte ?? percent ?? hex ?? '', 16) : Number(decimal);
  return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : all;
}
