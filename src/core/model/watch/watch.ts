// A watch with its alerts, as the rules define it.
import type { Instant } from '../../../lib/clock.ts';
import type { Condition, WindowSpan, Template } from './condition.ts';
import type { DetailPart } from '../details.ts';
import type { ConditionPace } from '../health.ts';
import type { Memory } from '../memory.ts';
import type { ReadField, WantedSender } from '../quality/sightings.ts';
import type { AlertId, EventName, Labels, Severity, WatchId } from '../ids.ts';
import type { AnyKind } from './kind.ts';
import type { Target } from './target.ts';
import type { Address } from '../../values/address.ts';
import type { Amount } from '../../values/amount.ts';
import type { ListQuestion } from './question.ts';

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
  /** The target as people see it. */
  readonly of: { readonly name: string | null; readonly address: string } | null;
  readonly token: { readonly name: string | null; readonly address: string } | null;
  /** The name that the config gives an address or a token; null = it has none. */
  readonly nameOf: (address: Address) => string | null;
  /** The name of another address that shows the same digits in its short form; null = there is none. */
  readonly lookAlikeOf: (address: Address) => string | null;
  readonly chainId: string | null;
  /** The explorer, if its rule watches several: messages name it first. */
  readonly place: string | null;
  readonly pageUrl: string | null;
  readonly schedule: Schedule;
  /** The zone of the times in its messages. */
  readonly zone: string;
  /** The time without data, counted from the first missed due time, after which the watch is blind. */
  readonly blindAfterMs: number;
  readonly alerts: readonly AlertRule[];
  /**
   * Paths whose values are remembered from poll to poll: those in the conditions of alerts, and the kind's defaults.
   */
  readonly tracked: readonly string[];
  /** Paths that the conditions of event alerts read, without those that change while an item stays the same. */
  readonly judged: readonly string[];
  /** Fields of answers that conditions read. A condition is unknown if one of its fields no longer comes. */
  readonly readFields: readonly ReadField[];
  /** Comparisons with the sender of a transaction, which never hold for a contract. */
  readonly senders: readonly WantedSender[];
  /** Paths with a history, each for the longest window that an alert reads. */
  readonly windows: readonly WindowSpan[];
  /** Paths whose samples are kept for windows and charts. The longest span of each path counts. */
  readonly sampled: readonly WindowSpan[];
  /** Changes with the target, and with the data that is read of it. A memory with another checksum is not continued. */
  readonly checksum: string;
  /** Whether the watched value is exported as a metric. */
  readonly exported: boolean;
}

/** `intervalMs` is the time between two ticks: the period of `every`, the shortest one of `cron`. */
export type Schedule =
  | { readonly type: 'every'; readonly intervalMs: number }
  | {
      readonly type: 'cron';
      readonly expression: string;
      readonly zone: string;
      readonly intervalMs: number;
      /** The time between two ticks, on average over a year. */
      readonly meanMs: number;
      /**
       * The expression that node-cron runs. If a match of either day field is enough, it runs each day, and `times`
       * decides.
       */
      readonly pattern: string;
      readonly times: CronTimes;
    };

/** The times of a cron expression. Each answer is null if there is no time within a year. */
export interface CronTimes {
  /** The first time after `at`. */
  readonly after: (at: Instant) => Instant | null;
  /** The last time at or before `at`. */
  readonly upTo: (at: Instant) => Instant | null;
}

interface AlertRuleBase {
  readonly id: AlertId;
  readonly severity: Severity;
  /** The labels in the rule; `labelsOf` adds the given ones. */
  readonly labels: Labels;
  /** Names of the channels that the rule and the routes lead to. */
  readonly notify: readonly string[];
  readonly title: Template | null;
  readonly text: Template | null;
  /** A page with instructions. */
  readonly runbook: string | null;
  /** `rules/treasury.yaml:21` */
  readonly source: string;
}

/** Selects items by their event and a condition. */
interface EventSelector {
  readonly on: EventName;
  readonly if: Condition | null;
}

