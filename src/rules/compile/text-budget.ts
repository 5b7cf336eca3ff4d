// Limits how much text of one file is compiled. Compiling takes some microseconds per character and explorer: one file
// of 1 MiB could take ten seconds.

/**
 * The most characters of different conditions, titles and texts of one file. Each is counted once for each explorer.
 */
export const MOST_TEXT = 128 * 1024;

/** The text of one file that may still be compiled. */
export class TextBudget {
  readonly #known = new Set<string>();
  #left = MOST_TEXT;

  /** False when the limit is exceeded. The same text on the same explorer counts once. */
  affords(text: string, explorer: string): boolean {
    const key = `${explorer} ${text}`;
    if (this.#known.has(key)) return true;
    if (text.length > this.#left) return false;
    this.#left -= text.length;
    this.#known.add(key);
    return true;
  }
}
