/**
 * CPU time of some work, in yardsticks: one is what this very machine takes, in this very run, for a fixed
 * piece of work (some 10 ms on a machine of 2026). A slow or busy machine makes both slower, so that a limit in
 * yardsticks tells a hang from a bad day.
 */
export function effort(work: () => void): number {
  return cpuMs(work) / yardstickMs();
}

/** CPU milliseconds of one yardstick. */
export function yardstickMs(): number {
  return Math.min(cpuMs(measure), cpuMs(measure), cpuMs(measure));
}

/**
 * Work that stays under this many yardsticks does not hang: five to ten seconds of a good machine, for work that takes
 * a second at most. What is quadratic in a large input, or exponential, takes minutes to hours. How fast it is, is
 * measured in `bench/`: a neighbour that empties the caches makes the same work three times as expensive.
 */
export const NO_HANG = 1000;

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function measure(): void {
  const rows = Array.from({ length: 10_000 }, (_, i) => ({ id: `row-${i}`, odd: i % 2 === 1, next: [i + 1] }));
  if ((JSON.parse(JSON.stringify(rows)) as unknown[]).length !== rows.length) throw new Error('lost a row');
}
