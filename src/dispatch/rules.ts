// What the config in force and the running process say to a round. Decisions are pure: they read it, and nothing else.
import type { DecidingRules } from './rounds/due-round.ts';
import type { ReroutingRules } from './reroute.ts';

export interface DispatchRules extends DecidingRules, ReroutingRules {
  readonly channelOf: DecidingRules['channelOf'];
  /** Channels on which messages to one recipient are counted. */
  readonly counted: readonly string[];
  /** Channels on which nobody answers. */
  readonly unanswered: readonly string[];
}
