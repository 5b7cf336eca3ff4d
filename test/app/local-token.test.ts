import { chmodSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openLocalToken } from '../../src/app/web/local-token.ts';
import { createFolder } from '../support/daemon.ts';
import { createRecordingLog } from '../support/recording-log.ts';

const PLANTED = 'p'.repeat(43);

test('a token that another user put there is replaced, and the log says so', () => {
  using folder = createFolder({ 'state.db.token': `${PLANTED}\n` });
  chmodSync(join(folder.path, 'state.db.token'), 0o600);
  const log = createRecordingLog();
  const file = join(folder.path, 'state.db');
  const { uid } = userInfo();
  expect(openLocalToken(file, log)).toBe(PLANTED);
  const own = openLocalToken(file, log, uid + 1);
  expect(own).toMatch(/^[\w-]{43}$/);
  expect(own).not.toBe(PLANTED);
  expect(readFileSync(`${file}.token`, 'utf8')).toBe(`${own}\n`);
  expect(statSync(`${file}.token`).mode & 0o777).toBe(0o600);
  expect(log.fields).toMatchObject([{ why: 'it belongs to another user' }]);
  expect(openLocalToken(file, log)).toBe(own);
});
