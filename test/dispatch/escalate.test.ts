// Who is called in when nobody answers, and when nobody could be reached.
import { expect, test } from '@jest/globals';
import type { Recipient } from '../../src/core/model/ids.ts';
import { targetKey } from '../../src/core/model/delivery.ts';
import { callIn, type CallCounts, type Unanswered } from '../../src/dispatch/escalate.ts';
import { HOUR, MINUTE } from './histories.ts';
import { NO_OPTIONS } from './in-memory.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const recipientsOf = (channel: string): Recipient[] => [{ channel, recipient: channel }];
const POLLED = { startedAt: NOON - HOUR, lookedAt: () => NOON, recipientsOf };

const TOLD: Unanswered = {
  watch: 'coins',
  severity: 'critical',
  isOpen: true,
  needsAck: true,
  isAcked: false,
  since: NOON,
  isAccepted: true,
  calls: {},
  named: new Set(),
  waiting: new Set(),
  failedOverTo: new Set(),
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
const PHONE = new Set([keyOf('phone')]);
const PUSHED: Unanswered = { ...TOLD, calls: calls({ push: 1 }) };

/** By the name of a channel with one recipient. */
function calls(counts: Readonly<Record<string, number>>): CallCounts {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [keyOf(name), count]));
}

function keyOf(channel: string): string {
  return targetKey({ channel, recipient: channel });
}

interface Expected extends Partial<Omit<ReturnType<typeof callIn>, 'escalate' | 'failover'>> {
  readonly escalate?: readonly string[];
  readonly failover?: readonly string[];
}

test.each<[string, Unanswered, number, Expected]>([
  ['nobody is called in before the first step', TOLD, 14, { escalate: [], calls: {}, askAt: NOON + 15 * MINUTE }],
  ['the first step', TOLD, 15, { escalate: ['push'], calls: calls({ push: 1 }), askAt: NOON + HOUR }],
  ['a step is taken once', PUSHED, 30, { escalate: [], calls: PUSHED.calls, askAt: NOON + HOUR }],
  [
    'a target is called again by its second step',
    PUSHED,
    60,
    { escalate: ['push', 'boss'], calls: calls({ push: 2, boss: 1 }), askAt: null },
  ],
  [
    'after a long stop two steps call the same target one by one',
    TOLD,
    300,
    { escalate: ['push', 'boss'], calls: calls({ push: 1, boss: 1 }), askAt: NOON + 301 * MINUTE },
  ],
  [
    'who was not reached by the first call is called by the second step once it was',
    { ...PUSHED, waiting: new Set([keyOf('push')]) },
    60,
    { escalate: ['boss'], calls: calls({ push: 1, boss: 1 }), askAt: NOON + 61 * MINUTE },
  ],
  [
    'a step that was put before one that was taken calls its target',
    { ...PUSHED, ...escalating([5, 'team'], [15, 'push']) },
    30,
    { escalate: ['team'], calls: calls({ push: 1, team: 1 }) },
  ],
  [
    'a step that took the place of one that was taken calls its target',
    { ...PUSHED, ...escalating([15, 'team']) },
    30,
    { escalate: ['team'] },
  ],
  ['nobody whom a route tells is called', { ...TOLD, named: new Set([keyOf('push')]) }, 60, { escalate: ['boss'] }],
  ['somebody has acknowledged it', { ...TOLD, isAcked: true }, 15, { escalate: [], calls: {}, askAt: null }],
  ['it is over', { ...TOLD, isOpen: false }, 15, { escalate: [], askAt: null }],
  ['nobody was told yet', { ...LOST, since: null }, 15, { escalate: [], failover: [], askAt: null }],
  [
    'a critical alert waits five minutes for a channel that takes it',
    LOST,
    4,
    { failover: [], askAt: NOON + 5 * MINUTE },
  ],
  ['and then fails over', LOST, 5, { failover: ['phone'], askAt: NOON + 15 * MINUTE }],
  ['once', { ...LOST, failedOverTo: PHONE }, 6, { failover: [], askAt: NOON + 15 * MINUTE }],
  [
    'also to whom a reload has named since',
    { ...failingOverTo('phone', 'boss'), failedOverTo: PHONE },
    6,
    { failover: ['boss'] },
  ],
  ['what a channel took does not fail over', TOLD, 10, { failover: [] }],
  ['a warning does not fail over', { ...LOST, severity: 'warning' }, 10, { failover: [] }],
])('%s', (_, alert, minutes, expected) => {
  const { escalate, failover, ...rest } = callIn(alert, POLLED, NOON + minutes * MINUTE);
  const channels = {
    escalate: escalate.map(({ channel }) => channel),
    failover: failover.map(({ channel }) => channel),
  };
  expect({ ...channels, ...rest }).toMatchObject(expected);
});

function failingOverTo(...failover: readonly string[]): Unanswered {
  return { ...LOST, routing: { options: { ...NO_OPTIONS, failover } } };
}

function escalating(...steps: readonly (readonly [number, string])[]): Pick<Unanswered, 'routing'> {
  const escalate = steps.map(([minutes, channel]) => ({ afterMs: minutes * MINUTE, notify: [channel] }));
  return { routing: { options: { ...NO_OPTIONS, escalate } } };
}

test('after a start a step waits for the first poll of its watch, but no longer than five minutes', () => {
  const started = { startedAt: NOON + HOUR, lookedAt: () => null, recipientsOf };
  expect(callIn(PUSHED, started, NOON + HOUR)).toMatchObject({ escalate: [], askAt: NOON + 65 * MINUTE });
  const { escalate } = callIn(PUSHED, started, NOON + 65 * MINUTE);
  expect(escalate.map(({ channel }) => channel)).toEqual(['push', 'boss']);
});

test('a step does not wait for a first poll longer where the clock is set back after the start', () => {
  const started = { startedAt: NOON + HOUR, lookedAt: () => null, recipientsOf };
  const before = callIn(TOLD, started, NOON + HOUR + 2 * MINUTE);
  expect([before.escalate, before.askAt]).toEqual([[], NOON + HOUR + 5 * MINUTE]);
  const { escalate } = callIn(TOLD, started, NOON + HOUR - 10 * MINUTE);
  expect(escalate.map(({ channel }) => channel)).toEqual(['push']);
});

test('a clock that was set back by hours makes no step wait longer than its time', () => {
  const { askAt } = callIn(TOLD, { ...POLLED, startedAt: NOON }, NOON - 5 * HOUR);
  expect(askAt).toBe(NOON - 5 * HOUR + 15 * MINUTE);
});
