// What the judge of a run sees of people: each thing that must not happen is put into a run in which nothing is wrong.
import { describe, expect, test } from '@jest/globals';
import { judgePeople } from '../../simulation/people/judge.ts';
import type { SeenTry } from '../sinks.ts';
import { CALLS, CARE } from './config.ts';
import { peopleLogOf, type PeopleRun } from './log.ts';
import type { Recorded } from './recorded.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const BEGIN = Date.UTC(2026, 0, 5, 12);
const span = { from: BEGIN, to: BEGIN + 10 * MINUTE };
const FIRED = BEGIN + MINUTE;
const ENDED = FIRED + 50 * SECOND;
const STEP_MS = MINUTE;

const labels = { watch: 'care-0', alert: 'low', severity: 'warning', explorer: 'plan-0' };
const message = {
  key: 'k',
  episode: 1,
  watch: 'care-0',
  alert: 'low',
  severity: 'warning',
  reason: null,
  summary: null,
} as const;

function decided(seq: number, transition: 'firing' | 'resolved', at: number): Recorded {
  const body = { key: 'k', seq, transition, labels, message: { ...message, seq, at } };
  return { at, type: 'transition', body };
}

function made(id: string, seq: number, at: number, as: 'news' | 'repeat' = 'news'): Recorded[] {
  const delivery = { id, channel: CARE, recipient: CARE, kind: as, attempt: 0 } as const;
  const member = { id, key: 'k', seq, sent_as: as, held_at: null, renewed: null };
  return [
    { at, type: 'made', body: { ...delivery, state: 'due' } },
    { at, type: 'member', body: member },
    { at: at + SECOND, type: 'turned', body: { ...delivery, state: 'sent', attempt: 1 } },
  ];
}

function told(id: string, seq: number, at: number, given: Partial<SeenTry> = {}): SeenTry {
  return {
    id,
    channel: CARE,
    attempt: 1,
    saysCopy: false,
    isFromMemory: false,
    begunAt: at,
    endedAt: at + 200,
    outcome: { type: 'accepted' },
    message: { ...message, seq, type: seq === 1 ? 'firing' : 'resolved', at },
    ...given,
  };
}

const recorded: readonly Recorded[] = [
  decided(1, 'firing', FIRED),
  ...made('begin', 1, FIRED),
  decided(2, 'resolved', ENDED),
  ...made('end', 2, ENDED),
];
const tries: readonly SeenTry[] = [told('begin', 1, FIRED + 100), told('end', 2, ENDED + 100)];
const sound: PeopleRun = { span, plans: 4, recorded, lost: [], tries, jumps: [], outages: [] };

function found(given: Partial<PeopleRun>): string[] {
  return judgePeople(peopleLogOf({ ...sound, ...given })).map(({ check, story }) => `${check} ${story.duty}`);
}

const iso = (at: number): string => new Date(at).toISOString();

const silence = (at: number): Recorded => ({
  at,
  type: 'operated',
  body: {
    key: 's',
    answer: {
      action: 'silence',
      answer: {
        id: 's',
        matchers: { watch: 'care-0' },
        from: iso(at),
        until: iso(at + 20 * SECOND),
        until_resolved: false,
      },
    },
  },
});

test('a run in which an alert is told when it begins and when it ends is sound', () => {
  expect(found({})).toEqual([]);
});

test('a begin, or an end, is never told', () => {
  const [begin, end] = tries;
  expect(found({ tries: begin === undefined ? [] : [begin] })).toEqual(['end-unsent end']);
  expect(found({ tries: end === undefined ? [] : [end] })).toContain('invented end-without-begin');
  expect(found({ recorded: recorded.slice(0, 4), tries: [] })).toEqual(['unsent begin', 'step-wrong step']);
});

test('an alert that goes on is told again after a minute, and others are called', () => {
  const open = recorded.slice(0, 4);
  const all = found({ recorded: open, tries: tries.slice(0, 1), span: { from: BEGIN, to: FIRED + 4 * MINUTE } });
  expect(all.toSorted()).toEqual(['repeat-wrong repeat', 'step-wrong step']);
});

