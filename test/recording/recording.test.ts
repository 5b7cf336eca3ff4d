// What gets into a recording, what does not, and that it never stands in the way of an alert.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { Missed, type Read } from '../../src/core/model/watch/question.ts';
import { blankMemory } from '../../src/core/step.ts';
import { addressTokens } from '../../src/explorer/operations.ts';
import { openRecording } from '../../src/recording/reader.ts';
import { openRecorder, type Recorder } from '../../src/recording/recorder.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { blockRows, openExplorer, someBlocks } from '../explorer/support/open.ts';
import { startServer } from '../explorer/support/server.ts';
import { createFolder } from '../support/daemon.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { aWatch, anAddress } from '../support/engine/watch.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const ADDRESS = anAddress(7);
const LIST = addressTokens('test', ADDRESS);

interface Bench {
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  readonly recorder: Recorder;
  readonly failures: () => number;
  /** One poll of a watch that reads one page with this body, or is refused. */
  readonly poll: (body: string | Missed) => Promise<void>;
}

function bench(file: string, bounds: { keepMs?: number; maxBytes?: number } = {}): Bench {
  const clock = createFakeClock();
  const log = createRecordingLog();
  let failures = 0;
  const onFailed = (): void => {
    failures += 1;
  };
  const recorder = openRecorder({ file, keepMs: DAY, maxBytes: 2 ** 28, ...bounds, clock, log, onFailed });
  const watch = aWatch([]);
  return {
    clock,
    log,
    recorder,
    failures: () => failures,
    async poll(body) {
      const memory = { ...blankMemory(watch), version: 1, state: 'known' };
      const attended = recorder.onPoll(
        { watch, memory, wholeMemory: () => Promise.resolve(memory), startedAt: clock.now() },
        reading(recorder, body),
      );
      await attended.read.page(LIST, null).catch(() => undefined);
      attended.settled(
        {
          type: 'seen',
          at: clock.now(),
          paceMs: 0,
          head: null,
          chain: 'not-asked',
          seen: null,
          partial: null,
        },
        null,
      );
      await clock.advance(MINUTE);
    },
  };
}

/** As the explorer client does: the answer is announced with its body, then handed on. */
function reading(recorder: Recorder, body: string | Missed): Read {
  const page = async (): Promise<never> => {
    if (body instanceof Missed) throw body;
    const answer = { rows: [], next: null };
    recorder.onAnswer(answer, Buffer.from(body));
    return answer as never;
  };
  return { one: page, page, pageAgain: page };
}

function rowsOf(file: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}

test('an answer that comes again is stored once, each poll with its time and outcome', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'deep/recording.db');
  {
    const { recorder, poll } = bench(file);
    await using _ = recorder;
    for (const body of ['{"items":[1]}', '{"items":[1]}', '{"items":[2]}', '{"items":[1]}']) await poll(body);
    await poll(new Missed('rate-limited', 'explorer.example: 429'));
  }
  // And the memory that the watch began with.
  expect(rowsOf(file, 'SELECT count(*) AS n FROM bodies')).toEqual([{ n: 3 }]);
  using recording = openRecording(file);
  const polls = [...recording.polls('gauge-1')];
  expect(polls.map(({ at }) => (at - (polls[0]?.at ?? 0)) / MINUTE)).toEqual([0, 1, 2, 3, 4]);
  expect(polls.map(({ memory }) => memory?.state ?? null)).toEqual(['known', null, null, null, null]);
  const gave = polls.flatMap(({ id }) => recording.answers(id)).map((answer) => answer.gave);
  expect(gave.map((one) => ('body' in one ? recording.body(one.body).toString() : one.reason))).toEqual([
    '{"items":[1]}',
    '{"items":[1]}',
    '{"items":[2]}',
    '{"items":[1]}',
    'rate-limited',
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('polls older than `keep` go, and bodies that nothing needs go with them', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  const { recorder, poll, clock } = bench(file, { keepMs: 10 * MINUTE });
  await using _ = recorder;
  for (let i = 0; i < 30; i += 1) await poll(`{"items":[${i < 29 ? i : 0}]}`);
  await recorder.flush();
  const [kept] = rowsOf(file, 'SELECT count(*) AS polls, min(at) AS oldest FROM polls');
  expect(kept).toEqual({ polls: 10, oldest: clock.now() - 10 * MINUTE });
  expect(rowsOf(file, 'SELECT count(*) AS n FROM bodies WHERE id NOT IN (SELECT body FROM answers)')).toEqual([
    { n: 0 },
  ]);
});

test('a file that would outgrow `max_size` loses its oldest polls, and stays below it', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  {
    const { recorder, poll } = bench(file, { maxBytes: 2 ** 20 });
    await using _ = recorder;
    for (let i = 0; i < 400; i += 1) {
      // Half a megabyte in hundred polls: text that does not compress.
      await poll(JSON.stringify({ items: Array.from({ length: 200 }, (_, n) => Math.sin(i * 1000 + n)) }));
      if (i % 50 === 0) await recorder.flush();
    }
  }
  expect(statSync(file).size).toBeLessThanOrEqual(2 ** 20);
  const [left] = rowsOf(file, 'SELECT count(*) AS n, max(id) AS newest FROM polls');
  expect(left?.['newest']).toBe(400);
  expect(Number(left?.['n'])).toBeGreaterThan(50);
});

