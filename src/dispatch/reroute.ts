// After a reload: whom what waits is owed to now, and which group tells them. It repeats nothing, and who is new hears of
// what happens from then on.
import type { AlertId, WatchId } from '../core/model/ids.ts';
import { placeOf } from './group.ts';
import type { AlertEpisode } from './model.ts';
import { stateUnnamed } from './owing.ts';
import type { RoutingRules } from './rounds/route-round.ts';
import type { Knowledge, Owing } from './rounds/routing-round.ts';

/** What a target knows of an alert that is open, or of which something waits. */
export interface ActiveState extends Knowledge, Pick<AlertEpisode, 'watch' | 'alert' | 'labels'> {}

export interface Rerouted extends Owing {
  /** False: it is not told again what it knows. */
  readonly isNamed: boolean;
}

export interface ReroutingRules extends RoutingRules {
  /** The channels of an alert; none where its rule is gone. */
  readonly channelsOf: (watch: WatchId, alert: AlertId) => readonly string[];
}

/** Pure. */
export function reroute(active: readonly ActiveState[], rules: ReroutingRules): Rerouted[] {
  return active.map(({ key, target, via, state, watch, alert, labels }) => {
    const isThere =
      rules.recipientsOf(target.channel)?.some(({ recipient }) => recipient === target.recipient) ?? false;
    const isNamed = isThere && (via !== 'route' || rules.channelsOf(watch, alert).includes(target.channel));
    const group = placeOf({ key, labels }, target, rules);
    return { key, notification: null, group, via, isNamed, state: isNamed ? state : stateUnnamed(state) };
  });
}
