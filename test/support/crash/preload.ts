// Loaded into a daemon before anything else (`node --import`), so that a test can end it at a chosen moment and move its
// clocks. Everything else of the process is what users run.
//
//   KILL_AT=settle.before:2   ends the process with SIGKILL when it gets to this failpoint for the second time
//   SIGUSR2                   a minute passes at once, by both clocks
//   SIGWINCH                  somebody has set the clock of the machine (`moved-clock.ts` says how far)
import { registerHooks } from 'node:module';
import type { Failpoint } from '../../../src/lib/failpoint.ts';
import { aheadIn } from './moved-clock.ts';

const REAL = import.meta.resolve('../../../src/lib/failpoint.ts');
const [wanted = '', hit = '1'] = (process.env['KILL_AT'] ?? '').split(':');
let hits = 0;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === REAL ? { ...found, url: import.meta.url } : found;
  },
});

/** Stands for the function of that name in the daemon. */
export function failpoint(name: Failpoint): void {
  if (name !== wanted) return;
  hits += 1;
  if (hits === Number(hit)) process.kill(process.pid, 'SIGKILL');
}

const MINUTE_MS = 60_000;
const FOLDER = process.cwd();
const clocks = { now: Date.now, monotonic: performance.now.bind(performance) };
let [aheadMs, passedMs] = [aheadIn(FOLDER), 0];

Date.now = () => clocks.now() + aheadMs;
performance.now = () => clocks.monotonic() + passedMs;
process.on('SIGUSR2', () => {
  passedMs += MINUTE_MS;
  aheadMs = aheadIn(FOLDER);
});
process.on('SIGWINCH', () => {
  aheadMs = aheadIn(FOLDER);
});
