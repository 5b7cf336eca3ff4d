// What the oracle for people finds to be wrong.
import type { Instant } from '../model.ts';
import type { Near } from './near.ts';

export const PEOPLE_CHECKS = [
  'unsent',
  'end-unsent',
  'invented',
  'stale',
  'twice',
  'against-a-hold',
  'step-wrong',
  'repeat-wrong',
  'over-the-cap',
  'summary-wrong',
] as const;
export type PeopleCheck = (typeof PEOPLE_CHECKS)[number];

export interface PeopleVerdict {
  readonly check: PeopleCheck;
  readonly at: Instant;
  /** Of the rule. */
  readonly watch: string;
  /** One sentence. */
  readonly what: string;
  /** By which a verdict is told from others of its check. */
  readonly story: VerdictStory;
}

export interface VerdictStory {
  /** `post/b@example.com` */
  readonly target: string;
  readonly kind: 'people' | 'program' | 'pager';
  /** `watch/alert` */
  readonly rule: string;
  readonly key: string;
  readonly episode: number;
  readonly form: 'event' | 'condition';
  /** It stands for many that were folded into it. */
  readonly isFolded: boolean;
  readonly severity: 'info' | 'warning' | 'critical';
  /** Why a message was owed, or what was wrong with one. */
  readonly duty: Duty;
  /** What excused it last, before nothing did; null: nothing had. */
  readonly after: Excuse | null;
  /** All that excused it before. */
  readonly trail: readonly Excuse[];
  /** What else was so. */
  readonly near: readonly Near[];
  /** How a message that was owed came after all, or the kind of the one that is wrong; null: none came. */
  readonly came: string | null;
  /** How long after it could have been sent it came; null: it never did. */
  readonly lateMs: number | null;
  /** How long ago it began when the message could have been sent, or the wrong one was. */
  readonly openMs: number;
  /** Null: it is about no step of an escalation. */
  readonly step: StepStory | null;
}

export interface StepStory {
  /** Of its target: 2 is the second one that is due. */
  readonly count: number;
  /** Former versions of the config, or the time before an acknowledgement, had as many steps that were due. */
  readonly isPassed: boolean;
  /** Why the clock of the steps began again; null: it did not. */
  readonly again: 'ack' | 'raised' | null;
}

/**
 * `begin`, `event`: of what happened. `reload`: named since a reload (99). `short`: over before it was sent (95, 108, 116).
 * `end`, `change`: of what was sent. `ack-ended`: 101. `raised`: 114. `step`, `failover`, `repeat`: of what stays open.
 * The rest says what is wrong with a message.
 */
export type Duty =
  | 'begin'
  | 'event'
  | 'reload'
  | 'short'
  | 'end'
  | 'change'
  | 'ack-ended'
  | 'raised'
  | 'step'
  | 'failover'
  | 'repeat'
  | 'of-nothing'
  | 'not-named'
  | 'end-without-begin'
  | 'told-as-untold'
  | 'known'
  | 'overtaken'
  | 'early'
  | 'acknowledged'
  | 'member-missing'
  | 'counts'
  | 'burst'
  | 'hour'
  | 'rule'
  | 'slot';

/** `success`: the channel was woken by one (117). `schedule`: the next try of what was refused. */
export type Excuse =
  | 'silence'
  | 'mute'
  | 'inhibition'
  | 'ack'
  | 'group'
  | 'cap'
  | 'busy'
  | 'success'
  | 'schedule'
  | 'retry-after'
  | 'given-up'
  | 'down'
  | 'first-poll'
  | 'store'
  | 'jump'
  | 'channel-gone';
