// Limits how fast a channel sends to the pace that its service accepts. One rule may use half of it, and a fifth is
// kept for critical alerts.
import type { SendingPace } from '../../notifiers/notifier.ts';

export interface Room {
  /** The number of messages that may be sent now. */
  readonly most: number;
  /** Rules that have used their half. */
  readonly resting: readonly string[];
  /** True if only critical alerts may be sent. */
  readonly onlyCritical: boolean;
  /** The time at which the next message stops counting; null: no rule or severity is held back. */
  readonly moreAtMs: number | null;
}

export interface Pacing {
  room(nowMs: number): Room;
  /** `rule`: empty if the message is about several. */
  began(rule: string, nowMs: number): void;
}

const ALL: Room = { most: Infinity, resting: [], onlyCritical: false, moreAtMs: null };
const SHARE_OF_RULE = 1 / 2;
const SHARE_OF_OTHERS = 4 / 5;

/** `pace`: null = any number. */
export function createPacing(pace: SendingPace | null): Pacing {
  if (pace === null) return { room: () => ALL, began: () => undefined };
  const { most, inMs } = pace;
  let begun: { readonly rule: string; readonly atMs: number }[] = [];

  return {
    room(nowMs) {
      begun = begun.filter(({ atMs }) => nowMs - atMs < inMs);
      const [oldest] = begun;
      if (oldest === undefined) return { ...ALL, most };
      const ofRules = Map.groupBy(begun, ({ rule }) => rule);
      const resting = [...ofRules].filter(
        ([rule, own]) => rule !== '' && own.length >= Math.ceil(most * SHARE_OF_RULE),
      );
      const onlyCritical = begun.length >= Math.floor(most * SHARE_OF_OTHERS);
      return {
        most: most - begun.length,
        resting: resting.map(([rule]) => rule),
        onlyCritical,
        moreAtMs: onlyCritical || resting.length > 0 ? oldest.atMs + inMs : null,
      };
    },
    began(rule, nowMs) {
      begun.push({ rule, atMs: nowMs });
    },
  };
}
