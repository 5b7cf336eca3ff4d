import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readRegularFile } from '../../src/lib/regular-file.ts';
import { createFolder } from '../support/daemon.ts';

test('a file is read up to its limit, also through a link', () => {
  using folder = createFolder({ 'a.txt': 'sixteen bytes ok' });
  symlinkSync('a.txt', join(folder.path, 'link'));
  expect(readRegularFile(join(folder.path, 'link'), 16)).toBe('sixteen bytes ok');
  expect(() => readRegularFile(join(folder.path, 'a.txt'), 15)).toThrow('it is larger than');
});

test('a file that the system says is empty is read to its end', () => {
  expect(readRegularFile('/proc/self/status', 65_536)).toContain('Pid:');
});

test.each([
  ['a FIFO', (path: string) => void execFileSync('mkfifo', [path])],
  [
    'a device',
    (path: string): void => {
      symlinkSync('/dev/zero', path);
    },
  ],
  [
    'a directory',
    (path: string) => {
      mkdirSync(path);
    },
  ],
])('%s is refused, and nobody waits for it', (name, make) => {
  using folder = createFolder();
  const path = join(folder.path, 'x');
  make(path);
  expect(() => readRegularFile(path, 1024)).toThrow(`it is ${name}, and only regular files are read`);
});

test('a socket is refused', async () => {
  using folder = createFolder();
  const path = join(folder.path, 'x');
  const server = createServer().listen(path);
  await once(server, 'listening');
  expect(() => readRegularFile(path, 1024)).toThrow('ENXIO');
  server.close();
  await once(server, 'close');
});
