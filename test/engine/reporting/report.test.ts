import { expect, test } from '@jest/globals';
import { NOTHING_CLOSED } from '../../../src/core/model/decision.ts';
import type { Decision } from '../../../src/core/model/decision.ts';
import type { Observation } from '../../../src/core/model/observation.ts';
import { blankMemory } from '../../../src/core/step.ts';
import { createReport, labelsOf, type ReportOptions } from '../../../src/engine/reporting/report.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { aWatch, Gauge } from '../../support/engine/watch.ts';

const uncounted: ReportOptions['metrics'] = {
  poll: () => undefined,
  watchUp: () => undefined,
  watchValue: () => undefined,
  undecided: () => undefined,
  notJudged: () => undefined,
  unfollowed: () => undefined,
  notExamined: () => undefined,
};

function observed(partial: string | null): Observation {
  return { type: 'seen', at: 0, paceMs: 0, head: null, chain: 'not-asked', seen: null, partial };
}

test('what a watch could not read, and what it has to note, is said once per cause and again when it comes back', () => {
  const log = createRecordingLog();
  let notExamined = 0;
  const report = createReport({ log, metrics: { ...uncounted, notExamined: () => (notExamined += 1) } });
  const watch = aWatch([]);
  const poll = (partial: string | null, ...notes: string[]): string[] => {
    const before = log.lines.length;
    const reasons = notes.map((text) => ({ type: 'note', text }) as const);
    const memory = blankMemory(watch);
    const nothing = {
      transitions: [],
      now: null,
      snapshot: null,
      firing: [],
      truths: {},
      hasChanged: false,
      needs: null,
      askAgainMs: null,
      closed: NOTHING_CLOSED,
    };
    const decision: Decision = { watchId: watch.id, expects: 0, memory, reasons, ...nothing };
    report(watch, observed(partial), decision);
    return log.lines.slice(before).map((line) => line.replace('warn ', ''));
  };
  expect(poll('blocks 101-250 not examined: 20 pages read')).toEqual(['watch:partial']);
  expect(poll('blocks 251-310 not examined: 20 pages read')).toEqual([]);
  expect(poll('older items not examined: page 2 did not come (timeout)')).toEqual(['watch:partial']);
  expect(poll(null, '3 rows without a token')).toEqual(['watch:note']);
  expect(poll(null, '4 rows without a token', 'the chain was reset')).toEqual(['watch:note']);
  expect(poll(null)).toEqual([]);
  expect(poll('older items not examined: page 2 did not come (timeout)', '1 rows without a token')).toEqual([
    'watch:partial',
    'watch:note',
  ]);
  expect(notExamined).toBe(4);
});

test('a value is labelled with the symbol of the coin, the name of a token, its short address, or nothing', () => {
  const labels: string[] = [];
  const metrics = { ...uncounted, watchValue: ({ token }: { token: string }) => labels.push(token) };
  const report = createReport({ log: createRecordingLog(), metrics });
  const plain = aWatch([]);
  const coin = { symbol: 'xDAI', decimals: 18 };
  const target = { ...plain.target, coin };
  const watch = { ...plain, kind: { ...plain.kind, token: 'optional' as const }, exported: true, token: null, target };
  const now = Gauge.make({});
  const nothing = {
    transitions: [],
    reasons: [],
    now,
    snapshot: null,
    firing: [],
    truths: {},
    hasChanged: true,
    needs: null,
    askAgainMs: null,
    closed: NOTHING_CLOSED,
  };
  const decision: Decision = { watchId: watch.id, expects: 0, memory: blankMemory(watch), ...nothing };
  const observation = observed(null);
  report(watch, observation, decision);
  report({ ...watch, token: { name: 'USDC', address: '0x1' } }, observation, decision);
  report({ ...watch, token: { name: null, address: `0x3c54${'0'.repeat(32)}b3AB` } }, observation, decision);
  // Its values may be of several tokens, or of none.
  report({ ...watch, kind: { ...plain.kind, token: 'none' } }, observation, decision);
  expect(labels).toEqual(['xDAI', 'USDC', '0x3c54…b3AB', '']);
});

test('a watch is labelled with the name of its address, or the short form, alone in its rule or not', () => {
  const address = `0x3c54${'0'.repeat(32)}b3AB`;
  const one = aWatch([], { of: { name: null, address } });
  expect(labelsOf(one)).toEqual({ watch: one.rule, of: '0x3c54…b3AB' });
  expect(labelsOf({ ...one, of: { name: 'vault', address } })).toEqual({ watch: one.rule, of: 'vault' });
  expect(labelsOf({ ...one, name: `${one.rule}[0x3c54…b3AB]` })).toEqual({ watch: one.rule, of: '0x3c54…b3AB' });
});
