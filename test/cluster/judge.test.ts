// What the judge of a run sees: each thing that must not happen is put into a run in which nothing is wrong.
import { describe, expect, test } from '@jest/globals';
import type { Line } from './database.ts';
import type { Asked } from './explorer.ts';
import { figuresOf, findingsOf, type Happened } from './judge.ts';

const LEASE_MS = 4000;
const BEGIN = Date.UTC(2026, 0, 5, 12);
const [ONE, OTHER] = ['127.0.0.11', '127.0.0.12'];
const WATCH = 'head-0/plan-0/-/-';

/** A request each second by one replica, which then is killed, and from the fifteenth on by the other. */
const asked: readonly Asked[] = Array.from({ length: 60 }, (_, second) => second)
  .filter((second) => second < 10 || second >= 15)
  .map((second) => askedAt(second, second < 10 ? ONE : OTHER));

const log: readonly Line[] = numbered([
  { type: 'claim', shard: 'explorer:plan-0', epoch: 1, address: ONE },
  { type: 'insert', shard: 'explorer:plan-0', subject: WATCH, before: 0, after: 1, address: ONE },
  { type: 'update', shard: 'explorer:plan-0', subject: WATCH, before: 1, after: 2, address: ONE },
  { type: 'claim', shard: 'explorer:plan-0', epoch: 2, address: OTHER },
  { type: 'update', shard: 'explorer:plan-0', subject: WATCH, before: 2, after: 3, address: OTHER },
  { type: 'claim', shard: 'channel:hook-0', epoch: 3, address: OTHER },
  { type: 'send', shard: 'channel:hook-0', subject: 'd1', address: OTHER },
]);

const sound: Happened = {
  asked,
  log,
  outages: [],
  woken: [],
  barred: [],
  clockMoves: [],
  crowded: [],
  leaseMs: LEASE_MS,
};

type Unnumbered = Line extends infer One ? (One extends Line ? Omit<One, 'number'> : never) : never;

function numbered(lines: readonly Unnumbered[]): Line[] {
  return lines.map((line, n) => ({ ...line, number: n + 1 }));
}

function askedAt(second: number, asker: string, changes: Partial<Asked> = {}): Asked {
  const from = BEGIN + second * 1000;
  return { plan: 0, asker, path: `/blocks?n=${second % 3}`, from, to: from + 20, ...changes };
}

const withAsked = (...more: readonly Asked[]): Happened => ({ ...sound, asked: [...asked, ...more] });
const withLines = (...more: readonly Unnumbered[]): Happened => ({
  ...sound,
  log: [...log, ...numbered(more)],
});

test('a run in which a replica is killed and another goes on is sound', () => {
  expect(findingsOf(sound)).toEqual([]);
  expect(figuresOf(sound)).toEqual({
    requests: 55,
    askedTwice: 0,
    claims: 3,
    commits: 3,
    longestGapMs: 6000,
  });
});

describe('who asks:', () => {
  test('finds requests of one plan by two replicas at one time', () => {
    expect(findingsOf(withAsked(askedAt(30, ONE, { from: BEGIN + 30_010 })))).toEqual([
      `two askers of plan 0: ${OTHER} and ${ONE} at 12:00:30.010, /blocks?n=0`,
    ]);
  });

  test('a request that was on its way when a replica was frozen leaves when it wakes, but no more than may be', () => {
    const strays = Array.from({ length: 6 }, (_, n) =>
      askedAt(30, ONE, { path: `/stray-${n}`, from: BEGIN + 30_001 + n }),
    );
    const woken = [{ address: ONE, at: BEGIN + 30_000 }];
    expect(findingsOf({ ...withAsked(...strays.slice(0, 4)), woken })).toEqual([]);
    expect(findingsOf({ ...withAsked(...strays), woken })).not.toEqual([]);
    expect(findingsOf({ ...withAsked(...strays.slice(0, 4)), woken: [{ address: ONE, at: BEGIN }] })).not.toEqual([]);
  });

  test('more than one question in twenty was asked by two replicas, one after the other', () => {
    const again = [20, 25, 30].map((second) => askedAt(second, ONE, { from: BEGIN + second * 1000 + 100 }));
    expect(findingsOf(withAsked(...again.slice(0, 2)))).toEqual([]);
    expect(findingsOf(withAsked(...again))).toEqual(['asked twice: 3 of 58 requests']);
  });

  test('nobody asked for longer than a lease, five seconds and the interval', () => {
    const late = (from: number): Happened => ({
      ...sound,
      asked: asked.filter((one) => one.from < from || one.from >= from + 9500),
    });
    expect(findingsOf(late(BEGIN + 30_500))).toEqual([]);
    expect(findingsOf(late(BEGIN + 29_500))).toEqual([]);
    const gone = { ...sound, asked: asked.filter(({ from }) => from < BEGIN + 30_000 || from >= BEGIN + 41_000) };
    expect(findingsOf(gone)).toEqual(['plan 0 was not asked for 12000 ms from 12:00:29.000']);
    const outages = [{ from: BEGIN + 31_000, to: BEGIN + 34_000 }];
    expect(findingsOf({ ...gone, outages })).toEqual([]);
  });
});

