import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { createLargeBodies, type LargeBodies } from '../../../src/explorer/http/large-bodies.ts';
import { aToken, blockRows, missOf, openExplorer, someBlocks } from '../support/open.ts';
import type { Taken } from '../support/one-answer.ts';
import { sendJson, sendText, startServer } from '../support/server.ts';

const MOST_BYTES = 8 * 1024 * 1024;
const LONG = '12345678901234567890';

/** A page with one block, and so much of `item` in one of its fields as there is room for. */
function stuffed(start: string, item: string): string {
  const [before, after] = [`{"items":[{"height":1,"rewards": [ ${start}`, ']}],"next_page_params":null}'];
  return `${before}${item.repeat(Math.floor((MOST_BYTES - before.length - after.length) / item.length))}${after}`;
}

/** Objects of one key each, no two of which are equal: what a parser is slowest at. */
function unlike(row: number): string {
  const objects = Array.from({ length: 14_200 }, (_, n) => `{"${row}_${n}_${'x'.repeat(60)}":1.5}`);
  return `{"height":${row},"rewards":[${objects.join(',')}]}`;
}

const ordinary = blockRows(10_000, 10_000).map((row) => ({ ...row, extra_data: 'x'.repeat(600) }));

interface Expected {
  readonly outcome: string;
  readonly rows: number;
}

const BODIES: readonly [string, string, 'gzip' | 'identity', Expected][] = [
  ['one long integer beside four million others', stuffed(LONG, ',1'), 'gzip', { outcome: 'ok', rows: 1 }],
  ['lists in each other', '['.repeat(MOST_BYTES), 'gzip', { outcome: 'in each other', rows: 0 }],
  ['half a million long integers', stuffed(LONG, `,${LONG}`), 'identity', { outcome: 'ok', rows: 1 }],
  [
    'a hundred thousand objects that share no key',
    `{"items":[${[1, 2, 3, 4, 5, 6, 7].map(unlike).join(',')}]}`,
    'identity',
    { outcome: 'ok', rows: 7 },
  ],
  [
    'one text without end',
    `{"items":[{"height":1,"extra_data":"☃${'x'.repeat(MOST_BYTES - 100)}"}]}`,
    'identity',
    { outcome: 'ok', rows: 1 },
  ],
  ['ten thousand blocks', JSON.stringify({ items: ordinary }), 'gzip', { outcome: 'ok', rows: 10_000 }],
];

/** Half a second on a good machine, where the longest takes 30 ms: a neighbour may make it three times as long. */
const LONGEST_YARDSTICKS = 100;

test.each(BODIES)('an answer takes neither the machine nor its memory: %s', async (name, body, encoding, expected) => {
  const wire = encoding === 'gzip' ? gzipSync(body) : Buffer.from(body);
  await using server = await startServer((request, response) => {
    if (request.query['block_number'] === '1') sendJson(response, { items: blockRows(1, 1) });
    else sendText(response, wire, { headers: { 'content-encoding': encoding } });
  });
  const { outcome, rows, heldMs, heldYardsticks, peakMiB } = await takenBy(server.url);
  const size = `${(wire.length / 1000).toFixed(0)} kB`;
  process.stderr.write(`${name}, ${size}: held ${heldMs.toFixed(0)} ms, took ${peakMiB.toFixed(0)} MiB\n`);
  expect({ outcome, rows }).toEqual({ outcome: expect.stringContaining(expected.outcome), rows: expected.rows });
  expect(peakMiB).toBeLessThan(96);
  expect(heldYardsticks).toBeLessThan(LONGEST_YARDSTICKS);
});

async function takenBy(url: string): Promise<Taken> {
  return JSON.parse(await run(resolve('test/explorer/support/one-answer.ts'), url)) as Taken;
}

