import { expect, test } from '@jest/globals';
import { createDiskWatch } from '../../../src/engine/upkeep/disk-watch.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const GB = 1e9;
const MIB = 2 ** 20;

function watchOver(maxBytes = 2 * GB) {
  const log = createRecordingLog();
  const use = { fileBytes: MIB, logBytes: 0, freeBytes: 50 * GB, diskBytes: 100 * GB };
  let measured = 0;
  const low: (number | null)[] = [];
  const look = createDiskWatch({
    measure: () => ({ ...use }),
    maxBytes: () => maxBytes,
    onMeasured: () => (measured += 1),
    onLow: (free) => low.push(free),
    log,
  });
  return { log, use, look, low, measured: () => measured };
}

test('a disk that fills up is said before it is full, once, and again when there is room', () => {
  const { log, use, look, low, measured } = watchOver();
  for (const free of [50, 9, 2.1, 1.9, 1, 0, 3, 1]) {
    use.freeBytes = free * GB;
    look();
  }
  expect(log.lines).toEqual(['warn storage:disk-low', 'info storage:disk-free', 'warn storage:disk-low']);
  expect(log.fields[0]).toMatchObject({ free: 1.9 * GB, effect: expect.stringContaining('the watches are blind') });
  expect(low).toEqual([null, null, null, 1.9 * GB, GB, 0, null, GB]);
  expect(measured()).toBe(8);
});

test('on a small disk a tenth is enough, and 200 MB are on the smallest', () => {
  const small = watchOver();
  Object.assign(small.use, { diskBytes: 4 * GB, freeBytes: 0.5 * GB });
  small.look();
  expect(small.log.lines).toEqual([]);
  Object.assign(small.use, { diskBytes: GB, freeBytes: 0.19 * GB });
  small.look();
  expect(small.log.lines).toEqual(['warn storage:disk-low']);
});

test('a log that another program keeps from being merged is said', () => {
  const { log, use, look } = watchOver();
  for (const size of [16, 255, 257, 300, 4]) {
    use.logBytes = size * MIB;
    look();
  }
  expect(log.lines).toEqual(['warn storage:log-large', 'info storage:log-small']);
  expect(log.fields[0]).toMatchObject({ why: expect.stringContaining('end that program') });
});
