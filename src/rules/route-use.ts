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
  matched: number;
  /** Alerts whose channels it decides. */
  decided: number;
  /** What decides the channels of the others: the lines of earlier routes, `rule` where the alert names its own. */
  readonly takenBy: Set<number | 'rule'>;
}

export class RouteUse {
  readonly #config: Config;
  readonly #uses: readonly Use[];
  readonly #known: KnownLabels;

  constructor(config: Config, kinds: readonly AnyKind[]) {
    this.#config = config;
    this.#uses = config.routes.map((route) => ({ route, matched: 0, decided: 0, takenBy: new Set() }));
    this.#known = new KnownLabels(config, kinds);
  }

  /** The routing of an alert. `notify`: the channels that its rule names, if any. */
  route(labels: Labels, notify: readonly string[] | null): Routing {
    this.#known.add(labels);
    let taker: number | 'rule' | null = notify === null ? null : 'rule';
    for (const use of this.#uses) {
      const { route } = use;
      if (!matches(route.match, labels)) continue;
      use.matched += 1;
      if (route.notify === null) continue;
      if (taker === null) use.decided += 1;
      else use.takenBy.add(taker);
      taker ??= this.#lineOf(route);
    }
    return routingOf(this.#config.routes, notify, labels);
  }

  /** Of all alerts together: routes that match none of them. */
  problems(): Problem[] {
    return this.#uses.flatMap(({ route: { path, match }, matched }) =>
      path === null ? [] : this.#known.problemsOf(match, [...path, 'match'], matched > 0),
    );
  }

  /** Of all alerts together: routes whose `notify` is never reached. */
  warnings(): Problem[] {
    return this.#uses.flatMap(({ route: { path, notify }, decided, takenBy }) => {
      if (path === null || notify === null || decided > 0 || takenBy.size === 0) return [];
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