test('it is told twice, to somebody whom nothing names, or it never happened', () => {
  const again = told('other', 1, FIRED + 20 * SECOND);
  expect(found({ tries: [...tries, again] })).toEqual(['twice known']);
  expect(found({ tries: [...tries, { ...again, saysCopy: true }] })).toEqual([]);
  expect(found({ tries: [...tries, told('begin', 1, FIRED + 20 * SECOND)] })).toEqual(['twice known']);
  expect(found({ tries: [...tries, told('call', 1, FIRED + SECOND, { channel: CALLS })] })).toContain(
    'step-wrong early',
  );
  const never = { ...message, key: 'never', seq: 1, type: 'firing', at: FIRED } as const;
  expect(found({ tries: [...tries, told('x', 1, FIRED, { message: never })] })).toEqual(['invented of-nothing']);
});

test('it is told while a silence holds it', () => {
  expect(found({ recorded: [silence(FIRED - 15 * SECOND), ...recorded] })).toEqual(['against-a-hold begin']);
});

test('what a failover has lost may be told, and told again', () => {
  const before = recorded.slice(0, 4);
  const again = [...made('begin', 1, FIRED + 9 * SECOND)];
  const lost = [{ at: FIRED + 5 * SECOND, recorded: before }];
  const after = [decided(1, 'firing', FIRED + 9 * SECOND), ...again, ...recorded.slice(4)];
  const twice = [...tries, told('begin', 1, FIRED + 9 * SECOND + 100)];
  expect(found({ recorded: after, lost, tries: twice })).toEqual([]);
  // Without it, it was told before it happened.
  expect(found({ recorded: after, tries: twice })).toEqual(['invented of-nothing']);
});

describe('the clock of the database goes three minutes ahead, and back before a step is due', () => {
  const open = recorded.slice(0, 4);
  const ahead = { at: FIRED + 10 * SECOND, ms: 3 * MINUTE };
  const back = { at: ahead.at + 15 * SECOND, ms: -ahead.ms };
  const compared = (at: number, clock: number): Recorded => ({ at, type: 'compared', body: { clock } });
  const early = (lines: readonly Recorded[], after: number): boolean =>
    found({
      recorded: [...open, ...lines],
      jumps: [ahead, back],
      tries: [told('begin', 1, FIRED + 100), told('call', 1, FIRED + after, { channel: CALLS })],
    }).includes('step-wrong early');

  test('the step comes as if nothing had been, where nobody compared the clock in between', () => {
    const before = compared(FIRED, FIRED);
    expect(early([before], STEP_MS)).toBe(false);
    expect(early([before], STEP_MS / 2)).toBe(true);
  });

  test('the step waits anew from then on, where somebody did', () => {
    const between = ahead.at + SECOND;
    const seen = compared(between, between + ahead.ms);
    expect(early([seen], STEP_MS)).toBe(true);
    expect(early([seen], back.at - FIRED + STEP_MS)).toBe(false);
  });
});

test('a silence that a failover has lost holds nothing any more', () => {
  const lost = [{ at: FIRED - 5 * SECOND, recorded: [silence(FIRED - 15 * SECOND)] }];
  expect(found({ lost })).toEqual([]);
});

test('an acknowledgement that a failover has lost delays no call', () => {
  const at = FIRED + STEP_MS - 10 * SECOND;
  const answer = { key: 'k', episode: 1, seq: 1, at: iso(at), until: iso(at + 5 * MINUTE) };
  const ack: Recorded = { at, type: 'operated', body: { key: 'a', answer: { action: 'ack', answer } } };
  const open = recorded.slice(0, 4);
  const called = [told('begin', 1, FIRED + 100), told('call', 1, FIRED + STEP_MS, { channel: CALLS })];
  const stepsWrong = (run: Partial<PeopleRun>): string[] =>
    found({ recorded: open, tries: called, ...run }).filter((line) => line.endsWith(' early'));
  expect(stepsWrong({ lost: [{ at: at + 5 * SECOND, recorded: [ack] }] })).toEqual([]);
  expect(stepsWrong({ recorded: [...open, ack] })).toEqual(['step-wrong early']);
});

test('what was told from memory and is on no record did happen', () => {
  const critical = { ...message, severity: 'critical', key: 'm', seq: 1, type: 'firing', at: FIRED } as const;
  const one = told('m', 1, FIRED, { isFromMemory: true, message: critical });
  expect(found({ tries: [...tries, one] }).filter((line) => line.startsWith('invented'))).toEqual([]);
});
