import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLineWriter } from '../../src/telemetry/line-writer.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const LINE = `${'x'.repeat(1023)}\n`;
const MAKE_PIPE = 'mkfifo';
let directory = '';
let opened: number[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'line-writer-'));
});

afterEach(() => {
  for (const fd of opened) closeSync(fd);
  opened = [];
  rmSync(directory, { recursive: true });
});

function open(path: string, flags: number): number {
  const fd = openSync(path, flags, 0o600);
  opened.push(fd);
  return fd;
}

/** A pipe whose reader reads when the test does. */
function aPipe(): { reader: number; writer: number } {
  const path = join(directory, 'pipe');
  execFileSync(MAKE_PIPE, [path]);
  const reader = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: open(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

function aWriter(fd: number) {
  const clock = createFakeClock();
  const counted = { dropped: 0 };
  const writer = createLineWriter({ fd, clock, onDropped: (lines) => (counted.dropped += lines) });
  return { clock, counted, writer };
}

function readAll(fd: number): string {
  const buffer = Buffer.alloc(1 << 20);
  let text = '';
  try {
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer))
      text += buffer.toString('utf8', 0, read);
  } catch {
    // EAGAIN: the pipe is empty.
  }
  return text;
}

test('lines go to a file at once and in order', () => {
  const path = join(directory, 'log');
  const { writer } = aWriter(open(path, constants.O_WRONLY | constants.O_CREAT));
  writer.write('one\n');
  writer.write('two\n');
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
});

test('a reader that stands still blocks nothing: lines wait up to a limit, then are dropped and counted', async () => {
  const { reader, writer: fd } = aPipe();
  const { clock, counted, writer } = aWriter(fd);
  for (let n = 0; n < 3000; n++) writer.write(LINE);
  expect(counted.dropped).toBeGreaterThan(1500);
  expect(clock.sleepers).toBe(1);

  let text = '';
  while (clock.sleepers > 0) {
    text += readAll(reader);
    await clock.advance(100);
  }
  text += readAll(reader);
  expect(text).toBe(LINE.repeat(3000 - counted.dropped));

  writer.write('again\n');
  expect(readAll(reader)).toBe('again\n');
});

test('a reader that is gone costs the lines and nothing else', () => {
  const { reader, writer: fd } = aPipe();
  const { counted, writer } = aWriter(fd);
  opened = opened.filter((each) => each !== reader);
  closeSync(reader);
  writer.write('one\n');
  writer.write('two\n');
  expect(counted.dropped).toBe(2);
});

test('a full disk costs the lines and nothing else', () => {
  const { counted, writer } = aWriter(open('/dev/full', constants.O_WRONLY));
  writer.write('one\n');
  expect(counted.dropped).toBe(1);
});

test('who has to know is told when a whole line has found its place, and when it found none; it is not counted', async () => {
  const { reader, writer: fd } = aPipe();
  const { clock, counted, writer } = aWriter(fd);
  await writer.put('at once\n');
  for (let n = 0; n < 500; n++) writer.write(LINE);
  let isTaken = false;
  const taken = writer.put('later\n').then(() => (isTaken = true));
  await clock.advance(100);
  expect(isTaken).toBe(false);
  let text = '';
  while (clock.sleepers > 0) {
    text += readAll(reader);
    await clock.advance(100);
  }
  await taken;
  expect((text + readAll(reader)).endsWith(`${LINE}later\n`)).toBe(true);

  opened = opened.filter((each) => each !== reader);
  closeSync(reader);
  await expect(writer.put('gone\n')).rejects.toThrow('nobody takes it');
  expect(counted.dropped).toBe(0);
});

test('closing tries once more, leaves no timer behind and drops what finds no place', async () => {
  const { writer: fd } = aPipe();
  const { clock, counted, writer } = aWriter(fd);
  for (let n = 0; n < 500; n++) writer.write(LINE);
  expect(counted.dropped).toBe(0);
  writer.close();
  await clock.advance(0);
  expect(counted.dropped).toBeGreaterThan(0);
  expect(clock.sleepers).toBe(0);
});

test('a process whose standard error nobody reads goes on and ends', async () => {
  const program = `
    import { createLineWriter, openNonBlocking } from ${JSON.stringify(new URL('../../src/telemetry/line-writer.ts', import.meta.url))};
    let dropped = 0;
    const clock = { now: () => 0, sleep: (_ms, signal) => new Promise((wake) => signal.addEventListener('abort', wake)) };
    const writer = createLineWriter({ fd: openNonBlocking(2), clock, onDropped: (lines) => (dropped += lines) });
    for (let n = 0; n < 3000; n++) writer.write(${JSON.stringify(LINE)});
    writer.close();
    process.stdout.write(String(dropped));
  `;
  const path = join(directory, 'stderr');
  execFileSync(MAKE_PIPE, [path]);
  const unread = open(path, constants.O_RDWR);
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', unread],
  });
  let dropped = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (dropped += text));
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  expect(Number(dropped)).toBeGreaterThan(2500);
});
