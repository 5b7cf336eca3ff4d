// Runtime flags of the daemon. They are set by the program itself, so they are the same if the unit, the image, npm,
// npx or a person starts it.
import { setFlagsFromString } from 'node:v8';

/**
 * Flags that have an effect only when the process starts. SIGUSR1 would open Node's debugger, which the daemon does not
 * need. A small young generation costs some collections and saves 40 MB.
 */
export const RUNTIME_FLAGS: readonly string[] = ['--disable-sigusr1', '--max-semi-space-size=4'];

/**
 * The C library reads these when the process starts. Memory outside of the heap comes from two arenas instead of eight
 * for each core, and free memory at their ends is returned. This saves 10 MB, so a process is not restarted only
 * because these variables are missing.
 */
export const RUNTIME_ENV: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * V8 reads these at each collection.
 *
 * The old generation grows in small steps; otherwise 10,000 watches would take twice the memory. The collector visits
 * the whole generation at each step. With smaller steps it took as much time as all other code.
 *
 * Pages that a collection empties are returned to the system. Otherwise V8 keeps the pages of the first minute, when
 * every watch is new: 45 MB with 10,000 watches, and hundreds of MB if other programs use the processors at that time.
 */
const HEAP_FLAGS: readonly string[] = ['--heap-growing-percent=40', '--memory-saver-mode'];

type Started = Pick<NodeJS.Process, 'execArgv' | 'env' | 'execPath' | 'argv' | 'platform' | 'execve'>;

/**
 * If flags are missing, replaces this process by the same command with these flags and `RUNTIME_ENV`. The pid and the
 * standard streams stay. Returns if no flag is missing, and on Windows, which cannot replace a process.
 */
export function ensureRuntimeFlags(started: Started): void {
  const missing = missingFlags(started);
  if (missing.length > 0 && started.platform !== 'win32') {
    const { execPath, execArgv, argv, env } = started;
    started.execve?.(execPath, [execPath, ...missing, ...execArgv, ...argv.slice(1)], { ...RUNTIME_ENV, ...env });
  }
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
}

/** A flag that was given with another value does not count as missing. */
export function missingFlags({ execArgv, env }: Pick<Started, 'execArgv' | 'env'>): readonly string[] {
  const given = [...execArgv, ...(env['NODE_OPTIONS'] ?? '').split(' ')].map(nameOf);
  return RUNTIME_FLAGS.filter((flag) => !given.includes(nameOf(flag)));
}

/** `nameOf('--max_semi_space_size=4') // '--max-semi-space-size'` */
function nameOf(flag: string): string {
  return flag.replace(/=.*/s, '').replaceAll('_', '-');
}
