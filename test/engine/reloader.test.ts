import { afterEach, expect, jest, test } from '@jest/globals';
import { FSWatcher } from 'chokidar';
import { createReloader } from '../../src/engine/reloader.ts';
import { createFolder } from '../support/daemon.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createRecordingLog } from '../support/recording-log.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('a directory that cannot be read is said, and one that fails while the daemon stops does not end it with an error', async () => {
  using folder = createFolder({ 'rules/a.yaml': '' });
  const log = createRecordingLog();
  const close = jest.spyOn(FSWatcher.prototype, 'close');
  const add = jest.spyOn(FSWatcher.prototype, 'add');
  const reloader = createReloader({
    clock: createFakeClock(),
    log,
    concerns: () => true,
    reload: () => Promise.resolve('done'),
  });
  reloader.watchDirectories([folder.path]);
  const [watcher] = add.mock.contexts as FSWatcher[];
  watcher?.emit('error', new Error('EACCES'));
  expect(log.lines).toEqual(['warn config:cannot-watch']);
  await reloader[Symbol.asyncDispose]();
  expect(close).toHaveBeenCalledTimes(1);
  watcher?.emit('error', new Error('EMFILE'));
  expect(log.lines).toEqual(['warn config:cannot-watch']);
});