describe('what excuses a gap:', () => {
  const goneFor = (seconds: number): Happened => ({
    ...sound,
    asked: asked.filter(({ from }) => from < BEGIN + 30_000 || from >= BEGIN + (29 + seconds) * 1000),
  });
  const gone = goneFor(12);
  const span = { from: BEGIN + 31_000, to: BEGIN + 35_000 };

  test('a replica that holds a plan and reaches no explorer is sure of it before others take over', () => {
    expect(findingsOf({ ...gone, barred: [{ ...span, address: OTHER }] })).toEqual([]);
    expect(findingsOf({ ...gone, barred: [{ ...span, address: ONE }] })).toHaveLength(1);
    expect(findingsOf({ ...goneFor(21), barred: [{ ...span, address: OTHER }] })).toHaveLength(1);
  });

  test('whoever takes over reaches no explorer, as the second of two faults', () => {
    const taker = [{ ...span, address: ONE }];
    expect(findingsOf({ ...goneFor(25), crowded: [span], barred: taker })).toEqual([]);
    expect(findingsOf({ ...goneFor(25), crowded: [span] })).toHaveLength(1);
    expect(findingsOf({ ...goneFor(30), crowded: [span], barred: taker })).toHaveLength(1);
  });

  test('that others ask a host whether it answers is no request of a plan', () => {
    expect(findingsOf(withAsked(askedAt(30, ONE, { from: BEGIN + 30_010, path: '/' })))).toEqual([]);
  });

  test('two faults over each other, and a clock of the database that was set', () => {
    expect(findingsOf({ ...gone, crowded: [span] })).toEqual([]);
    expect(findingsOf({ ...gone, clockMoves: [{ at: span.from, ms: 600_000 }] })).toEqual([]);
    expect(findingsOf({ ...gone, clockMoves: [{ at: BEGIN, ms: 600_000 }] })).toHaveLength(1);
  });
});

test('two replicas ask while one of them learns that the clock of the database has ended its lease', () => {
  const both = withAsked(askedAt(30, ONE, { from: BEGIN + 30_010 }));
  expect(findingsOf({ ...both, clockMoves: [{ at: BEGIN + 29_000, ms: 600_000 }] })).toEqual([]);
});

describe('what was written:', () => {
  test('whatever a daemon of another installation writes is found', () => {
    const claim = { type: 'claim', shard: 'explorer:plan-0', epoch: 4, address: '127.0.0.21' } as const;
    expect(findingsOf(withLines(claim))).toEqual(['127.0.0.21 of another installation wrote (claim)']);
  });

  test('finds a write over a memory that its writer did not know', () => {
    const back = {
      type: 'update',
      shard: 'explorer:plan-0',
      subject: WATCH,
      before: 3,
      after: 3,
      address: OTHER,
    } as const;
    expect(findingsOf(withLines(back))).toEqual([`version of ${WATCH} from 3 to 3 by ${OTHER}`]);
    expect(findingsOf(withLines({ ...back, before: 3, after: 5 }))).toHaveLength(1);
  });

  test('finds a claim of a shard under a former epoch', () => {
    const claim = { type: 'claim', shard: 'explorer:plan-0', epoch: 2, address: OTHER } as const;
    expect(findingsOf(withLines(claim))).toEqual(['epoch of explorer:plan-0 from 2 to 2']);
  });

  test.each([
    { type: 'update', shard: 'explorer:plan-0', subject: WATCH, before: 3, after: 4, address: ONE },
    { type: 'cover', shard: 'explorer:plan-0', subject: WATCH, address: ONE },
    { type: 'send', shard: 'channel:hook-0', subject: 'd2', address: ONE },
  ] as const)('finds a write ($type) to what another replica has claimed', (line) => {
    expect(findingsOf(withLines(line))).toEqual([
      `${ONE} wrote ${line.subject} (${line.type}) of ${line.shard}, which ${OTHER} had claimed`,
    ]);
  });

  test('finds a retired watch that a replica has in its config', () => {
    const gone = {
      type: 'delete',
      shard: 'explorer:plan-0',
      subject: WATCH,
      before: 3,
      after: 0,
      address: OTHER,
    } as const;
    expect(findingsOf(withLines(gone))).toEqual([`${WATCH} was retired by ${OTHER}, although a replica has it`]);
  });

  test('finds two messages about one alert on their way to one recipient', () => {
    expect(findingsOf(withLines({ type: 'overtake', subject: 'd2', address: OTHER }))).toEqual([
      `${OTHER} sent d2 beside an earlier one of the same alert`,
    ]);
  });
});
