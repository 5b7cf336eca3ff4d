// The lines of a file, and how a place in it is shown.
import { visible } from '../problem.ts';

/** A file's text by line. Each printed line is made once, however many problems it has. */
export class Lines {
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
    const known = this.#shown.get(number) ?? visible(this.#textAt(number));
    this.#shown.set(number, known);
    return known;
  }

  #textAt(number: number): string {
    return this.texts[number - 1] ?? '';
  }
}

const MOST_SHOWN = 120;
