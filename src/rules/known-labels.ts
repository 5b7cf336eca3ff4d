// The labels of all alerts of a load, to find misspelt matchers in its config.
import type { Config } from '../config/model.ts';
import type { Problem } from '../config/problem.ts';
import type { Path } from '../config/yaml/written.ts';
import type { Labels } from '../core/model/ids.ts';
import type { AnyKind } from '../core/model/watch/kind.ts';
import type { Matcher } from '../dispatch/model.ts';
import { LabelValues, type LabelMistake } from './label-values.ts';

export class KnownLabels {
  readonly #config: Config;
  readonly #values = new LabelValues();

  /** Kinds and explorers are known as values of labels even if no alert has them yet. */
  constructor(config: Config, kinds: readonly AnyKind[]) {
    this.#config = config;
    for (const { name } of kinds) this.#values.note('kind', name);
    for (const name of config.explorers.keys()) this.#values.note('explorer', name);
  }

  /** Adds the labels of one alert. */
  add(labels: Labels): void {
    this.#values.add(labels);
  }

  /** The problems of a matcher of the config. `isMatching`: true if it matches an alert. */
  problemsOf(matcher: Matcher, path: Path, isMatching: boolean): Problem[] {
    const found = this.#values.mistakesIn(matcher).map((mistake) => this.#problemOf(mistake, path));
    if (isMatching || found.length > 0 || Object.keys(matcher).length === 0) return found;
    const hint = 'No alert has all of these labels at once.';
    return [this.#config.source.problem(path, { message: 'matches no alert', hint })];
  }

  /** Reports names of labels in a list of the config that no alert has. */
  problemsOfNames(names: readonly string[], path: Path): Problem[] {
    return names.flatMap((name, i) => {
      const mistake = this.#values.mistakeInName(name);
      if (mistake === null) return [];
      const at = names.length > 1 ? [...path, i] : path;
      return [this.#config.source.problem(at, { message: mistake.message, hint: mistake.hint })];
    });
  }

  #problemOf({ label, index, isName, message, hint }: LabelMistake, path: Path): Problem {
    const { source } = this.#config;
    if (isName) return source.problem(path, { key: label, message, hint });
    return source.problem(index === null ? [...path, label] : [...path, label, index], { message, hint });
  }
}
