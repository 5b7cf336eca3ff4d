// The config as data: the YAML is made from it too, so that the oracle parses nothing. Types alone.
import type { Instant } from '../model.ts';

/** From then on the daemon follows this version, until the next one; what it could not load is none. */
export interface InForce {
  /** When the daemon had taken it over: at the reload, or at the start after the file was changed. */
  readonly from: Instant;
  readonly config: ConfigVersion;
}

export interface ConfigVersion {
  /** `day3.2`; unique in a history. */
  readonly id: string;
  readonly channels: readonly Channel[];
  readonly routes: readonly RouteVersion[];
  readonly inhibit: readonly Inhibition[];
  /** Channels that hear of the daemon itself; empty: `none`. */
  readonly self: readonly string[];
  readonly rules: readonly RuleVersion[];
}

export interface Channel {
  readonly name: string;
  /**
   * `people`: one message for several alerts. `program`: one call for each alert. `pager`: the same, with incidents, an
   * acknowledgement of its own, and nothing for what was over before it was told.
   */
  readonly kind: 'people' | 'program' | 'pager';
  /** Those under `to:`; of a channel without: its own name. */
  readonly recipients: readonly string[];
  /** Null: 10 and 30 for people, none for programs and pagers. */
  readonly cap: Cap | null;
  readonly giveUp: GiveUp;
}

/** The common one; the critical one is twice that (103). */
export interface Cap {
  /** In any ten minutes. */
  readonly burst: number;
  readonly perHour: number;
}

/** When a delivery that is not accepted is given up; both must be so. One that is refused for good ends at its third try. */
export interface GiveUp {
  readonly tries: number;
  readonly afterMs: number;
}

/** By label: `*` is a glob, a list means any of them, a leading `!` negates the whole. */
export type LabelPattern = Readonly<Record<string, string | readonly string[]>>;

export type LabelValues = Readonly<Record<string, string>>;

/** Null: not set by this route. */
export interface RouteVersion {
  readonly match: LabelPattern;
  readonly notify: readonly string[] | null;
  readonly add: readonly string[];
  readonly groupBy: readonly string[] | null;
  readonly groupWaitMs: number | null;
  readonly groupIntervalMs: number | null;
  readonly repeatMs: number | 'off' | null;
  readonly requireAck: boolean | null;
  readonly escalate: readonly EscalationVersion[] | null;
  readonly failover: readonly string[] | null;
  readonly mute: readonly MuteTimes[];
}

export interface EscalationVersion {
  readonly afterMs: number;
  readonly notify: readonly string[];
}

/** In UTC; `to` is 24:00 at the latest, and before `from` when the window passes midnight. */
export interface MuteTimes {
  /** The days on which a window begins; 0 is Sunday. Empty: every day. */
  readonly days: readonly number[];
  /** Minutes of the day. */
  readonly from: number;
  readonly to: number;
}

export interface Inhibition {
  readonly when: LabelPattern;
  readonly mute: LabelPattern;
  readonly equal: readonly string[];
  readonly events: 'summary' | 'drop';
}

export type SeverityName = 'info' | 'warning' | 'critical';

/** One alert of one watch, of one instance. */
export interface RuleVersion {
  /** By its id in the rules. */
  readonly watch: string;
  readonly alert: string;
  /** `condition`: fires until it is over. `event`: happens. */
  readonly form: 'event' | 'condition';
  readonly severity: SeverityName;
  /** Null: the routes choose. */
  readonly notify: readonly string[] | null;
  /** All of them: given ones (`watch`, `alert`, `kind`, `severity`, `explorer`, `of`, `token`) and written ones. */
  readonly labels: LabelValues;
  /** As the rules file has them. */
  readonly cooldownMs: number | null;
  readonly flapping: string | null;
  /** The reference by which the first oracle judges it; another one under the same ids is a rule that was edited. */
  readonly reference: string;
}
