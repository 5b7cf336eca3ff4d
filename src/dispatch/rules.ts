// The input of a round from the config in force and the running process. Decisions are pure: they read nothing else.
import type { DecidingRules } from './rounds/due-round.ts';
import type { ReroutingRules } from './reroute.ts';

export interface DispatchRules extends DecidingRules, ReroutingRules {
  readonly channelOf: DecidingRules['channelOf'];
  /** Channels with a cap, so that the messages to each recipient are counted. */
  readonly counted: readonly string[];
  /** Channels on which nobody can answer. */
  readonly unanswered: readonly string[];
}
