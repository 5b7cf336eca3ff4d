// Glossary. Code, rules, logs, metrics and docs use these words only.
//
//   rule         what a person wrote: a watch with its alerts, in YAML
//   watch        a rule that runs: one instance per (rule, explorer, address, token)
//   observation  the result of one poll of a watch, or the reason why there is none
//   finding      something detected in an observation: an event, or a condition's truth
//   alert        a finding with a state: sent once (event), or pending, firing, resolved (condition)
//   delivery     one message for one recipient on one channel
//   outcome      the result of one attempt to send it

export type WatchId = string;
export type AlertId = string;
/** The key of an item, or '' for the one condition of a watch. */
export type FindingKey = string;
export type DeliveryId = string;
/** From the least to the most severe. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

export type Severity = (typeof SEVERITIES)[number];
/** A name after `on:` in a rule. Each kind has its own names. */
export type EventName = string;
/** Unknown leaves the state unchanged: it never fires, resolves or retracts anything. */
export type Truth = boolean | 'unknown';

/** The properties of an alert that routes match: `team: payments`. */
export type Labels = Readonly<Record<string, string>>;

/** One address of one channel. A channel with a single receiver (a webhook, the log) is its own recipient. */
export interface Recipient {
  readonly channel: string;
  readonly recipient: string;
}

/** The recipients on a channel. Undefined: there is no such channel. */
export type RecipientsOf = (channel: string) => readonly Recipient[] | undefined;

/** The name of the built-in watch for alerts about the daemon itself. No rule may have it. */
export const BUILT_IN_RULE = 'chainwarden';
/** Shown by messages of this watch in place of a line of a rule file. */
export const BUILT_IN = 'built in';

/** Alerts of the built-in watch about actions of operators. */
export const ANNOUNCEMENTS = ['silence', 'pause', 'ack'] as const;
export type Announcement = (typeof ANNOUNCEMENTS)[number];
/** The watch under which these alerts are stored. */
export const ANNOUNCER: WatchId = `${BUILT_IN_RULE}/operators`;
