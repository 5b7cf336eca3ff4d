// Routes the alerts of a load, and notes what that makes of the routes: one that matches no alert is a problem, one whose
// `notify` has no effect is a warning.
import type { Config, ConfigRoute } from '../config/model.ts';
import type { Problem } from '../config/problem.ts';
import type { Labels } from '../core/model/ids.ts';
import type { AnyKind } from '../core/model/kind.ts';
import { matches } from '../dispatch/match.ts';
import type { Routing } from '../dispatch/model.ts';
import { routingOf } from '../dispatch/routing.ts';
import { KnownLabels } from './known-labels.ts';

/** What became of one route. */
interface Use {
  readonly route: ConfigRoute;
  isMatching: boolean;
  /** Whether it decides the channels of an alert. */
  isDeciding: boolean;
  /** What decides the channels of the others: the lines of earlier routes, `rule` where the alert names its own. */
  readonly takenBy: Set<number | 'rule'>;
}

export class RouteUse {
  readonly #config: Config;
  readonly #uses: readonly Use[];
  readonly #known: KnownLabels;
  /** The labels that matchers look at: alerts with the same values of these make the same of the routes. */
  readonly #read: readonly string[];
  readonly #routings = new Map<string, Routing>();

  constructor(config: Config, kinds: readonly AnyKind[]) {
    this.#config = config;
    this.#uses = config.routes.map((route) => ({
      route,
      isMatching: false,
      isDeciding: false,
      takenBy: new Set(),
    }));
    this.#known = new KnownLabels(config, kinds);
    this.#read = [...new Set(config.routes.flatMap(({ match }) => Object.keys(match)))];
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
    let taker: number | 'rule' | null = notify === null ? null : 'rule';
    for (const use of this.#uses) {
      const { route } = use;
      if (!matches(route.match, labels)) continue;
      use.isMatching = true;
      if (route.notify === null) continue;
      if (taker === null) use.isDeciding = true;
      else use.takenBy.add(taker);
      taker ??= this.#lineOf(route);
    }
    return routingOf(this.#config.routes, notify, labels);
  }

  /** Of all alerts together: routes that match none of them. */
  problems(): Problem[] {
    return this.#uses.flatMap(({ route: { path, match }, isMatching }) =>
      path === null ? [] : this.#known.problemsOf(match, [...path, 'match'], isMatching),
    );
  }

  /** Of all alerts together: routes whose `notify` is never reached. */
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

function takersText(takenBy: ReadonlySet<number | 'rule'>): string {
  const lines = [...takenBy].filter((one) => one !== 'rule').toSorted((a, b) => a - b);
  const routes = lines.length === 1 ? `line ${lines[0]} takes` : `lines ${lines.join(', ')} take`;
  if (!takenBy.has('rule')) return `${routes} all`;
  const named = 'every alert that it matches names its own channels';
  return lines.length === 0 ? named : `${named}, or ${routes} it`;
}
