import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { DailyTime } from '../../../src/engine/self/daily-due.ts';
import { runDailyReport } from '../../../src/engine/self/daily-report.ts';
import type { TallyLook } from '../../../src/engine/self/day-tally.ts';
import { REPORT_WATCH } from '../../../src/engine/self/report-watch.ts';
import type { Standing } from '../../../src/engine/self/report-text.ts';
import { createWorkCounts } from '../../../src/engine/reporting/explorer-counts.ts';
import { plainJoined } from '../../../src/lib/untrusted.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { StorageError, type Store } from '../../../src/store/contract/store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { aPlanState } from '../../support/spending.ts';
import { claim, dispatch, settle } from '../../support/store/store-calls.ts';
import { fenceOf, ownershipOf } from '../../support/store/fences.ts';

const MINUTE = 60_000;
const HALF_HOUR = 1_800_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const EIGHT_IN_BERLIN: DailyTime = { minutes: 8 * 60, zone: 'Europe/Berlin' };

const WELL: Standing = {
  watches: new Map([['chain', 3]]),
  elsewhere: new Set(),
  zone: 'UTC',
  blind: 0,
  unread: [],
  owed: [],
  held: [],
  anchor: null,
};

/** Lives of a daemon on one state file. */
async function aStory(startsAt: number, time = EIGHT_IN_BERLIN) {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-report-'));
  const clock = createFakeClock(startsAt);
  const log = createRecordingLog();
  const facts = {
    settings: { time, notify: ['ops'] } as { time: DailyTime; notify: readonly string[] } | null,
    standing: WELL,
    blind: [] as TallyLook['blind'],
    plans: [] as TallyLook['plans'],
    disk: null as Error | null,
  };
  let work = createWorkCounts();
  let life: { store: Store; stop: AbortController; running: Promise<void> } | null = null;

  async function begin(): Promise<void> {
    const opened = await openSqliteStore({ file: join(folder, 'state.db') });
    const store: Store = {
      ...opened,
      commit: (...args) => (facts.disk === null ? opened.commit(...args) : Promise.reject(facts.disk)),
    };
    work = createWorkCounts();
    const stop = new AbortController();
    const running = runDailyReport(
      {
        store,
        ownership: ownershipOf(store),
        settings: () => facts.settings,
        timeZone: () => facts.standing.zone,
        work: () => work.now(),
        blind: () => facts.blind,
        plans: () => facts.plans,
        standing: () => Promise.resolve(facts.standing),
        onTransitions: () => undefined,
        clock,
        log,
      },
      stop.signal,
    );
    life = { store, stop, running };
  }

  /** The process dies: what is not in the state file is lost. */
  async function end(): Promise<void> {
    life?.stop.abort();
    await life?.running;
    await life?.store[Symbol.asyncDispose]();
    life = null;
  }

  /** One look in each minute, or in each half hour, as of a machine that sleeps in between. */
  async function pass(ms: number, stepMs: 60_000 | 1_800_000 = MINUTE): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.stall(Math.min(left, stepMs));
      await clock.advance(0);
    }
  }

  await begin();
  return {
    clock,
    log,
    facts,
    pass,
    end,
    begin,
    get work() {
      return work;
    },
    store(): Store {
      if (life === null) throw new Error('the daemon does not run');
      return life.store;
    },
    /** What was told since this was last asked: when, title and text. */
    async told(): Promise<string[]> {
      const { store } = life ?? {};
      if (store === undefined) return [];
      await dispatch(store, clock.now());
      const all = await claim(store, 'ops', 100, clock.now());
      for (const { delivery, attempt } of all)
        await settle(
          store,
          delivery.id,
          { state: 'sent', outcome: { type: 'sent', answer: '' } },
          clock.now(),
          attempt,
        );
      // As the loop of the journal does it every second.
      await store.chainJournal(1000, fenceOf(store, 'service:journal'));
      return all.map(({ delivery: { members } }) => {
        const [{ message }] = members;
        const at = new Date(message.at).toISOString().slice(0, 16);
        return `${at} ${message.type} ${message.title}\n${plainJoined(message.text)}`;
      });
    },
    async [Symbol.asyncDispose]() {
      await end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** `2026-03-28T07:00` of each. */
const timesOf = (told: readonly string[]): string[] => told.map((text) => text.slice(0, 16));

test('once a day it says what was covered, and nothing in between', async () => {
  await using story = await aStory(Date.UTC(2026, 0, 2, 5));
  const { facts } = story;
  await story.pass(HOUR);
  expect(await story.told()).toEqual([]);
  for (let i = 0; i < 20; i += 1) story.work.polled('chain', i > 0);
  story.work.request({ explorer: 'chain', credits: 20 });
  story.work.request({ explorer: 'chain', credits: 20 });
  story.work.explorerHeaders({ explorer: 'chain', credits: 71_200 });
  story.work.head({ explorer: 'chain', height: 101n });
  await story.pass(10 * MINUTE);
  story.work.head({ explorer: 'chain', height: 7301n });
  facts.blind = [{ explorer: 'chain', reason: 'timeout', since: story.clock.now() - 5 * MINUTE, watches: 2 }];
  await story.pass(10 * MINUTE);
  facts.blind = [];
  facts.standing = {
    watches: new Map([['chain', 3]]),
    elsewhere: new Set(),
    zone: 'UTC',
    blind: 1,
    unread: [{ watch: 'calls', heights: 'blocks 101-250', reason: '20 pages read' }],
    owed: [{ channel: 'ops', rows: 2 }],
    held: ['paused watch=coins until 2026-01-03 00:00 UTC by alice'],
    anchor: { position: 48211, hash: '9f3a' },
  };
  await story.pass(40 * MINUTE);
  expect(await story.told()).toEqual([
    `2026-01-02T07:00 alert.event daily report: 3 watches, 1 blind, 1 gap
2026-01-02 05:01 to 2026-01-02 07:00 UTC.
chain: 3 watches, 20 polls, 1 without an answer, blocks 101 to 7,301, 2 requests, 40 credits spent, 71,200 left.
Not read: calls blocks 101-250 (20 pages read).
Blind: chain timeout 2026-01-02 06:05 to 2026-01-02 06:20.
Messages: 0 sent, 0 given up, 2 on ops waiting.
Held back: paused watch=coins until 2026-01-03 00:00 UTC by alice.
Journal: 48211:9f3a.`,
  ]);
  facts.standing = WELL;
  await story.pass(10 * MINUTE);
  expect(await story.told()).toEqual([]);
  facts.settings = { time: { minutes: 7 * 60 + 15, zone: 'UTC' }, notify: ['ops'] };
  await story.pass(DAY + HALF_HOUR, HALF_HOUR);
  const [next = ''] = await story.told();
  expect(next).toContain('2026-01-02 07:00 to 2026-01-03 07:40 UTC.');
  expect(next).toContain('chain: 3 watches, 0 polls, block 7,301, 0 requests, 0 credits spent, 71,200 left.');
  expect(next).toContain('No list has a gap.\nNo watch was blind.');
  expect(next).toContain('Messages: 1 sent, 0 given up, none waiting.\nNothing is held back.');
});

test('a restart repeats no report and loses no count; while it does not run is said', async () => {
  await using story = await aStory(Date.UTC(2026, 0, 2, 5));
  for (let life = 0; life < 6; life += 1) {
    story.work.polled('chain', true);
    await story.pass(10 * MINUTE);
    await story.end();
    if (life === 2) story.clock.stall(20 * MINUTE);
    await story.begin();
  }
  await story.pass(40 * MINUTE);
  const [report = '', ...more] = await story.told();
  expect(more).toEqual([]);
  expect(report).toContain('chain: 3 watches, 6 polls, 0 requests.');
  expect(report).toContain('The daemon did not run: 2026-01-02 05:30 to 2026-01-02 05:51.');
  for (let i = 0; i < 3; i += 1) {
    await story.end();
    await story.begin();
    await story.pass(5 * MINUTE);
  }
  expect(await story.told()).toEqual([]);
});

test('days on which the daemon was down are said in one report soon after the next start', async () => {
  await using story = await aStory(Date.UTC(2026, 0, 1, 12));
  await story.pass(5 * MINUTE);
  await story.end();
  story.clock.stall(3 * DAY);
  await story.begin();
  await story.pass(MINUTE);
  expect(await story.told()).toEqual([
    expect.stringContaining(
      'daily report: 3 watches, not running for a time\n2026-01-01 12:01 to 2026-01-04 12:06 UTC.',
    ),
  ]);
  await story.pass(18 * HOUR, HALF_HOUR);
  expect(await story.told()).toEqual([]);
  await story.pass(HOUR, HALF_HOUR);
  expect(timesOf(await story.told())).toEqual(['2026-01-05T07:06']);
});

test.each([
  [
    'clocks are put forward',
    Date.UTC(2026, 2, 27, 12),
    '02:30',
    ['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30'],
  ],
  [
    'clocks are put forward, west of UTC',
    Date.UTC(2026, 2, 6, 12),
    '02:30',
    ['2026-03-07T07:30', '2026-03-08T07:30', '2026-03-09T06:30'],
    'America/New_York',
  ],
  [
    'clocks are put back',
    Date.UTC(2026, 9, 23, 12),
    '02:30',
    ['2026-10-24T00:30', '2026-10-25T01:30', '2026-10-26T01:30'],
  ],
  [
    'clocks are put back',
    Date.UTC(2026, 9, 23, 12),
    '08:00',
    ['2026-10-24T06:00', '2026-10-25T07:00', '2026-10-26T07:00'],
  ],
] as const)(
  'where %s each day has exactly one report',
  async (_name, startsAt, at, times, zone: string = 'Europe/Berlin') => {
    const [hours = 0, minutes = 0] = at.split(':').map(Number);
    await using story = await aStory(startsAt, { minutes: hours * 60 + minutes, zone });
    await story.pass(2 * DAY + 20 * HOUR, HALF_HOUR);
    expect(timesOf(await story.told())).toEqual(times);
  },
);

test('another time of the day makes no second report of one day, and a clock that is set back stops none', async () => {
  await using story = await aStory(Date.UTC(2026, 0, 1, 6));
  await story.pass(2 * HOUR, HALF_HOUR);
  expect(timesOf(await story.told())).toEqual(['2026-01-01T07:00']);
  story.facts.settings = { time: { minutes: 20 * 60, zone: 'UTC' }, notify: ['ops'] };
  await story.pass(16 * HOUR, HALF_HOUR);
  expect(await story.told()).toEqual([]);
  await story.pass(20 * HOUR + HALF_HOUR, HALF_HOUR);
  expect(timesOf(await story.told())).toEqual(['2026-01-02T20:00']);
  await story.clock.setTo(Date.UTC(2025, 11, 1, 12));
  await story.pass(9 * HOUR, HALF_HOUR);
  expect(timesOf(await story.told())).toEqual(['2025-12-01T20:00']);
});

test('what could not be stored is said once, counted once, and told late', async () => {
  await using story = await aStory(Date.UTC(2026, 0, 1, 6));
  story.work.polled('chain', true);
  await story.pass(MINUTE);
  story.facts.disk = new StorageError('the disk is full');
  story.work.polled('chain', true);
  await story.pass(2 * HOUR, HALF_HOUR);
  expect(await story.told()).toEqual([]);
  expect(story.log.lines).toEqual(['warn report:failed']);
  story.facts.disk = null;
  await story.pass(MINUTE);
  expect(await story.told()).toEqual([expect.stringContaining('chain: 3 watches, 2 polls, 0 requests.')]);
});

test('nothing is made where none is wanted, and what is remembered is no self-alert', async () => {
  await using story = await aStory(Date.UTC(2026, 0, 1, 6));
  story.facts.settings = null;
  await story.pass(DAY, HALF_HOUR);
  expect(await story.told()).toEqual([]);
  expect(await story.store().remembered()).toEqual([]);
  story.facts.settings = { time: EIGHT_IN_BERLIN, notify: ['ops'] };
  await story.pass(MINUTE);
  expect(await story.store().remembered()).toEqual([REPORT_WATCH]);
  expect(await story.told()).toEqual([]);
});

test('a period of a plan that ended is told once, with its credits; a restart forgets none of it', async () => {
  const begin = Date.UTC(2026, 0, 1, 7);
  await using story = await aStory(begin);
  const midnight = Date.UTC(2026, 0, 2);
  const asked = { critical: 50_000, warning: 25_000, info: 11_200, pages: 6200, sweep: 7400, probe: 0, enrich: 0 };
  const plan = aPlanState({ explorers: ['ethereum', 'gnosis'], wantedPerDay: 141_600, spent: asked });
  const about = (report: readonly string[]): string[] =>
    report.flatMap((text) => text.split('\n').filter((line) => line.includes('wanted')));
  story.facts.plans = [{ ...plan, stretch: { critical: 1, warning: 2, info: 4 } }];
  await story.pass(DAY / 4);
  await story.end();
  await story.begin();
  story.facts.plans = [{ ...plan, stretch: { critical: 1, warning: 2.2, info: 4.8 } }];
  await story.pass(DAY / 4);
  const empty = { critical: 20, warning: 0, info: 0, pages: 0, sweep: 0, probe: 0, enrich: 0 };
  story.facts.plans = [{ ...plan, spent: empty, from: midnight, resetsAt: midnight + DAY }];
  await story.pass(DAY / 2 + MINUTE);
  expect(about(await story.told())).toEqual([
    'ethereum: 99,800 of 100,000 credits, 141,600 wanted; second pages 6,200, sweeps 7,400, others 0. Warning ×2.1, info ×4.4.',
  ]);
  await story.pass(DAY);
  expect(about(await story.told())).toEqual([]);
});

test('an explorer that another replica polls is named so, and one that nobody polled is not', async () => {
  await using story = await aStory(Date.UTC(2026, 0, 1, 7));
  const watches = new Map([
    ['chain', 3],
    ['gnosis', 2],
    ['paused', 1],
  ]);
  story.facts.standing = { ...WELL, watches, elsewhere: new Set(['gnosis']) };
  story.work.polled('chain', true);
  await story.pass(DAY);
  const [report = ''] = await story.told();
  expect(report.split('\n').filter((line) => /^(chain|gnosis|paused):/.test(line))).toEqual([
    expect.stringMatching(/^chain: 3 watches, 1 poll/),
    'gnosis: 2 watches, polled by another replica.',
    'paused: 1 watch, no poll.',
  ]);
});
