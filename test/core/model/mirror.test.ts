import { expect, test } from '@jest/globals';
import type { MessageType } from '../../../src/core/model/delivery.ts';
import { shownOf, type Accepted } from '../../../src/core/model/mirror.ts';
import { aMessage } from '../../notifiers/samples.ts';

const MINUTE = 60_000;
const HOLD = 60 * MINUTE;
const NOON = Date.UTC(2026, 0, 1, 12);
const BEGAN = NOON - 5 * MINUTE;

function shown(type: MessageType, at: number, accepted: Accepted | null, now = NOON): string | null {
  const message = aMessage({ type, at, since: BEGAN, seq: 3, summary: null });
  const span = shownOf({ message, accepted, isNamed: true }, now, HOLD);
  const minutes = (time: number): string => `${(time - NOON) / MINUTE}`;
  return span && `${minutes(span.startsAt)} to ${minutes(span.endsAt)}`;
}

const accepted = (seq: number, at: number, endsAt = at): Accepted => ({ seq, at, endsAt });

test.each([
  ['what fires is open until a while after the next refresh', 'alert.firing', BEGAN, null, '-5 to 60'],
  ['what fires is shown again, accepted or not', 'alert.firing', BEGAN, accepted(3, BEGAN), '-5 to 60'],
  ['an end is told to a receiver that knew of it', 'alert.resolved', NOON - MINUTE, accepted(2, BEGAN), '-5 to -1'],
  [
    'and for fifteen minutes after',
    'alert.resolved',
    NOON - 2 * MINUTE,
    accepted(3, NOON - 14 * MINUTE, NOON - 2 * MINUTE),
    '-5 to -2',
  ],
  ['and then no more', 'alert.resolved', NOON - 16 * MINUTE, accepted(3, NOON - 15 * MINUTE), null],
  ['what was over before anything was accepted is shown like an event', 'alert.resolved', NOON, null, '-5 to 15'],
  ['an event is open for fifteen minutes', 'alert.event', BEGAN, null, '-5 to 15'],
  [
    'counted from when it was accepted',
    'alert.event',
    BEGAN,
    accepted(3, NOON - 4 * MINUTE, NOON + 11 * MINUTE),
    '-5 to 11',
  ],
  ['and then no more', 'alert.event', BEGAN, accepted(3, NOON - 15 * MINUTE, NOON), null],
  ['a correction opens it again', 'alert.corrected', NOON, accepted(2, BEGAN), '-5 to 15'],
  ['what was taken back is over', 'alert.retracted', NOON, accepted(2, BEGAN), '-5 to 0'],
  ['and never shown where nobody knew of it', 'alert.retracted', NOON, null, null],
] as const)('%s', (_name, type, at, known, span) => {
  expect(shown(type, at, known)).toBe(span);
});

test('a clock that was set back makes no alert end before it begins, and repeats nothing for longer', () => {
  expect(shown('alert.resolved', NOON + 60 * MINUTE, accepted(2, NOON), NOON - 10 * MINUTE)).toBe('-10 to -10');
  expect(shown('alert.event', NOON, accepted(3, NOON, NOON + 15 * MINUTE), NOON - 60 * MINUTE)).toBeNull();
});

test('an end that was accepted by nobody is over at once where the alert began before the channel was added', () => {
  const message = aMessage({ type: 'alert.resolved', at: NOON - MINUTE, since: BEGAN, seq: 3, summary: null });
  const span = shownOf({ message, accepted: null, isNamed: false }, NOON, HOLD);
  expect(span).toEqual({ startsAt: BEGAN, endsAt: NOON - MINUTE });
});