test('a recording that cannot be written is logged once and counted; what waits is written later', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  const { recorder, poll, log, failures } = bench(file);
  await using _ = recorder;
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  for (let i = 0; i < 3; i += 1) {
    await poll('{"items":[]}');
    await recorder.flush();
  }
  expect([failures(), log.lines]).toEqual([3, ['error recording:failed']]);
  other.exec('ROLLBACK');
  other.close();
  await recorder.flush();
  expect(log.lines).toEqual(['error recording:failed', 'info recording:works-again']);
  expect(rowsOf(file, 'SELECT count(*) AS n FROM polls')).toEqual([{ n: 3 }]);
});

test('what the file will never take is let go, and what comes after it is written', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  const { recorder, poll, clock, log, failures } = bench(file);
  await using _ = recorder;
  await clock.advance(0.5);
  await poll('{"items":[]}');
  await recorder.flush();
  await clock.advance(0.5);
  await poll('{"items":[]}');
  await recorder.flush();
  expect([failures(), log.lines]).toEqual([1, ['error recording:failed', 'info recording:works-again']]);
  expect(rowsOf(file, 'SELECT count(*) AS n FROM polls')).toEqual([{ n: 1 }]);
});

test('files of other kinds are refused, either way', async () => {
  using folder = createFolder({ 'text.db': 'no database at all, but long enough to be looked at '.repeat(20) });
  const state = join(folder.path, 'state.db');
  await (await openSqliteStore({ file: state }))[Symbol.asyncDispose]();
  const before = readFileSync(state);
  for (const file of [state, join(folder.path, 'text.db')]) {
    expect(() => bench(file)).toThrow(/recording|database/);
    expect(() => openRecording(file)).toThrow(/recording|database/);
  }
  expect(readFileSync(state).equals(before)).toBe(true);
  expect(() => openRecording(join(folder.path, 'none.db'))).toThrow(/no recording at .*chainwarden record/);
  await bench(join(folder.path, 'recording.db')).recorder[Symbol.asyncDispose]();
  await expect(openSqliteStore({ file: join(folder.path, 'recording.db') })).rejects.toThrow(/another program/);
});

test.each([
  ['1', 'ALTER TABLE polls DROP COLUMN pace_ms; ALTER TABLE polls DROP COLUMN chain; PRAGMA user_version = 1'],
  ['2', 'ALTER TABLE polls DROP COLUMN pace_ms; PRAGMA user_version = 2'],
])('a recording of schema %s, of a former release, is read as it is, and goes on', async (_, toFormer) => {
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  const record = async (): Promise<void> => {
    const { recorder, poll } = bench(file);
    await poll('{"items":[]}');
    await recorder[Symbol.asyncDispose]();
  };
  await record();
  {
    using db = new DatabaseSync(file);
    db.exec(toFormer);
  }
  const polls = (): unknown[] => {
    using recording = openRecording(file);
    return [...recording.polls(aWatch([]).id)].map(({ chain, paceMs }) => [chain, paceMs]);
  };
  expect(polls()).toEqual([[null, null]]);
  await record();
  expect(polls()).toEqual([
    [null, null],
    [null, 0],
  ]);
});

test('no key gets in: not from the request, not from an answer that echoes it', async () => {
  const key = 'proapi_canary_4711';
  await using server = await startServer((request, response, index) => {
    const echo = { block_number: 5, items_count: 50, apikey: request.query['apikey'] };
    response.setHeader('content-type', 'application/json');
    // Not one that is asked again, as a refused key is.
    response.statusCode = index < 2 ? 200 : 403;
    response.end(JSON.stringify({ items: blockRows(9, 2), message: `no ${key}`, next_page_params: echo }));
  });
  using folder = createFolder();
  const file = join(folder.path, 'recording.db');
  {
    const { recorder, clock } = bench(file);
    await using _ = recorder;
    await using opened = openExplorer(server.url, {
      auth: { type: 'query', key: () => key },
      onAnswer: recorder.onAnswer,
    });
    const watch = aWatch([]);
    const memory = blankMemory(watch);
    const poll = { watch, memory, wholeMemory: () => Promise.resolve(memory), startedAt: clock.now() };
    const attended = recorder.onPoll(poll, opened.explorer.tickReader());
    const { read } = attended;
    const { next } = await read.page(someBlocks, null);
    await read.page(someBlocks, next);
    await read.pageAgain(someBlocks, next).catch(() => undefined);
    attended.settled(
      {
        type: 'seen',
        paceMs: 0,
        at: clock.now(),
        head: opened.explorer.head(),
        chain: 'not-asked',
        seen: null,
        partial: null,
      },
      null,
    );
  }
  expect(new Set(server.requests.map(({ query }) => query['apikey']))).toEqual(new Set([key]));
  using recording = openRecording(file);
  const [poll] = recording.polls('gauge-1');
  const answers = recording.answers(poll?.id ?? 0);
  const bodies = answers.flatMap(({ gave }) => ('body' in gave ? [recording.body(gave.body).toString()] : []));
  expect(bodies.map((body) => body.includes('"apikey":"***"'))).toEqual([true, true]);
  expect(answers.map(({ cursor }) => cursor)).toEqual([null, next(5), next(5)]);
  expect(poll?.head?.height).toBe(9n);
  for (const text of [...bodies, JSON.stringify(answers), readFileSync(file).toString('latin1')])
    expect(text.includes(key)).toBe(false);
});

function next(block: number): Record<string, string> {
  return { block_number: String(block), items_count: '50' };
}
