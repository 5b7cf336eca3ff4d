// Glossary. Code, rules, logs, metrics and docs use these words only.
//
//   rule         what a person wrote: a watch with its alerts, in YAML
//   watch        a rule that runs: one instance per (rule, explorer, address, token)
//   observation  what one poll of a watch saw, or why it saw nothing
//   finding      something noticed in an observation: an event, or a condition's truth
//   alert        a finding that lives: told once (event), or pending, firing, resolved (condition)
//   delivery     one message owed to one recipient on one channel
//   outcome      how one try to send it ended
import type { Instant } from '../lib/clock.ts';
import type { Untrusted } from '../lib/untrusted.ts';
import type { Amount } from './amount.ts';
import type { Delivery } from './delivery.ts';
import type { AnyView } from './fields.ts';
import type { AnyKind, Target } from './kind.ts';
import type { Memory } from './memory.ts';

export type { Instant };
export type WatchId = string;
export type AlertId = string;
/** Which item, or '' for the one condition of a watch. */
export type FindingKey = string;
export type DeliveryId = string;
export type Severity = 'info' | 'warning' | 'critical';
export type EventName = 'new' | 'added' | 'removed' | 'changed' | 'mined' | 'reorg';
/** Unknown freezes: it never fires, resolves, retracts or invents. */
export type Truth = boolean | 'unknown';

export interface Watch {
  /** Built from (rule, explorer, lower-case address, token or `coin`); order, alias and group names never enter it. */
  readonly id: WatchId;
  /** For people: `treasury-tokens[treasury]`. */
  readonly name: string;
  readonly rule: string;
  /** `rules/treasury.yaml:17` */
  readonly source: string;
  readonly kind: AnyKind;
  readonly target: Target;
  /** What people see of the target. */
  readonly of: { readonly name: string | null; readonly address: string } | null;
  readonly token: { readonly name: string | null; readonly address: string } | null;
  readonly chainId: string | null;
  readonly pageUrl: string | null;
  readonly schedule: Schedule;
  readonly alerts: readonly AlertRule[];
  /** Paths whose values are remembered from poll to poll: what alerts compare, and the kind's defaults. */
  readonly tracked: readonly string[];
  /** Paths of which a history is kept, each for the longest window that an alert looks back over. */
  readonly windows: readonly Span[];
  /** Changes when what is observed changes: memory of another checksum is not continued. */
  readonly checksum: string;
  /** Whether the watched value is exported as a metric. */
  readonly exported: boolean;
}

/** `intervalMs` is the time between two ticks: the period of `every`, the shortest one of `cron`. */
export type Schedule =
  | { readonly type: 'every'; readonly intervalMs: number }
  | { readonly type: 'cron'; readonly expression: string; readonly intervalMs: number };

interface AlertRuleBase {
  readonly id: AlertId;
  readonly severity: Severity;
  readonly notify: readonly Recipient[];
  readonly title: Template | null;
  readonly text: Template | null;
  /** `rules/treasury.yaml:21` */
  readonly source: string;
}

/** What picks items: of which event, and which of those. */
interface Picking {
  readonly on: EventName;
  readonly if: Condition | null;
}

export interface EventAlert extends AlertRuleBase, Picking {
  readonly type: 'event';
  /** Blocks on top of the item's before it is told. */
  readonly confirmations: number;
  /** Told at once all the same, and marked as provisional. */
  readonly provisional: boolean;
}

/** What an alert that lasts has in common: pending, firing, resolved. */
interface Lasting extends AlertRuleBase {
  readonly forMs: number;
  readonly keepFiringForMs: number;
  /** How long after an end a new firing is not told yet. */
  readonly cooldownMs: number;
}

export interface ConditionAlert extends Lasting {
  readonly type: 'condition';
  readonly while: Condition;
  readonly until: Condition | null;
}

/** A condition over events: enough of them within a time, or none for one. */
export interface CountAlert extends Lasting, Picking {
  readonly type: 'count';
  readonly fires:
    | { readonly type: 'at-least'; readonly count: number; readonly withinMs: number }
    | { readonly type: 'none-for'; readonly ms: number };
  /** Paths whose values split the items into groups, each with a life of its own. */
  readonly per: readonly string[];
}

export type LastingAlert = ConditionAlert | CountAlert;
export type AlertRule = EventAlert | LastingAlert;

/** How far back the history of a path is looked at. */
export interface Span {
  readonly path: string;
  readonly ms: number;
}

/** A question to a path's history: `change("1h")` is `{ measure: 'change', path: 'balance', ms: 3_600_000 }`. */
export interface Window extends Span {
  readonly measure: Measure;
}

export const MEASURES = ['change', 'delta', 'min', 'max', 'avg'] as const;
export type Measure = (typeof MEASURES)[number];

/** Answers windows at one moment; undefined = unknown. */
export type History = (window: Window) => Amount | undefined;

/** One address of one channel. A channel with a single receiver (a webhook, the log) is its own recipient. */
export interface Recipient {
  readonly channel: string;
  readonly recipient: string;
}

/** What a condition or a template looks at. */
export interface Scene {
  readonly view: AnyView;
  /** The last known values before this one, where there was one. */
  readonly before: AnyView | null;
  /** Null where there is none, as for single items. */
  readonly history: History | null;
}

/** A scene without its history: what was there at the last poll that saw something. */
export interface Look {
  readonly at: Instant;
  readonly view: AnyView;
  readonly before: AnyView | null;
  /** The chain's head stood still. */
  readonly isStale: boolean;
}

