// Chooses the targets of an alert and its options from all routes. Pure, so that the daemon, `check` and tests of rules
// agree.
import { BUILT_IN_RULE } from '../core/model/ids.ts';
import { matches } from './policy/match.ts';
import { namesSelf } from './policy/silenced.ts';
import type { Labels, Route, Routing } from './model.ts';

/**
 * All routes are checked. The channels are those of `notify` in the alert's rule, else those of the first matching
 * route with `notify`. The `add` channels of every matching route are added. Each option comes from the first matching
 * route that sets it; the mute windows of all matching routes apply. If there is no channel, no message is sent.
 *
 * For alerts of the daemon about itself, mute windows and groups come only from routes that name the watch
 * `chainwarden`.
 */
export function routingOf(routes: readonly Route[], notify: readonly string[] | null, labels: Labels): Routing {
  const matching = routes.filter(({ match }) => matches(match, labels));
  const holding = labels['watch'] === BUILT_IN_RULE ? matching.filter(({ match }) => namesSelf(match)) : matching;
  const named = notify ?? firstSet(matching, 'notify') ?? [];
  return {
    channels: [...new Set([...named, ...matching.flatMap(({ add }) => add)])],
    options: {
      groupBy: firstSet(holding, 'groupBy'),
      groupWaitMs: firstSet(holding, 'groupWaitMs'),
      groupIntervalMs: firstSet(holding, 'groupIntervalMs'),
      repeatMs: firstSet(matching, 'repeatMs'),
      requireAck: firstSet(matching, 'requireAck'),
      escalate: firstSet(matching, 'escalate'),
      failover: firstSet(matching, 'failover'),
      mute: holding.flatMap(({ mute }) => mute),
    },
  };
}

function firstSet<K extends keyof Route>(routes: readonly Route[], key: K): Route[K] | null {
  return routes.find((route) => route[key] !== null)?.[key] ?? null;
}
