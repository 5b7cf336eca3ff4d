// The row that a running daemon writes of its health.
import { expect, test } from '@jest/globals';
import type { HealthSummary } from '../../../src/core/model/quality/health-summary.ts';
import { summaryOfHealth } from '../../../src/engine/reporting/daemon-health.ts';
import { recordHealth } from '../../../src/engine/upkeep/health-record.ts';
import { StorageError } from '../../../src/store/contract/store.ts';
import { calmHealth } from '../../support/engine/calm-health.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const HEAD = { height: '9', at: 0, state: 'fresh', since: null } as const;

test('the row is written when it says something else, at most every 10 s, and else every 30 s; one line per outage', async () => {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const disk = { isBroken: false };
  const kept = { count: 0 };
  const begin = clock.now();
  const written: string[] = [];
  let known: Partial<HealthSummary> = {};
  const stop = new AbortController();
  const running = recordHealth(
    {
      store: {
        keepHealth({ at, notJudged, explorers }) {
          if (disk.isBroken) return Promise.reject(new StorageError('the disk does not answer'));
          written.push(`${(at - begin) / 1000} s: ${notJudged} not judged, block ${explorers[0]?.head.height ?? '-'}`);
          return Promise.resolve();
        },
      },
      health: () => ({ ...summaryOfHealth(calmHealth(clock.now())), startedAt: begin, ...known }),
      onKept: () => {
        kept.count += 1;
      },
      clock,
      log,
    },
    stop.signal,
  );
  const pass = async (seconds: number): Promise<string[]> => {
    await clock.advance(seconds * 1000);
    return written.splice(0);
  };
  expect(await pass(65)).toEqual([
    '0 s: 0 not judged, block -',
    '30 s: 0 not judged, block -',
    '60 s: 0 not judged, block -',
  ]);
  known = { notJudged: 3 };
  expect(await pass(10)).toEqual(['70 s: 3 not judged, block -']);
  known = { ...known, explorers: [{ name: 'chain', polled: 1, head: HEAD, plan: null, paced: null, credits: null }] };
  expect(await pass(10)).toEqual(['80 s: 3 not judged, block 9']);
  known = {
    ...known,
    heartbeatAt: begin,
    explorers: [{ name: 'chain', polled: 1, head: { ...HEAD, height: '10' }, plan: null, paced: null, credits: null }],
  };
  // Every poll shows another block.
  expect(await pass(20)).toEqual([]);
  expect(await pass(10)).toEqual(['110 s: 3 not judged, block 10']);
  disk.isBroken = true;
  expect(await pass(60)).toEqual([]);
  expect(log.lines.filter((line) => line.includes('health:not-kept'))).toHaveLength(1);
  disk.isBroken = false;
  expect(await pass(10)).toEqual(['180 s: 3 not judged, block 10']);
  stop.abort();
  await running;
});
