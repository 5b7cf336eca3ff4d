// Who is called in when nobody answers, and when nobody could be reached.
import { expect, test } from '@jest/globals';
import { callIn, type Unanswered } from '../../src/dispatch/escalate.ts';
import { HOUR, MINUTE } from './histories.ts';
import { NO_OPTIONS } from './in-memory.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const POLLED = { startedAt: NOON - HOUR, lookedAt: () => NOON };

const TOLD: Unanswered = {
  watch: 'coins',
  severity: 'critical',
  isOpen: true,
  isAcked: false,
  firstClosedAt: NOON,
  isAccepted: true,
  stepsTaken: 0,
  hasFailedOver: false,
  routing: {
    options: {
      ...NO_OPTIONS,
      escalate: [
        { afterMs: 15 * MINUTE, notify: ['push'] },
        { afterMs: HOUR, notify: ['boss', 'push'] },
      ],
      failover: ['phone'],
    },
  },
};
const LOST: Unanswered = { ...TOLD, isAccepted: false };

test.each<[string, Unanswered, number, Partial<ReturnType<typeof callIn>>]>([
  ['nobody is called in before the first step', TOLD, 14, { escalate: [], steps: 0, askAt: NOON + 15 * MINUTE }],
  ['the first step', TOLD, 15, { escalate: ['push'], steps: 1, askAt: NOON + HOUR }],
  ['a step is taken once', { ...TOLD, stepsTaken: 1 }, 30, { escalate: [], steps: 1, askAt: NOON + HOUR }],
  ['after a long stop all steps at once', TOLD, 300, { escalate: ['push', 'boss'], steps: 2, askAt: null }],
  ['somebody has acknowledged it', { ...TOLD, isAcked: true }, 15, { escalate: [], steps: 0, askAt: null }],
  ['it is over', { ...TOLD, isOpen: false }, 15, { escalate: [], askAt: null }],
  ['nobody was told yet', { ...LOST, firstClosedAt: null }, 15, { escalate: [], failover: [], askAt: null }],
  [
    'a critical alert waits five minutes for a channel that takes it',
    LOST,
    4,
    { failover: [], askAt: NOON + 5 * MINUTE },
  ],
  ['and then fails over', LOST, 5, { failover: ['phone'], askAt: NOON + 15 * MINUTE }],
  ['once', { ...LOST, hasFailedOver: true }, 6, { failover: [], askAt: NOON + 15 * MINUTE }],
  ['what a channel took does not fail over', TOLD, 10, { failover: [] }],
  ['a warning does not fail over', { ...LOST, severity: 'warning' }, 10, { failover: [] }],
])('%s', (_, alert, minutes, expected) => {
  expect(callIn(alert, POLLED, NOON + minutes * MINUTE)).toMatchObject(expected);
});

test('after a start a step waits for the first poll of its watch, but no longer than five minutes', () => {
  const started = { startedAt: NOON + HOUR, lookedAt: () => null };
  expect(callIn({ ...TOLD, stepsTaken: 1 }, started, NOON + HOUR)).toMatchObject({
    steps: 1,
    askAt: NOON + 65 * MINUTE,
  });
  expect(callIn({ ...TOLD, stepsTaken: 1 }, started, NOON + 65 * MINUTE)).toMatchObject({ escalate: ['boss', 'push'] });
});

test('a clock that was set back by hours makes no step wait longer than its time', () => {
  const { askAt } = callIn(TOLD, { ...POLLED, startedAt: NOON }, NOON - 5 * HOUR);
  expect(askAt).toBe(NOON - 5 * HOUR + 15 * MINUTE);
});
