// Glossary. Code, rules, logs, metrics and docs use these words only.
//
//   rule         what a person wrote: a watch with its alerts, in YAML
//   watch        a rule that runs: one instance per (rule, explorer, address, token)
//   observation  what one poll of a watch saw, or why it saw nothing
//   finding      something detected in an observation: an event, or a condition's truth
//   alert        a finding with a state: told once (event), or pending, firing, resolved (condition)
//   delivery     one message owed to one recipient on one channel
//   outcome      how one try to send it ended

export type WatchId = string;
export type AlertId = string;
/** Which item, or '' for the one condition of a watch. */
export type FindingKey = string;
export type DeliveryId = string;
/** From the least to the most severe. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

export type Severity = (typeof SEVERITIES)[number];
/** As it is written after `on:`; each kind names its own. */
export type EventName = string;
/** Unknown leaves the state unchanged: it never fires, resolves, retracts or invents. */
export type Truth = boolean | 'unknown';

/** What an alert is known by to routes: `team: payments`. */
export type Labels = Readonly<Record<string, string>>;

/** One address of one channel. A channel with a single receiver (a webhook, the log) is its own recipient. */
export interface Recipient {
  readonly channel: string;
  readonly recipient: string;
}

/** Who is told on a channel. Undefined: there is no such channel. */
export type RecipientsOf = (channel: string) => readonly Recipient[] | undefined;

/** The name of the built-in watch, which says what is wrong with the daemon itself. No rule may have it. */
export const BUILT_IN_RULE = 'chainwarden';
/** Named by its messages in place of a line of a rule file. */
export const BUILT_IN = 'built in';

/** Alerts of the built-in watch that tell what operators did. */
export const ANNOUNCEMENTS = ['silence', 'pause', 'ack'] as const;
export type Announcement = (typeof ANNOUNCEMENTS)[number];
/** Under which watch these are stored. */
export const ANNOUNCER: WatchId = `${BUILT_IN_RULE}/operators`;
