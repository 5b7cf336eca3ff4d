// The lines of a file, and how a place in it is shown.
import { visible } from '../problem.ts';

/** A file's text by line. Each printed line is made once, however many problems it has. */
export class SourceLines {
  readonly texts: readonly string[];
  readonly #shown = new Map<number, string>();

  constructor(text: string) {
    this.texts = text.split(/\r\n|\r|\n/);
  }

  /** The line of the span, the one before it, and carets below. */
  frame(line: number, column: number, length: number): string {
    const from = column + length <= MOST_SHOWN ? 0 : Math.max(0, column - MOST_SHOWN / 2);
    const width = String(line).length;
    const row = (number: number, mark: string): string =>
      `${mark} ${String(number).padStart(width)} | ${this.#visible(number).slice(from, from + MOST_SHOWN)}`.trimEnd();
    const room = this.#textAt(line).length - column + 1;
    const carets = '^'.repeat(Math.max(1, Math.min(length, room, MOST_SHOWN / 2)));
    const under = `  ${' '.repeat(width)} | ${' '.repeat(column - 1 - from)}${carets}`;
    return [...(line > 1 ? [row(line - 1, ' ')] : []), row(line, '>'), under].join('\n');
  }

  #visible(number: number): string {
    const known = this.#shown.get(number) ?? visible(this.#withoutHeader(number));
    this.#shown.set(number, known);
    return known;
  }

  /** The value of any header may be a secret, so no value below `headers:` is shown. */
  #withoutHeader(number: number): string {
    const text = this.#textAt(number);
    return this.#isBelowHeaders(number)
      ? withoutValue(text)
      : text.replace(HEADERS, (map) => map.replace(IN_MAP, hidden));
  }

  #isBelowHeaders(number: number): boolean {
    const depth = depthOf(this.#textAt(number));
    for (let above = number - 1; above >= Math.max(1, number - MOST_HEADERS); above -= 1) {
      const text = this.#textAt(above);
      if (text.trim() !== '' && depthOf(text) < depth) return /^\s*["']?headers["']?\s*:/.test(text);
    }
    return false;
  }

  #textAt(number: number): string {
    return this.texts[number - 1] ?? '';
  }
}

const MOST_SHOWN = 120;

/** The number of lines above a line that are searched for its `headers:`. */
const MOST_HEADERS = 100;
const HEADERS = /(?<=\bheaders["']?\s{0,9}:\s{0,9}\{).*/;

const IN_MAP = /(?<=:\s{0,9})[^\s,:][^,}]*/g;

function withoutValue(text: string): string {
  const at = text.indexOf(':');
  return at < 0 ? text : text.slice(0, at) + hidden(text.slice(at));
}

function hidden(value: string): string {
  return value.replace(/[^\s{},:]/g, '*');
}

function depthOf(text: string): number {
  return text.length - text.trimStart().length;
}