/** An `if`, `while` or `until` that was checked when the rules were loaded. */
export interface Condition {
  readonly text: string;
  /** Full paths it reads of the view, such as `token.reputation`; those under `before.` without that prefix. */
  readonly reads: readonly string[];
  /** Reads nothing but `head.*` and `age`: stays decidable when the chain's head stands still. */
  readonly headOnly: boolean;
  readonly windows: readonly Window[];
  evaluate(scene: Scene): Truth;
  /** The condition taken apart, for those who explain it. Made when asked for. */
  clause(): Clause;
}

/** A condition, or a part of one that is true, false or unknown by itself. */
export interface Clause extends Pick<Condition, 'text' | 'reads' | 'windows' | 'evaluate'> {
  /** How its parts make its truth; null: it has none. */
  readonly joins: 'all' | 'any' | 'not' | null;
  readonly parts: readonly Clause[];
  /** Set when it compares one number with a constant. */
  readonly compares: Comparison | null;
}

/** `balance < 1000000`: a field or a window, on the left, and a constant. */
export interface Comparison {
  readonly subject:
    | { readonly type: 'field'; readonly path: string; readonly isBefore: boolean }
    | { readonly type: 'window'; readonly window: Window };
  readonly operator: '<' | '<=' | '>' | '>=' | '==' | '!=';
  /** Milliseconds, when the field is a duration. */
  readonly bound: Amount;
}

export interface Template {
  readonly reads: readonly string[];
  readonly windows: readonly Window[];
  render(scene: Scene): readonly Segment[];
}

/** Text of a message: ours, or a stranger's, which only a channel's encoder may open. */
export type Segment = { readonly text: string } | { readonly untrusted: Untrusted };

/** Where the chain was when its blocks were last read, by whichever watch. */
export interface Head {
  readonly height: bigint;
  readonly timestamp: Instant;
  readonly readAt: Instant;
  /** A head older than this when it was read stands still: max(20 block times, 3 minutes). */
  readonly staleAfterMs: number;
}

/** What the first page of blocks shows when it is read in the same tick, from the same explorer, as the rest of a poll. */
export interface ChainReading {
  /** Height of its newest block: the explorer knows nothing above it. */
  readonly head: number;
}

/** `not-asked`: nothing needed it. `unknown`: it was asked for, and no usable answer came. */
export type TickChain = ChainReading | 'not-asked' | 'unknown';

/** What one poll of a watch saw, or why it saw nothing. `seen` is the kind's own. */
export type Observation =
  | {
      readonly type: 'seen';
      readonly at: Instant;
      readonly head: Head | null;
      readonly chain: TickChain;
      readonly seen: unknown;
      /** Why not everything was read; null when the reading is complete. */
      readonly partial: string | null;
    }
  | { readonly type: 'missed'; readonly at: Instant; readonly reason: MissReason; readonly detail: string };

export const MISS_REASONS = [
  'not-found',
  'wrong-path',
  'unprocessable',
  'unauthorized',
  'out-of-credits',
  'no-key',
  'forbidden',
  'blocked',
  'rate-limited',
  'server-error',
  'redirect',
  'http',
  'not-json',
  'shape',
  'truncated',
  'too-large',
  'encoding',
  'timeout',
  'dns',
  'tls',
  'network',
  'no-explorer',
] as const;
export type MissReason = (typeof MISS_REASONS)[number];

/** What one poll leads to: committed as a whole, or not at all. */
export interface Decision {
  readonly watchId: WatchId;
  /** The memory's version this decision rests on. */
  readonly expects: number;
  /** The memory afterwards. */
  readonly memory: Memory;
  /** False when nothing but `coveredUntil` moved: nothing is written then. */
  readonly learned: boolean;
  readonly deliveries: readonly Delivery[];
  readonly reasons: readonly Reason[];
  /** What was looked at, for gauges; null when the poll was missed or the values are unknown. */
  readonly now: AnyView | null;
  /** What is kept for those who explain: `now`, or the newest item; null when nothing was looked at. */
  readonly look: Look | null;
  /** What came of each alert's condition; `not-evaluated`: there was nothing to evaluate. */
  readonly truths: Readonly<Record<AlertId, Truth | 'not-evaluated'>>;
  /** Set when the chain was not asked for and something rests on how far the explorer has read: ask, and decide again. */
  readonly needs: HeadNeed | null;
}

/** The head that would do: from this height on, everything that the reading leaves out or ends is believed. */
export interface HeadNeed {
  readonly head: number;
}

/** Why something was said, or not. */
export type Reason =
  | { readonly type: 'baseline'; readonly items: number; readonly matching: Readonly<Record<AlertId, number>> }
  | { readonly type: EventReason | ConditionReason; readonly alert: AlertId; readonly key: FindingKey }
  | { readonly type: 'note'; readonly text: string };

/** `told`: this is news. `open`: not known yet whether it matches. `undecided`: it left before that was known. */
export type EventReason = 'told' | 'no-match' | 'open' | 'undecided' | EventTransition;

/**
 * `observed`: waits for confirmations. `dropped`: gone before it was told. `suspect`: gone, perhaps for a moment.
 * `back`: it was there all the time. `sealed`: nothing takes it back any more. `behind`: the explorer that does not show
 * it has not read as far as its block.
 */
export type EventTransition =
  | ('observed' | 'confirmed' | 'dropped' | 'suspect' | 'back' | 'retracted' | 'corrected' | 'reinstated' | 'sealed')
  | 'behind';

/**
 * The first line says what changed; the second why nothing did; the third why a change was not told, or told late;
 * `behind`: why its end is not believed.
 */
export type ConditionReason =
  | ('pending' | 'dropped' | 'firing' | 'recovering' | 'relapsed' | 'resolved')
  | ('clear' | 'still-pending' | 'still-firing' | 'still-recovering' | 'unknown')
  | ('cooldown' | 'flapping' | 'steady')
  | 'behind';
