// All that the oracle for people is told. Types alone. Instants are of true time unless a name says `clock`: those are by
// the clock of the daemon, which differs by the jumps that `jumps` names. Each list is in the order of time.
import type { Instant, Span } from '../model.ts';
import type { InForce, LabelPattern, LabelValues, SeverityName } from './config-version.ts';

export type {
  InForce,
  ConfigVersion,
  Channel,
  Cap,
  LabelPattern,
  LabelValues,
  RouteVersion,
  EscalationVersion,
  MuteTimes,
  Inhibition,
  SeverityName,
  RuleVersion,
} from './config-version.ts';

export interface PeopleLog {
  readonly span: Span;
  /** How far the clock of the daemon was ahead of true time at the beginning of the span. */
  readonly aheadMs: number;
  readonly jumps: readonly ClockJump[];
  /** The first is in force from the beginning. */
  readonly configs: readonly InForce[];
  readonly actions: readonly OperatorAction[];
  readonly transitions: readonly CommittedTransition[];
  readonly tries: readonly Try[];
  readonly untried: readonly UntriedMessage[];
  /** When a process ran. */
  readonly lives: readonly Life[];
  readonly polls: readonly PollEnd[];
  /** While the store took nothing: rounds, results of tries and actions fail too. */
  readonly refusals: readonly Span[];
}

/** The clock of the daemon was set forward, or back by a negative number. */
export interface ClockJump {
  readonly at: Instant;
  readonly ms: number;
  /** It was set right before anybody compared it: no wait was moved. */
  readonly isUnseen?: boolean;
}

export interface Life extends Span {
  /** What a killed process had under way is unknown. */
  readonly end: 'stopped' | 'killed';
}

/** A watch, by its id in the rules, was polled and what was read is in the store. */
export interface PollEnd {
  readonly at: Instant;
  readonly watch: string;
  /** False: some of it could not be read. */
  readonly isComplete: boolean;
}

// ---- What operators did ----

/** What the store kept of it, and when it did; what it refused is left out. One that outlived its process is in. */
export type OperatorAction = { readonly at: Instant; readonly by: string } & OperatorChange;

export type OperatorChange =
  | {
      readonly type: 'silence';
      readonly id: string;
      readonly matches: LabelPattern;
      /** By the clock of the daemon. */
      readonly fromClock: Instant;
      readonly untilClock: Instant;
      readonly untilResolved: boolean;
    }
  | { readonly type: 'silence-extended'; readonly id: string; readonly untilClock: Instant }
  | { readonly type: 'silence-ended'; readonly id: string }
  | {
      /** A snooze is one with an earlier end. */
      readonly type: 'ack';
      readonly key: string;
      readonly episode: number;
      /** The newest that the operator saw. */
      readonly seq: number;
      readonly untilClock: Instant;
      /** One stood, and this one takes its place. */
      readonly replaces: boolean;
    }
  | { readonly type: 'ack-withdrawn'; readonly key: string; readonly episode: number }
  | { readonly type: 'pause'; readonly watch: string; readonly untilClock: Instant }
  | { readonly type: 'pause-ended'; readonly watch: string }
  | { readonly type: 'retried' | 'dismissed'; readonly delivery: string }
  | { readonly type: 'channel-retried'; readonly channel: string };

// ---- What was decided about alerts ----

export type TransitionType = 'event' | 'firing' | 'resolved' | 'retracted' | 'corrected' | 'reinstated';

export interface CommittedTransition {
  /** When it was in the store; null: it never was. */
  readonly at: Instant | null;
  /** Of the decision, by the clock of the daemon (`message.at`). */
  readonly decidedClock: Instant;
  /** When it was decided though the store refused it, so that it could be told from memory only; null: it was not. */
  readonly fromMemoryAt: Instant | null;
  /** As the message names it; the daemon's own are `chainwarden`. */
  readonly watch: string;
  readonly alert: string;
  /** Of a summary: its own key. */
  readonly key: string;
  readonly episode: number;
  readonly seq: number;
  /** Of a summary: what its members are. */
  readonly type: TransitionType;
  readonly severity: SeverityName;
  readonly labels: LabelValues;
  /** `rule removed`, `rule changed`, `flapping`; null: its own condition. */
  readonly reason: string | null;
  /** Channels that the decision names, where it names any; of the daemon's own alerts: those of `self`. */
  readonly notify: readonly string[] | null;
  /** Keys of the alerts that were folded into this one; null: it is about one alert. */
  readonly foldedKeys: readonly string[] | null;
}

