import { expect, test } from '@jest/globals';
import { warnOfOldSqlite } from '../../src/store/sqlite/open.ts';
import { createRecordingLog } from '../support/recording-log.ts';

test.each<[version: string, isSaid: boolean]>([
  ['3.46.1', true],
  ['3.51.2', true],
  ['3.51', true],
  ['2.99.9', true],
  ['3.51.3', false],
  ['3.52.0', false],
  ['4.0', false],
])('SQLite %s, which can damage a file that two programs write to: said = %s', (version, isSaid) => {
  const log = createRecordingLog();
  warnOfOldSqlite(log, version);
  expect(log.lines).toEqual(isSaid ? ['warn storage:old-sqlite'] : []);
});

test('the one that runs here is sound', () => {
  const log = createRecordingLog();
  warnOfOldSqlite(log);
  expect(log.lines).toEqual([]);
});