async function run(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['--no-warnings', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(child.exitCode).toBe(0);
  return said;
}

const LARGE_PAGE = { items: blockRows(900, 900).map((row) => ({ ...row, extra_data: 'é'.repeat(300) })) };

const ENCODERS = { identity: (bytes: Buffer) => bytes, gzip: gzipSync, br: brotliCompressSync };

test('a large page is read like any other, compressed or not, and again as it changes', async () => {
  let height = 900;
  const encodings = ['identity', 'gzip', 'br'] as const;
  await using server = await startServer((_request, response, index) => {
    const page = JSON.stringify({ ...LARGE_PAGE, items: [{ height }, ...LARGE_PAGE.items] });
    const encoding = encodings[index % 3] ?? 'identity';
    const wire = ENCODERS[encoding](Buffer.from(page));
    sendText(response, wire, { headers: { 'content-encoding': encoding } });
  });
  await using opened = openExplorer(server.url);
  for (height = 901; height < 905; height += 1) {
    const { rows } = await opened.explorer.tickReader().page(someBlocks, null);
    expect(rows).toHaveLength(901);
    expect([rows[0]?.height, rows[900]?.height]).toEqual([BigInt(height), 1n]);
  }
  expect(opened.outcomes()).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test('a large body that is no JSON, or larger than allowed, is refused for what it is', async () => {
  const bodies = [`${JSON.stringify(LARGE_PAGE)}]`, JSON.stringify(LARGE_PAGE).replace('"height":1,', '"height":,')];
  await using server = await startServer((_request, response, index) => {
    sendText(response, gzipSync(bodies[index] ?? ' '.repeat(MOST_BYTES + 1)), {
      headers: { 'content-encoding': 'gzip' },
    });
  });
  await using opened = openExplorer(server.url);
  for (let i = 0; i < 3; i += 1) await missOf(opened.explorer.tickReader().page(someBlocks, null));
  expect(opened.outcomes()).toEqual(['not-json', 'not-json', 'too-large']);
});

test('a refusal with a body without end keeps the meaning of its status, and is not read', async () => {
  await using server = await startServer((_request, response) => {
    sendText(response, JSON.stringify({ message: 'x'.repeat(1_000_000) }), { status: 402 });
  });
  await using opened = openExplorer(server.url, { auth: { type: 'bearer', key: () => 'key' } });
  const missed = await missOf(opened.explorer.tickReader().one(aToken));
  expect(missed.reason).toBe('out-of-credits');
  expect(missed.message).not.toContain('xxx');
});

test('stopping while a large body is read is no failure', async () => {
  await using server = await startServer((_request, response) => {
    sendJson(response, LARGE_PAGE);
  });
  const reason = new Error('stopping');
  await using bodies = createLargeBodies();
  const largeBodies: LargeBodies = {
    ...bodies,
    read: (job) => {
      opened.stop.abort(reason);
      return bodies.read(job);
    },
  };
  await using opened = openExplorer(server.url, { largeBodies });
  await expect(opened.explorer.tickReader().page(someBlocks, null)).rejects.toBe(reason);
  expect(opened.counted).toEqual([]);
});

/** Reads a large body twice; the first thread is ended under its hands. */
const TWICE = `
import { createLargeBodies } from './explorer/http/large-bodies.js';
const text = JSON.stringify({ items: [{ a: 'x'.repeat(300000) }] });
const job = () => ({ wire: new TextEncoder().encode(text), encoding: 'identity', maxBytes: 1e6, where: 'host' });
process.once('worker', (worker) => worker.terminate());
const bodies = createLargeBodies();
const first = await bodies.read(job()).catch((error) => error.reason);
const second = await bodies.read(job());
console.log(first, second.raw.items[0].a.length, second.body.toString() === text);
await bodies[Symbol.asyncDispose]();
console.log(await bodies.read(job()).catch((error) => error.reason));
`;

test('compiled files read large bodies too, a thread that dies costs one answer, and nothing is left over', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-compiled-'));
  try {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    for (const file of globSync('src/{core,explorer,lib}/**/*.ts')) {
      const target = join(folder, file.replace(/^src/, '').replace(/ts$/, 'js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, stripTypeScriptTypes(readFileSync(file, 'utf8')).replaceAll(/\.ts';$/gm, ".js';"));
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'twice.js'), TWICE);
    expect(await run(join(folder, 'twice.js'))).toBe('too-large 300000 true\ntoo-large\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
