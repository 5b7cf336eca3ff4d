// Routes the alerts of a load and finds mistakes in the routes. A route that matches no alert is a problem, and so is
// an option that can have no effect. A `notify` that is never reached is a warning.
import type { Config, ConfigRoute } from '../config/model.ts';
import type { Problem } from '../config/problem.ts';
import { quote } from '../config/values/scalars.ts';
import type { Labels } from '../core/model/ids.ts';
import type { AnyKind } from '../core/model/watch/kind.ts';
import { matches, routingOf } from '../dispatch/policy/match.ts';
import type { Routing } from '../dispatch/model.ts';
import { InhibitUse } from './inhibit-use.ts';
import { KnownLabels } from './known-labels.ts';

/** One route, and how the alerts use it. */
interface Use {
  readonly route: ConfigRoute;
  isMatching: boolean;
  /** Whether it decides the channels of an alert. */
  isDeciding: boolean;
  /** The lines of earlier routes that decide the channels in its place, or `rule` if the alert names its channels. */
  readonly takenBy: Set<number | 'rule'>;
  /** Severities of the alerts that it matches. */
  readonly severities: Set<string>;
  /** Channels of its `failover` that an alert uses anyway, each with the name of that alert. */
  readonly failsTogether: Map<string, string>;
}

export class RouteUse {
  readonly #config: Config;
  readonly #uses: readonly Use[];
  readonly #known: KnownLabels;
  readonly #inhibit: InhibitUse;
  /** `severity`, and the labels that matchers read. Alerts with equal values of these have equal routing. */
  readonly #read: readonly string[];
  readonly #routings = new Map<string, Routing>();

  constructor(config: Config, kinds: readonly AnyKind[]) {
    this.#config = config;
    this.#uses = config.routes.map((route) => ({
      route,
      isMatching: false,
      isDeciding: false,
      takenBy: new Set(),
      severities: new Set(),
      failsTogether: new Map(),
    }));
    this.#known = new KnownLabels(config, kinds);
    this.#inhibit = new InhibitUse(config, this.#known);
    const matchers = [
      ...config.routes.map(({ match }) => match),
      ...config.inhibit.flatMap(({ when, mute }) => [when, mute]),
    ];
    this.#read = [...new Set(['severity', ...matchers.flatMap((matcher) => Object.keys(matcher))])];
  }

  /** The routing of an alert. `notify`: the channels that its rule names, if any. */
  route(labels: Labels, notify: readonly string[] | null): Routing {
    this.#known.add(labels);
    const key = JSON.stringify([notify, this.#read.map((name) => labels[name])]);
    const routing = this.#routings.get(key) ?? this.#decide(labels, notify);
    this.#routings.set(key, routing);
    return routing;
  }

  #decide(labels: Labels, notify: readonly string[] | null): Routing {
    this.#inhibit.add(labels);
    const routing = routingOf(this.#config.routes, notify, labels);
    const matching = this.#uses.filter(({ route }) => matches(route.match, labels));
    for (const use of matching) noteMatch(use, labels, routing);
    this.#noteDecision(matching, notify);
    return routing;
  }

  #noteDecision(matching: readonly Use[], notify: readonly string[] | null): void {
    let taker: number | 'rule' | null = notify === null ? null : 'rule';
    for (const use of matching) {
      if (use.route.notify === null) continue;
      if (taker === null) use.isDeciding = true;
      else use.takenBy.add(taker);
      taker ??= this.#lineOf(use.route);
    }
  }

  /** Called once all alerts are routed. */
  problems(): Problem[] {
    return [...this.#uses.flatMap((use) => this.#problemsOf(use)), ...this.#inhibit.problems()];
  }

  #problemsOf({ route, isMatching, severities, failsTogether }: Use): Problem[] {
    const { path, match, groupBy, repeatMs } = route;
    if (path === null) return [];
    const { source } = this.#config;
    const problems = [
      ...this.#known.problemsOf(match, [...path, 'match'], isMatching),
      ...this.#known.problemsOfNames(groupBy ?? [], [...path, 'group_by']),
    ];
    if (typeof repeatMs === 'number' && severities.size === 1 && severities.has('info'))
      problems.push(
        source.problem([...path, 'repeat'], { message: 'only info alerts match, which are never repeated' }),
      );
    for (const [channel, alert] of failsTogether)
      problems.push(
        source.problem([...path, 'failover'], {
          message: `fails together: ${alert} is sent to ${quote(channel)} already`,
          hint: 'Name a channel that the alert does not have.',
        }),
      );
    return problems;
  }

  /** Routes whose `notify` is never reached. Called once all alerts are routed. */
  warnings(): Problem[] {
    return this.#uses.flatMap(({ route: { path, notify }, isDeciding, takenBy }) => {
      if (path === null || notify === null || isDeciding || takenBy.size === 0) return [];
      return [this.#config.source.problem([...path, 'notify'], { message: `never reached: ${takersText(takenBy)}` })];
    });
  }

  #lineOf({ path }: ConfigRoute): number {
    return path === null ? 0 : this.#config.source.lineOf(path);
  }
}

function noteMatch(use: Use, labels: Labels, { channels, options }: Routing): void {
  const { watch = '', alert = '', severity = '' } = labels;
  use.isMatching = true;
  use.severities.add(severity);
  if (options.failover === null || options.failover !== use.route.failover) return;
  for (const channel of options.failover)
    if (channels.includes(channel)) use.failsTogether.set(channel, `${watch}/${alert}`);
}

function takersText(takenBy: ReadonlySet<number | 'rule'>): string {
  const lines = [...takenBy].filter((one) => one !== 'rule').toSorted((a, b) => a - b);
  const routes = lines.length === 1 ? `line ${lines[0]} takes` : `lines ${lines.join(', ')} take`;
  if (!takenBy.has('rule')) return `${routes} all`;
  const named = 'every alert that it matches names its own channels';
  return lines.length === 0 ? named : `${named}, or ${routes} it`;
}
