// A process that reads one answer of blocks from the explorer at its first argument, after a small one, and prints
// what that took. It is started as the daemon is, for memory and the event loop are a process's own.
import { existsSync, readFileSync } from 'node:fs';
import { ensureRuntimeFlags } from '../../../src/cli/runtime-flags.ts';
import { yardstickMs } from '../../support/effort.ts';
import { openExplorer, someBlocks } from './open.ts';

export interface Taken {
  /** `ok`, or why there is no answer. */
  readonly outcome: string;
  readonly rows: number;
  /** CPU time of this thread until something else got its turn, at most, in milliseconds and in yardsticks. */
  readonly heldMs: number;
  readonly heldYardsticks: number;
  /** What the process had from the system at most, above what it had before. */
  readonly peakMiB: number;
}

ensureRuntimeFlags(process);
const [, , url = ''] = process.argv;
await using opened = openExplorer(url);
await opened.explorer.tickReader().page(someBlocks, { block_number: '1' });
const yardstick = yardstickMs();
const before = process.memoryUsage.rss();
const loop = watchLoop();
const [outcome, rows] = await opened.explorer
  .tickReader()
  .page(someBlocks, null)
  .then(
    (page) => ['ok', page.rows.length] as const,
    (error: unknown) => [String(error), 0] as const,
  );
const heldMs = loop.stop();
const peakMiB = (peakRss() - before) / 2 ** 20;
const taken: Taken = { outcome, rows, heldMs, heldYardsticks: heldMs / yardstick, peakMiB };
process.stdout.write(JSON.stringify(taken));

function watchLoop(): { stop(): number } {
  let isOn = true;
  let last = process.threadCpuUsage();
  let most = 0;
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    most = Math.max(most, (user + system) / 1000);
    last = process.threadCpuUsage();
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      turn();
      isOn = false;
      return most;
    },
  };
}

function ownStatus(): string {
  return existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
}

/** In bytes. What `resourceUsage` says counts the process that started this one, up to its start. */
function peakRss(): number {
  const ofThisProgram = /^VmHWM:\s+(\d+) kB$/m.exec(ownStatus())?.[1];
  return 1024 * (ofThisProgram === undefined ? process.resourceUsage().maxRSS : Number(ofThisProgram));
}
