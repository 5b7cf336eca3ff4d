import type { MetricRow } from '../metric-rows/row.ts';

export type SeriesLabels = Readonly<Record<string, string>>;

/**
 * The text of the labels of each series, `{watch="a",of="b"}`, by its place in a scrape. A text is kept until the series
 * at its place has another value. Each character of a text is one byte of its UTF-8: a text with a character beyond
 * Latin-1, such as the `…` of a short address, would take two bytes for each character, and longer to be written.
 */
export class LabelTexts {
  readonly #labels: readonly string[];
  /** All values of the first place, then those of the second one, and so on. */
  readonly #values: string[] = [];
  readonly #texts: string[] = [];

  constructor({ labels }: MetricRow) {
    this.#labels = labels;
  }

  /** `place`: at most one more than the highest place so far. */
  at(place: number, values: SeriesLabels): string {
    const known = this.#texts[place];
    const isKnown = this.#keep(place * this.#labels.length, values);
    if (known !== undefined && isKnown) return known;
    const text = textOf(this.#labels, values);
    this.#texts[place] = text;
    return text;
  }

  /** Drops the places from `count` on. */
  end(count: number): void {
    this.#texts.length = count;
    this.#values.length = count * this.#labels.length;
  }

  /** Returns true if the values at this place are those that were there. */
  #keep(from: number, values: SeriesLabels): boolean {
    let isSame = true;
    let index = from;
    for (const label of this.#labels) {
      const value = values[label] ?? '';
      if (value !== this.#values[index]) {
        this.#values[index] = value;
        isSame = false;
      }
      index += 1;
    }
    return isSame;
  }
}

/** Joined at once, since V8 would keep a text that is added up as a tree of its parts. */
function textOf(labels: readonly string[], values: SeriesLabels): string {
  if (labels.length === 0) return '';
  const parts: string[] = [];
  for (const label of labels)
    parts.push(parts.length === 0 ? '{' : '",', label, '="', escapeLabel(values[label] ?? ''));
  parts.push('"}');
  return parts.join('');
}

function escapeLabel(value: string): string {
  if (IS_PLAIN.test(value)) return value;
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return Buffer.from(escaped).toString('latin1');
}

/** Printable ASCII without quotation marks and backslashes. */
const IS_PLAIN = /^[ !#-[\]-~]*$/;
