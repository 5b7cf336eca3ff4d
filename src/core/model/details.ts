// Details of events: lines that the explorer's answers about the item's transaction add to a message. They are
// requested after the event was stored, so they change no decision.
import type { Segment } from './watch/condition.ts';
import type { Message } from './delivery.ts';
import type { Severity } from './ids.ts';

/**
 * `transaction`: its sender, the function and its arguments, and the reason of a failure. `calls`: the calls inside it.
 * `balances`: who gained and who lost.
 */
export const DETAIL_PARTS = ['transaction', 'calls', 'balances'] as const;
export type DetailPart = (typeof DETAIL_PARTS)[number];

/** The details that a rule wants of one event. */
export interface WantedDetails {
  /** The hash of the transaction; null: it is unknown. */
  readonly transaction: string | null;
  readonly parts: readonly DetailPart[];
}

export type DetailLine = readonly Segment[];

/** At most this many events of a poll get details. */
export const MOST_DETAILED = 5;

/** The longest time that a stored event waits for its details. */
const WAITS_MS: Readonly<Record<Severity, number>> = { critical: 1000, warning: 3000, info: 3000 };
export const LONGEST_DETAILS_MS = Math.max(...Object.values(WAITS_MS));

export function detailsWaitMs(severity: Severity): number {
  return WAITS_MS[severity];
}

/** `No details: none came in time.`, `No details of balances: the explorer has none.` */
export function noDetails(why: string, part: DetailPart | null = null): DetailLine {
  return [{ text: `No details${part === null ? '' : ` of ${part}`}: ${why}.` }];
}

export const NONE_IN_TIME = 'none came in time';

export function withDetails(message: Message, lines: readonly DetailLine[]): Message {
  return { ...message, lines: [...message.lines, ...lines] };
}
