// Defects of the daemon's own work, as data. One cause is one alert of the built-in watch, however many watches it
// affects.
import type { Segment } from '../../core/model/watch/condition.ts';
import type { Severity } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';

/** The conditions of the built-in watch. `condition` is shown in messages; `over` is their text once it has ended. */
export const SELF_CONDITIONS = {
  blind: {
    condition: 'no data that is ok at three due times, and for blind_after since the first',
    over: 'The watches have data again.',
  },
  'blind-field': {
    condition: 'a field that conditions read is in no answer at three due times, and for blind_after since the first',
    over: 'The field is in the answers again.',
  },
  'not-judged': {
    condition: 'items left the pages that are read before a poll had enough steps for the conditions on them',
    over: 'All items were judged for an hour.',
  },
  'never-holds': {
    condition: 'a rule wants an address as the sender of a transaction, and the answers show that it is a contract',
    over: 'The rule was changed, or the address has sent a transaction.',
  },
  'explorer-down': {
    condition: 'an explorer refuses every request, or shows another chain than before',
    over: 'The explorer answers again.',
  },
  credits: {
    condition: 'the credits of a plan are used up',
    over: 'The explorer answers again.',
  },
  'plan-overdrawn': {
    condition:
      'for ten minutes, a plan has fewer credits left than critical watches need; with stretch: off, than all watches need',
    over: 'The credits last until the reset again.',
  },
  'plan-foreign': {
    condition: 'in this period other programs spent more with the key than the reserve and 5 % of the plan',
    over: 'The period is over, or no other program used the key for two hours.',
  },
  'plan-stretched': {
    condition: 'for 30 minutes, intervals are over 3 times as long, and 1.5 times what they are on a whole plan',
    over: 'The intervals are shorter again.',
  },
  'delivery-failing': {
    condition: 'a message is owed for more than five minutes',
    over: 'Nothing is owed for that long any more.',
  },
  'dead-letter': {
    condition: 'a message was given up within the last 24 hours',
    over: 'No message was given up for 24 hours.',
  },
  'channel-auth': {
    condition: 'a receiver refuses the sender or the address, or no longer exists',
    over: 'The receiver accepts messages again.',
  },
  storage: {
    condition: 'the state cannot be written, its file was removed, or its disk is nearly full',
    over: 'The state can be written again.',
  },
  backup: {
    condition: 'a backup of the state file failed, or none was made for two days',
    over: 'Backups are made again, or none is wanted any more.',
  },
  'clock-jump': {
    condition: "the machine's clock jumped by more than a minute, or the machine slept",
    over: 'The clock has not jumped in that direction for an hour.',
  },
  reload: {
    condition: 'the config or the rules on disk are not in force',
    over: 'The files on disk are in force.',
  },
  outvoted: {
    condition: 'for a minute, a replica runs another config than the one in force',
    over: 'All replicas run the config that is in force.',
  },
  'loop-failing': {
    condition: 'a loop of the daemon failed three times in a row',
    over: 'It has not failed for ten minutes.',
  },
} as const satisfies Readonly<Record<string, { readonly condition: string; readonly over: string }>>;

export type SelfCondition = keyof typeof SELF_CONDITIONS;

/** Identifies a cause until it ends, also after restarts. Its texts are part of stored ids. */
export interface CauseId {
  readonly alert: SelfCondition;
  /**
   * Differs for each cause of the alert, such as `ethereum/no-answer` or the name of a channel. If the cause has an
   * explorer, its name comes first.
   */
  readonly subject: string;
}

export interface Cause extends CauseId {
  /** The highest affected severity. */
  readonly severity: Severity;
  readonly since: Instant;
  /** The number of affected watches; null: not counted. */
  readonly watches: number | null;
  /** Text of the program: `ethereum does not answer, 38 watches`. */
  readonly title: string;
  readonly text: readonly Segment[];
  /** True if another cause explains this one. Then it does not start to fire; if it fires already, it continues. */
  readonly isExplained: boolean;
}

/** The findings of one check of the daemon's work. */
export interface SelfFindings {
  readonly causes: readonly Cause[];
  /** True if a cause that is not in `causes` may still last, since too little was observed since the start. */
  readonly isUndecided: (cause: CauseId) => boolean;
}

const OF_EXPLORERS: ReadonlySet<SelfCondition> = new Set([
  'blind',
  'blind-field',
  'not-judged',
  'never-holds',
  'explorer-down',
  'credits',
  'plan-overdrawn',
  'plan-foreign',
  'plan-stretched',
]);

/** The explorer of the cause; null: none. */
export function explorerOf({ alert, subject }: CauseId): string | null {
  return OF_EXPLORERS.has(alert) ? (subject.split('/')[0] ?? null) : null;
}

const OF_CHANNELS: ReadonlySet<SelfCondition> = new Set(['delivery-failing', 'dead-letter', 'channel-auth']);

/** The channel of the cause; null: none. */
export function channelOf({ alert, subject }: CauseId): string | null {
  return OF_CHANNELS.has(alert) ? subject : null;
}

/** `1 watch`, `38 watches`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
