// The labels of all alerts, to find the misspelt pattern of a matcher. A negation that excludes nothing would match every
// alert, so a value that no alert has is a problem there as well.
import type { Config } from '../config/model.ts';
import { hintFor } from '../config/nearest.ts';
import type { Problem } from '../config/problem.ts';
import { quote } from '../config/scalars.ts';
import type { Path } from '../config/yaml/written.ts';
import type { Labels } from '../core/model/ids.ts';
import type { AnyKind } from '../core/model/kind.ts';
import { GIVEN_LABELS } from '../core/model/labels.ts';
import { fitsGlob } from '../dispatch/match.ts';
import type { Matcher } from '../dispatch/model.ts';
import { SEVERITIES } from './language/words.ts';

/** Finding a similar value takes time for each: there may be 100,000 addresses. */
const MOST_COMPARED = 1000;

export class KnownLabels {
  readonly #config: Config;
  readonly #values = new Map<string, Set<string>>();

  /** Of the labels that the program gives, some values are known without an alert that has them. */
  constructor(config: Config, kinds: readonly AnyKind[]) {
    this.#config = config;
    for (const name of GIVEN_LABELS) this.#values.set(name, new Set());
    for (const severity of SEVERITIES) this.#note('severity', severity);
    for (const { name } of kinds) this.#note('kind', name);
    for (const name of config.explorers.keys()) this.#note('explorer', name);
  }

  /** The labels of one alert. */
  add(labels: Labels): void {
    for (const [name, value] of Object.entries(labels)) this.#note(name, value);
  }

  #note(name: string, value: string): void {
    const values = this.#values.get(name) ?? new Set();
    this.#values.set(name, values.add(value));
  }

  /** What is wrong with a matcher of the config. `isMatching`: whether it matches an alert. */
  problemsOf(matcher: Matcher, path: Path, isMatching: boolean): Problem[] {
    const found = Object.entries(matcher).flatMap(([name, patterns]) => this.#misspelt(name, patterns, path));
    if (isMatching || found.length > 0 || Object.keys(matcher).length === 0) return found;
    const hint = 'No alert has all of these labels at once.';
    return [this.#config.source.problem(path, { message: 'matches no alert', hint })];
  }

  #misspelt(name: string, patterns: string | readonly string[], path: Path): Problem[] {
    const { source } = this.#config;
    const values = this.#values.get(name);
    if (values === undefined) {
      const hint = hintFor(name, this.#values.keys());
      return [source.problem(path, { key: name, message: `no alert has the label ${quote(name)}`, hint })];
    }
    const list = typeof patterns === 'string' ? [patterns] : patterns;
    return list.flatMap((pattern, i) => {
      const wanted = pattern.startsWith('!') ? pattern.slice(1) : pattern;
      if (values.has(wanted) || values.values().some((value) => fitsGlob(wanted, value))) return [];
      const at = list.length > 1 ? [...path, name, i] : [...path, name];
      const message = `no alert has ${name} ${quote(wanted)}`;
      const hint = values.size > MOST_COMPARED ? undefined : hintFor(wanted, values);
      return [source.problem(at, { message, hint })];
    });
  }
}
