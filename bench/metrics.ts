// What a scrape of the metrics costs a daemon with many watches, as the process that users start: CPU of the thread that
// polls, CPU of all threads, and bytes. Run by `node bench/metrics.ts` after `npm run build`; nothing is asserted.
import { readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { cpuSecondsOf, startDaemon, startServer } from './processes.ts';
import { writeSetup } from './setup.ts';
import { freePort } from '../test/support/free-port.ts';

const WATCHES = Number(process.argv[2] ?? 10_000);
const SCRAPES = Number(process.argv[3] ?? 8);
const NODE_OPTIONS = process.argv.slice(4);
/** Long enough that few polls are made meanwhile: those of the start are made at once. */
const EVERY = '60m';
/** Longer than a scrape is kept for the next one. */
const PAUSE_MS = 1500;

const server = await startServer();
const listen = await freePort();
const { folder, intervalMs, dues } = writeSetup({ watches: WATCHES, every: EVERY, port: server.port, listen });
await using opened = new AsyncDisposableStack();
opened.defer(() => {
  rmSync(folder, { recursive: true, force: true });
  server.stop();
});
await server.send({ type: 'lists', intervalMs, dues });
const startedAt = Date.now();
const origin = `http://127.0.0.1:${listen}`;
const daemon = await startDaemon(folder, origin, NODE_OPTIONS);
opened.defer(() => daemon.stop());
while ((await server.send({ type: 'report', from: 0, to: Date.now() })).polls.daemon < WATCHES) await sleep(PAUSE_MS);
await sleep(3 * PAUSE_MS);
console.log(`${WATCHES} watches, all polled after ${Math.round((Date.now() - startedAt) / 1000)} s`);
const all: Scrape[] = [];
for (let i = 0; i < SCRAPES; i += 1) {
  all.push(await scrape());
  await sleep(PAUSE_MS);
}
const [first] = all;
console.log(`${first?.lines ?? 0} lines, ${kb(first?.bytes)} kB, compressed ${kb(first?.compressed)} kB`);
for (const figure of ['mainMs', 'allMs', 'wallMs'] as const) {
  const sorted = all.map((one) => one[figure]).toSorted((a, b) => a - b);
  const [median, most] = [sorted[sorted.length >> 1], sorted.at(-1)];
  console.log(
    `${figure}: first ${round(first?.[figure])}, least ${round(sorted[0])}, median ${round(median)}, most ${round(most)}`,
  );
}

interface Scrape {
  /** CPU of the thread that polls. */
  readonly mainMs: number;
  /** CPU of all threads. */
  readonly allMs: number;
  /** Until the answer was there. */
  readonly wallMs: number;
  readonly lines: number;
  readonly bytes: number;
  readonly compressed: number;
}

function round(value: number | undefined): string {
  return (value ?? 0).toFixed(0);
}

function kb(bytes: number | undefined): string {
  return round((bytes ?? 0) / 1000);
}

async function scrape(): Promise<Scrape> {
  const [main, all] = [mainMs(), cpuSecondsOf(daemon.pid) * 1000];
  const began = performance.now();
  const { text, bytes } = await fetchMetrics();
  return {
    wallMs: performance.now() - began,
    mainMs: mainMs() - main,
    allMs: cpuSecondsOf(daemon.pid) * 1000 - all,
    lines: text.split('\n').length,
    bytes: Buffer.byteLength(text),
    compressed: bytes,
  };
}

function fetchMetrics(): Promise<{ text: string; bytes: number }> {
  return new Promise((resolve, reject) => {
    get(`${origin}/metrics`, { headers: { 'accept-encoding': 'gzip' }, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => {
        const body = Buffer.concat(pieces);
        resolve({ text: gunzipSync(body).toString(), bytes: body.length });
      });
    }).on('error', reject);
  });
}

/** CPU milliseconds of the thread that polls. */
function mainMs(): number {
  return Number(readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
