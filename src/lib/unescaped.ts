// Text without the escapes of JSON, URLs and HTML, with the original offset of each character.

export interface Unescaped {
  readonly text: string;
  /** For each UTF-16 unit of `text`, and for its end: the offset in the text before unescaping. */
  readonly offsets: readonly number[];
}

const ESCAPE =
  /\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&(amp|lt|gt|quot|apos);|\\(["'/\\])/gi;

/** Null if no part is escaped. Each byte beyond ASCII in a URL becomes one character. */
export function unescaped(escaped: string): Unescaped | null {
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
export function unescapedAgain({ text, offsets }: Unescaped): Unescaped | null {
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
