import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FileRefused, readRegularFile } from '../../src/lib/files/regular-file.ts';
import { createFolder } from '../support/daemon.ts';

test('a file is read up to its limit, also through a link', () => {
  using folder = createFolder({ 'a.txt': 'sixteen bytes ok' });
  symlinkSync('a.txt', join(folder.path, 'link'));
  expect(readRegularFile(join(folder.path, 'link'), { maxBytes: 16 })).toBe('sixteen bytes ok');
  expect(() => readRegularFile(join(folder.path, 'a.txt'), { maxBytes: 15 })).toThrow('it is larger than');
});

describe('a file that is chosen by its real path', () => {
  const below = (directory: string) => (real: string) => (real.startsWith(`${directory}/`) ? null : 'it is outside');

  test('is read behind links that stay inside, as in a ConfigMap', () => {
    using folder = createFolder({ '..2026/rules.yaml': 'inside' });
    symlinkSync('..2026', join(folder.path, '..data'));
    symlinkSync('..data/rules.yaml', join(folder.path, 'rules.yaml'));
    const refusal = below(realpathSync(folder.path));
    expect(readRegularFile(join(folder.path, 'rules.yaml'), { maxBytes: 16, refusal })).toBe('inside');
  });

  test('is not read where a link leads out', () => {
    using folder = createFolder({ 'rules/a.yaml': '', secret: 'outside' });
    const path = join(folder.path, 'rules/z.yaml');
    symlinkSync('../secret', path);
    const refusal = below(join(realpathSync(folder.path), 'rules'));
    expect(() => readRegularFile(path, { maxBytes: 16, refusal })).toThrow(new FileRefused('it is outside'));
  });

  test.each(['z.yaml', 'deep'])('is the one that was checked, though %s becomes a link that leads out', (flipped) => {
    using folder = createFolder({ 'rules/deep/z.yaml': 'inside', 'rules/z.yaml': 'inside', 'out/z.yaml': 'outside' });
    const path = join(folder.path, 'rules', flipped === 'deep' ? 'deep/z.yaml' : flipped);
    const inside = below(join(realpathSync(folder.path), 'rules'));
    // Between the check and the reading.
    const refusal = (real: string): string | null => {
      const why = inside(real);
      rmSync(join(folder.path, 'rules', flipped), { recursive: true, force: true });
      symlinkSync(flipped === 'deep' ? '../out' : '../out/z.yaml', join(folder.path, 'rules', flipped));
      return why;
    };
    expect(() => readRegularFile(path, { maxBytes: 16, refusal })).toThrow(new FileRefused('it is outside'));
  });

  test('is read again where it was replaced meanwhile', () => {
    using folder = createFolder({ 'old/z.yaml': 'old', 'new/z.yaml': 'new' });
    const link = join(folder.path, 'z.yaml');
    symlinkSync('old/z.yaml', link);
    let times = 0;
    const refusal = (): null => {
      times += 1;
      if (times === 1) {
        rmSync(link);
        symlinkSync('new/z.yaml', link);
      }
      return null;
    };
    expect([readRegularFile(link, { maxBytes: 16, refusal }), times]).toEqual(['new', 2]);
  });
});

test('a file that the system says is empty is read to its end', () => {
  expect(readRegularFile('/proc/self/status', { maxBytes: 65_536 })).toContain('Pid:');
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
  expect(() => readRegularFile(path, { maxBytes: 1024 })).toThrow(`it is ${name}, and only regular files are read`);
});

test('a socket is refused', async () => {
  using folder = createFolder();
  const path = join(folder.path, 'x');
  const server = createServer().listen(path);
  await once(server, 'listening');
  expect(() => readRegularFile(path, { maxBytes: 1024 })).toThrow('ENXIO');
  server.close();
  await once(server, 'close');
});