export interface EventAlert extends AlertRuleBase, EventSelector {
  readonly type: 'event';
  /** The number of blocks on top of the item's block before the event is sent. */
  readonly confirmations: number;
  /** True if the event is sent at once and marked as provisional, without waiting for confirmations. */
  readonly provisional: boolean;
  /** The details that its messages get; left out: none. */
  readonly enrich?: readonly DetailPart[];
  /** Set for `on: schedule`; null for every other event. */
  readonly report: ScheduledReport | null;
  /** The rule for items that are only a claim: at most a warning, with the channels for that. */
  readonly asClaim?: EventAlert;
  /** Set in that rule alone. */
  readonly isClaim?: true;
}

/** Sends the present values at the times of a cron expression. */
export interface ScheduledReport {
  readonly cron: string;
  readonly times: CronTimes;
  /** The reported values as written: `balance`, `change_1d | percent`. */
  readonly values: readonly { readonly name: string; readonly template: Template }[];
}

/** The common part of stateful alerts: pending, firing, resolved. */
interface StatefulAlertBase extends AlertRuleBase {
  /** The title of its end; null: the rule has none. */
  readonly resolved: Template | null;
  readonly forMs: number;
  readonly keepFiringForMs: number;
  /** The time after an end during which a new firing is not sent. */
  readonly cooldownMs: number;
}

export interface ConditionAlert extends StatefulAlertBase {
  readonly type: 'condition';
  readonly while: Condition;
  readonly until: Condition | null;
  /** Set for the built-in watch, which does not evaluate conditions but finds their state itself; null for rules. */
  readonly found: FoundCondition | null;
}

export interface FoundCondition {
  /** The time at which it began; null: it is over. */
  readonly since: Instant | null;
  /** `The explorer answers again.` */
  readonly over: string;
}

/** A condition over events: enough of them within a time, or none for a time. */
export interface CountAlert extends StatefulAlertBase, EventSelector {
  readonly type: 'count';
  readonly fires: Threshold;
  /** Paths whose values split the items into groups with separate states. */
  readonly per: readonly string[];
}

export type Threshold =
  | { readonly type: 'at-least'; readonly count: number; readonly withinMs: number }
  /** The sum of a field of the matching items is at least this amount. */
  | { readonly type: 'sum'; readonly path: string; readonly least: Amount; readonly withinMs: number }
  /** At least this part of the items that `of` selects (null: all) match, and there are at least `min` of them. */
  | {
      readonly type: 'ratio';
      readonly part: Amount;
      readonly of: Condition | null;
      readonly min: number;
      readonly withinMs: number;
    }
  /** So many items match one after another, in the order of the chain. */
  | { readonly type: 'in-a-row'; readonly count: number }
  | { readonly type: 'none-for'; readonly ms: number };

/** Paths that decide which items count, and for how much. */
export function readsOfCount({ if: selector, fires }: Pick<CountAlert, 'if' | 'fires'>): readonly string[] {
  const more = fires.type === 'sum' ? [fires.path] : fires.type === 'ratio' ? (fires.of?.reads ?? []) : [];
  return [...new Set([...(selector?.reads ?? []), ...more])];
}

export type StatefulAlert = ConditionAlert | CountAlert;
export type AlertRule = EventAlert | StatefulAlert;

/** The interval in force: that of the rule, unless the plan stretches it. */
export function paceIn(
  memory: Partial<Pick<Memory, 'paceMs'>> | null | undefined,
  { schedule }: Pick<Watch, 'schedule'>,
): number {
  return Math.max(schedule.intervalMs, memory?.paceMs ?? 0);
}

/** The interval and the longest window, which limit how soon the watch can evaluate its conditions. */
export function paceOf(
  watch: Pick<Watch, 'schedule' | 'windows'>,
  memory: Partial<Pick<Memory, 'paceMs'>> | null | undefined,
): ConditionPace {
  const { windows } = watch;
  return { intervalMs: paceIn(memory, watch), windowMs: Math.max(0, ...windows.map(({ ms }) => ms)) };
}

/**
 * The question for the chain's head, from which confirmations are counted; null if no alert of the watch counts any.
 */
export function headQuestionOf({ kind, target, alerts }: Watch): ListQuestion | null {
  const counts = alerts.some((alert) => alert.type === 'event' && alert.confirmations > 0);
  return counts ? kind.head(target) : null;
}

/** Whether every poll of the watch shows where the chain's head is. */
export function showsHead(watch: Watch): boolean {
  return watch.kind.head(watch.target) === null || headQuestionOf(watch) !== null;
}
