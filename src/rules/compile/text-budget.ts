// Compiling takes some microseconds for each character of a condition, for every explorer that it is compiled for: one
// file of 1 MiB could take ten seconds.

/** Characters of different conditions, titles and texts of one file, counted once for each explorer. */
export const MOST_TEXT = 128 * 1024;

/** What one file may still have compiled. */
export class TextBudget {
  readonly #known = new Set<string>();
  #left = MOST_TEXT;

  /** False when it is more than the file may have; the same text on the same explorer is counted once. */
  affords(text: string, explorer: string): boolean {
    const key = `${explorer} ${text}`;
    if (this.#known.has(key)) return true;
    if (text.length > this.#left) return false;
    this.#left -= text.length;
    this.#known.add(key);
    return true;
  }
}
