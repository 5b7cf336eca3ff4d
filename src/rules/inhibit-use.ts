// Checks `inhibit` of the config against the alerts of a load. Finds rules that match no alert, and rules by which
// alerts would mute each other.
import type { Config, ConfigInhibit } from '../config/model.ts';
import type { Problem } from '../config/problem.ts';
import type { Labels } from '../core/model/ids.ts';
import { matches } from '../dispatch/policy/match.ts';
import type { KnownLabels } from './known-labels.ts';

/** One rule, and the alerts that it matches. */
interface Use {
  readonly rule: ConfigInhibit;
  hasSource: boolean;
  hasMuted: boolean;
  /** Rules whose source alerts this rule mutes, each with the name of such an alert. */
  readonly mutesSourceOf: Map<Use, string>;
}

export class InhibitUse {
  readonly #config: Config;
  readonly #known: KnownLabels;
  readonly #uses: readonly Use[];

  constructor(config: Config, known: KnownLabels) {
    this.#config = config;
    this.#known = known;
    this.#uses = config.inhibit.map((rule) => ({ rule, hasSource: false, hasMuted: false, mutesSourceOf: new Map() }));
  }

  /** Adds the labels of one alert. */
  add(labels: Labels): void {
    const sources = this.#uses.filter(({ rule }) => matches(rule.when, labels));
    const muted = this.#uses.filter(({ rule }) => matches(rule.mute, labels));
    for (const use of sources) use.hasSource = true;
    for (const use of muted) {
      use.hasMuted = true;
      for (const source of sources) use.mutesSourceOf.set(source, `${labels['watch'] ?? ''}/${labels['alert'] ?? ''}`);
    }
  }

  /** Called once all alerts are added. */
  problems(): Problem[] {
    const wrong = this.#uses.flatMap((use) => this.#problemsOf(use));
    return [...wrong, ...this.#circleProblems()];
  }

  #problemsOf({ rule, hasSource, hasMuted }: Use): Problem[] {
    const { path, when, mute, equal } = rule;
    return [
      ...this.#known.problemsOf(when, [...path, 'when'], hasSource),
      ...this.#known.problemsOf(mute, [...path, 'mute'], hasMuted),
      ...this.#known.problemsOfNames(equal, [...path, 'equal']),
    ];
  }

  /** Alerts that mute each other in a circle would all be held back, so no message would be sent. */
  #circleProblems(): Problem[] {
    for (const use of this.#uses) {
      const circle = circleFrom(use, [], new Set());
      if (circle === null) continue;
      const [first = ''] = circle;
      const message = `inhibits itself: ${[...circle, first].join(' -> ')}`;
      const hint = 'Leave the alert of when out of mute, by a label such as severity.';
      return [this.#config.source.problem(use.rule.path, { message, hint })];
    }
    return [];
  }
}

/** The alerts of a circle that begins with this rule; null when there is none. */
function circleFrom(use: Use, trail: readonly Use[], dead: Set<Use>): readonly string[] | null {
  if (trail[0] === use) return [];
  if (trail.includes(use) || dead.has(use)) return null;
  for (const [next, alert] of use.mutesSourceOf) {
    const rest = circleFrom(next, [...trail, use], dead);
    if (rest !== null) return [alert, ...rest];
  }
  dead.add(use);
  return null;
}
