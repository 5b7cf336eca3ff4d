import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { leaveMarker, takeMarker } from '../../src/store/sqlite/files/lost-marker.ts';
import { createFolder } from '../support/daemon.ts';

test('what was lost is said once', () => {
  using folder = createFolder({ 'data/x': '' });
  const file = join(folder.path, 'data/state.db');
  expect(takeMarker(file)).toBeNull();
  leaveMarker(file, 'gone: no space');
  expect([takeMarker(file), takeMarker(file)]).toEqual(['gone: no space', null]);
});

test('that something was lost is said although a full disk took none of the words', () => {
  using folder = createFolder({ 'data/x': '' });
  const file = join(folder.path, 'data/state.db');
  leaveMarker(file, 'gone');
  truncateSync(`${file}.lost`);
  expect(takeMarker(file)).toBe(`${file} was deleted or replaced while the daemon ran`);
});

test('where the directory is gone too, the marker stands beside it; through a link nothing is written', () => {
  using folder = createFolder({ precious: 'precious' });
  const file = join(folder.path, 'data/state.db');
  leaveMarker(file, 'gone');
  expect(readFileSync(join(folder.path, 'data.lost'), 'utf8')).toBe('gone\n');
  expect(takeMarker(file)).toBe('gone');
  mkdirSync(join(folder.path, 'data'));
  for (const marker of [`${file}.lost`, join(folder.path, 'data.lost')])
    symlinkSync(join(folder.path, 'precious'), marker);
  leaveMarker(file, 'gone');
  expect(readFileSync(join(folder.path, 'precious'), 'utf8')).toBe('precious');
  expect(existsSync(join(folder.path, 'data'))).toBe(true);
});
