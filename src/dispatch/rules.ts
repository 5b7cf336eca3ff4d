// The input of a round from the config in force and the running process. Decisions are pure: they read nothing else.
import type { DecidingRules } from './rounds/due-round.ts';
import type { RoutingRules } from './rounds/route-round.ts';

export interface DispatchRules extends DecidingRules, RoutingRules {
  readonly channelOf: DecidingRules['channelOf'];
  /** Channels with a cap, so that the messages to each recipient are counted. */
  readonly counted: readonly string[];
}