// ---- What receivers saw ----

export interface Target {
  readonly channel: string;
  readonly recipient: string;
}

export interface Try {
  /** Of the delivery; the same for every try of it. */
  readonly id: string;
  readonly target: Target;
  /** 1 = the first. */
  readonly attempt: number;
  readonly kind: 'news' | 'repeat' | 'overflow_summary' | 'silence_summary' | 'inhibition_summary' | 'report';
  /** When its members were fixed, by the clock of the daemon. */
  readonly closedClock: Instant;
  /** By true time: a clock that was set back shows a time twice. Null: it was told from memory, or nobody saw it. */
  readonly closedAt: Instant | null;
  /** All that it was closed about; some of it may have left it before its first try. */
  readonly closedMembers: readonly ClosedMember[];
  /** All that it stands for: those that it lists, then those that it counts. */
  readonly members: readonly TryMember[];
  /** As printed below the list: how many more are alike. */
  readonly more: readonly CountedLine[];
  readonly marks: TryMarks;
  /** A pager's; null of others. */
  readonly incident: Incident | null;
  readonly begunAt: Instant;
  /** Null: the process died first. */
  readonly endedAt: Instant | null;
  readonly outcome: TryOutcome;
  /** When the outcome was in the store; null: it never was, so that the try counts as unknown. */
  readonly knownAt: Instant | null;
}

/** It was closed and never tried: all that it told of was over first, or the run was, or holds took it out. */
export interface UntriedMessage extends Pick<Try, 'target' | 'kind'> {
  /** Holds did. Caps count all others. */
  readonly isPutBack: boolean;
  readonly closedAt: Instant;
  readonly members: readonly TryMember[];
}

export interface ClosedMember {
  readonly key: string;
  readonly seq: number;
}

export interface TryMember extends ClosedMember {
  readonly episode: number;
  readonly watch: string;
  readonly alert: string;
  readonly type: TransitionType;
  readonly severity: SeverityName;
  readonly as: 'news' | 'repeat' | 'fired-and-resolved';
  /** False: it is counted in `more` and not shown. */
  readonly isListed: boolean;
  /** "Held back since", by the clock of the daemon; null: it does not say so. */
  readonly heldSinceClock: Instant | null;
  /** Why it is told: `reload`, `ack-ended`, `severity-raised`, `escalation`, ...; null: it does not say. */
  readonly reason: string | null;
  /** How many alerts this line stands for by itself, as printed: those folded into it, else 1. */
  readonly count: number;
}

export interface CountedLine {
  readonly watch: string;
  readonly alert: string;
  readonly severity: SeverityName;
  readonly type: TransitionType;
  readonly count: number;
}

export interface TryMarks {
  /** It says that it may be a copy. */
  readonly maybeCopy: boolean;
  /** It says that it is not on record: it was told from memory. */
  readonly fromMemory: boolean;
}

export interface Incident {
  readonly action: 'trigger' | 'resolve';
  readonly key: string;
}

/**
 * `accepted`: the receiver has it, and the daemon heard so. `unknown`: the receiver may have it (`took`), and the daemon
 * heard nothing. `refused`: the receiver has it not; `auth`, `gone`: refused who calls, or for good (401, 403, 404, 410);
 * `body`: refused this message (other 4xx).
 */
export type TryOutcome =
  | { readonly type: 'accepted' }
  | { readonly type: 'unknown'; readonly took: boolean }
  | {
      readonly type: 'refused';
      readonly why: 'busy' | 'auth' | 'gone' | 'body' | 'not-connected';
      /** Of `Retry-After`; null: the receiver named no time. */
      readonly retryAfterMs: number | null;
    };
