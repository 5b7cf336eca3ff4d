// The labels of all alerts with their values, to find misspelt patterns of matchers. A pattern with `!` that fits no
// label of any alert is a mistake too: it matches every alert, and has no effect.
import { hintFor } from '../config/values/nearest.ts';
import { quote } from '../config/values/scalars.ts';
import { SEVERITIES, type Labels } from '../core/model/ids.ts';
import { GIVEN_LABELS } from '../core/model/watch/identity.ts';
import { fitsGlob } from '../dispatch/policy/match.ts';
import type { Matcher } from '../dispatch/model.ts';

/**
 * With more values there is no hint. The search for a similar value takes time for each, and there may be 100,000
 * addresses.
 */
const MOST_COMPARED = 1000;

/** One mistake in a matcher. */
export interface LabelMistake {
  readonly label: string;
  /** The pattern's index in a list; null if it is the only one, or if the label's name is misspelt. */
  readonly index: number | null;
  /** True if no alert has this label. */
  readonly isName: boolean;
  readonly message: string;
  readonly hint: string | undefined;
}

export class LabelValues {
  readonly #values = new Map<string, Set<string>>();

  constructor() {
    for (const name of GIVEN_LABELS) this.#values.set(name, new Set());
    for (const severity of SEVERITIES) this.note('severity', severity);
    this.note('claim', 'true');
  }

  note(name: string, value: string): void {
    const values = this.#values.get(name) ?? new Set();
    this.#values.set(name, values.add(value));
  }

  /** Adds the labels of one alert. */
  add(labels: Labels): void {
    for (const [name, value] of Object.entries(labels)) this.note(name, value);
  }

  /** Null if an alert has the label. */
  mistakeInName(label: string): Pick<LabelMistake, 'message' | 'hint'> | null {
    if (this.#values.has(label)) return null;
    return { message: `no alert has the label ${quote(label)}`, hint: hintFor(label, this.#values.keys()) };
  }

  mistakesIn(matcher: Matcher): LabelMistake[] {
    return Object.entries(matcher).flatMap(([label, patterns]) => this.#misspelt(label, patterns));
  }

  #misspelt(label: string, patterns: string | readonly string[]): LabelMistake[] {
    const inName = this.mistakeInName(label);
    if (inName !== null) return [{ ...inName, label, index: null, isName: true }];
    const values = this.#values.get(label) ?? new Set();
    const list = typeof patterns === 'string' ? [patterns] : patterns;
    return list.flatMap((pattern, i) => {
      const wanted = pattern.startsWith('!') ? pattern.slice(1) : pattern;
      if (values.has(wanted) || values.values().some((value) => fitsGlob(wanted, value))) return [];
      const message = `no alert has ${label} ${quote(wanted)}`;
      const hint = values.size > MOST_COMPARED ? undefined : hintFor(wanted, values);
      return [{ label, index: list.length > 1 ? i : null, isName: false, message, hint }];
    });
  }
}
