import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createBackupHealth } from '../../../src/engine/upkeep/backup-health.ts';
import { runDailyBackup } from '../../../src/engine/upkeep/daily-backup.ts';
import { createBackups } from '../../../src/store/sqlite/files/backup-directory.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

async function prepare() {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-daily-'));
  const file = join(folder, 'state.db');
  await (await openSqliteStore({ file }))[Symbol.asyncDispose]();
  const directory = join(folder, 'backups');
  const story = { failures: 0, last: 0, isWanted: true };
  const log = createRecordingLog();

  /** One life of a daemon. */
  function live(clock: FakeClock) {
    const stop = new AbortController();
    const health = createBackupHealth(clock);
    const running = runDailyBackup(
      {
        backups: () => (story.isWanted ? createBackups({ file, directory, keep: 3 }) : null),
        onBackup: (at) => (story.last = at),
        onFailed: () => (story.failures += 1),
        health,
        clock,
        log,
      },
      stop.signal,
    );
    return {
      health,
      async pass(ms: number) {
        for (let left = ms; left > 0; left -= 10 * MINUTE) {
          await clock.advance(Math.min(left, 10 * MINUTE));
          await clock.whenSleeping(1);
        }
      },
      async [Symbol.asyncDispose]() {
        stop.abort();
        await running;
      },
    };
  }

  return {
    story,
    log,
    directory,
    live,
    names: () => readdirSync(directory),
    [Symbol.dispose]: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

test('one backup a day, however often the daemon is started', async () => {
  using prepared = await prepare();
  const clock = createFakeClock();
  for (let start = 0; start < 3; start += 1) {
    await using daemon = prepared.live(clock);
    await daemon.pass(30 * MINUTE);
  }
  expect(prepared.names()).toEqual(['state-20260101T001000Z.db']);
  expect(prepared.story.last).toBe(Date.UTC(2026, 0, 1, 0, 10));
  await using daemon = prepared.live(clock);
  await daemon.pass(DAY);
  expect(prepared.names()).toEqual(['state-20260101T001000Z.db', 'state-20260102T001000Z.db']);
  expect(prepared.log.lines).toEqual(['info storage:backed-up', 'info storage:backed-up']);
  expect(prepared.story.failures).toBe(0);
});

test('a clock that was set back by a month stops no backup', async () => {
  using prepared = await prepare();
  const clock = createFakeClock();
  await using daemon = prepared.live(clock);
  await daemon.pass(10 * MINUTE);
  await clock.setTo(Date.UTC(2025, 11, 1));
  await daemon.pass(10 * MINUTE);
  expect(prepared.names()).toEqual(['state-20251201T001000Z.db', 'state-20260101T001000Z.db']);
});

test('a backup that cannot be made is said once, counted, and made as soon as it can be', async () => {
  using prepared = await prepare();
  const clock = createFakeClock();
  writeFileSync(prepared.directory, 'no directory');
  await using daemon = prepared.live(clock);
  await daemon.pass(30 * MINUTE);
  expect(prepared.log.lines).toEqual(['error storage:backup-failed']);
  expect(prepared.story).toMatchObject({ failures: 3, last: 0 });
  expect(daemon.health.trouble()).toEqual({
    type: 'failed',
    since: Date.UTC(2026, 0, 1, 0, 10),
    why: expect.stringContaining(prepared.directory),
  });
  rmSync(prepared.directory);
  await daemon.pass(10 * MINUTE);
  expect(prepared.log.lines).toEqual(['error storage:backup-failed', 'info storage:backed-up']);
  expect(prepared.names()).toHaveLength(1);
  expect(daemon.health.trouble()).toBeNull();
});

test('backups that neither succeed nor fail for two days are noticed, whatever the wall clock does', async () => {
  const clock = createFakeClock();
  const health = createBackupHealth(clock);
  await clock.advance(5 * DAY);
  expect([health.trouble(), health.isUnknown()]).toEqual([null, true]);
  const stop = new AbortController();
  const stuck = { make: () => new Promise<never>(() => undefined), list: () => Promise.resolve([]) };
  const silent = { onBackup: () => undefined, onFailed: () => undefined };
  void runDailyBackup({ backups: () => stuck, ...silent, health, clock, log: createRecordingLog() }, stop.signal);
  const begunAt = clock.now();
  await clock.advance(2 * DAY);
  await clock.setTo(clock.now() - 30 * DAY);
  expect(health.trouble()).toBeNull();
  await clock.advance(1);
  expect(health.trouble()).toEqual({ type: 'old', since: begunAt });
  stop.abort();
});

test('none is made where none is wanted', async () => {
  using prepared = await prepare();
  prepared.story.isWanted = false;
  await using daemon = prepared.live(createFakeClock());
  await daemon.pass(DAY);
  expect(() => prepared.names()).toThrow('ENOENT');
  expect(prepared.log.lines).toEqual([]);
});
