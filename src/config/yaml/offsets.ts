import type { Scalar } from 'yaml';

/**
 * Maps the index of a character in a scalar's value to its offset in the file. This is exact for plain and quoted
 * scalars on one line. Folded and escaped scalars are compared with their value step by step, so that a caret points at
 * the right word.
 */
export function offsetsIn(text: string, scalar: Scalar.Parsed): (index: number) => number {
  const [from, to] = scalar.range;
  const raw = text.slice(from, to);
  const value = typeof scalar.value === 'string' ? scalar.value : '';
  const escapes = scalar.type === 'QUOTE_DOUBLE';
  const places: number[] = [];
  let at = startOf(raw, scalar.type);
  for (const character of value) {
    at = skipTo(raw, at, character, escapes);
    for (let unit = 0; unit < character.length; unit++) places.push(Math.min(at + unit, raw.length));
    at += widthAt(raw, at, character, escapes);
  }
  return (index) => from + (places[index] ?? Math.min(at, Math.max(0, raw.length)));
}

function startOf(raw: string, type: string | undefined): number {
  if (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') return 1;
  if (type !== 'BLOCK_FOLDED' && type !== 'BLOCK_LITERAL') return 0;
  const header = raw.indexOf('\n') + 1;
  return header + (/^\s*/.exec(raw.slice(header))?.[0].length ?? 0);
}

// The offset of the character in `raw`. If lines are folded, white space of the value may be other white space in the
// file. Indentation is only in the file, so it is skipped.
function skipTo(raw: string, from: number, character: string, escapes: boolean): number {
  let at = from;
  while (at < raw.length && !raw.startsWith(character, at)) {
    const escape = escapes ? escapeAt(raw, at) : undefined;
    if (escape?.character === character) return at;
    if (/\s/.test(character) && /\s/.test(raw[at] ?? '')) return at;
    if (escape === undefined && !/[\s']/.test(raw[at] ?? '')) return at;
    at += escape?.width ?? 1;
  }
  return at;
}

function widthAt(raw: string, at: number, character: string, escapes: boolean): number {
  const escape = escapes ? escapeAt(raw, at) : undefined;
  if (escape !== undefined) return escape.width;
  if (raw.startsWith(character, at)) return character.length;
  return /^\s*/.exec(raw.slice(at))?.[0].length ?? 1;
}

interface Escape {
  readonly character: string;
  readonly width: number;
}

function escapeAt(raw: string, at: number): Escape | undefined {
  if (raw[at] !== '\\') return undefined;
  const code = /^(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))/i.exec(raw.slice(at + 1, at + 10));
  if (code === null) return { character: ESCAPES[raw[at + 1] ?? ''] ?? raw[at + 1] ?? '', width: 2 };
  const point = Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '', 16);
  return { character: point <= LAST_POINT ? String.fromCodePoint(point) : '', width: 1 + code[0].length };
}

const LAST_POINT = 0x10ffff;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };
