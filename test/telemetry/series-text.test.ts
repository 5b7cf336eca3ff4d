// Lines that did not change since the last scrape are kept, so each text is compared with that of metrics to which the
// same happened, and that were never scraped before.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DATA_STATES, type DataState } from '../../src/core/model/memory.ts';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const WATCHES = 600;
/** Fewer than there are watches. */
const MOST_SERIES = 520;

interface Daemon {
  readonly metrics: Metrics;
  readonly stateByWatch: Map<number, DataState>;
  readonly advance: (ms: number) => Promise<void>;
}

function aDaemon(): Daemon {
  const clock = createFakeClock(Date.UTC(2026, 0, 1));
  const metrics = createMetrics({ clock, mostSeries: MOST_SERIES });
  const stateByWatch = new Map<number, DataState>();
  metrics.mirrorData(() => [...stateByWatch].map(([n, state]) => ({ ...labels(n), state })));
  for (let n = 0; n < WATCHES; n += 1) polled(metrics, n, 1);
  return { metrics, stateByWatch, advance: (ms) => clock.advance(ms) };
}

/** A rule has three watches. The names have characters of one, two and three bytes, and some that are escaped. */
function labels(n: number) {
  return { watch: `rule "${Math.floor(n / 3)}" é`, of: `0x${n}…${n}\\` };
}

function polled(metrics: Metrics, n: number, value: number): void {
  metrics.poll({ ...labels(n), outcome: value % 2 === 0 ? 'complete' : 'unchanged', at: value * 1e6, readsList: true });
  metrics.watchUp(labels(n), value > 0);
  metrics.watchValue({ ...labels(n), token: 'ETH', field: 'balance' }, value === 0 ? null : value, 1000);
}

type Event = (daemon: Daemon) => void;

const watch = fc.nat(WATCHES + 20);
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.tuple(watch, fc.nat(5)).map(([n, value]) => ({ metrics }: Daemon) => {
    polled(metrics, n, value);
  }),
  watch.map((n) => ({ metrics }: Daemon) => {
    metrics.forgetWatch(labels(n));
  }),
  fc.tuple(watch, fc.constantFrom(...DATA_STATES)).map(([n, state]) => ({ stateByWatch }: Daemon) => {
    stateByWatch.set(n, state);
  }),
);
const scrape = fc.record({ events: fc.array(event, { maxLength: 5 }), ms: fc.constantFrom(1000, 60_000, 400_000) });

test('a text in which lines are kept is the text that is written anew', async () => {
  const property = fc.asyncProperty(fc.array(scrape, { minLength: 1, maxLength: 4 }), async (scrapes) => {
    const kept = aDaemon();
    for (const [i, { ms }] of scrapes.entries()) {
      for (const act of scrapes[i]?.events ?? []) act(kept);
      await kept.advance(ms);
      const anew = aDaemon();
      for (const before of scrapes.slice(0, i + 1)) {
        for (const act of before.events) act(anew);
        await anew.advance(before.ms);
      }
      expect((await kept.metrics.text()).toString()).toBe((await anew.metrics.text()).toString());
    }
  });
  await fc.assert(property, { numRuns: 20 });
});

test('a metric that could not be read in one scrape is whole in the next one', async () => {
  const kept = aDaemon();
  const anew = aDaemon();
  const states = Array.from({ length: 400 }, (_, n) => ({ ...labels(n), state: 'ok' as const }));
  await kept.metrics.text();
  kept.metrics.mirrorData(function* () {
    yield* states.slice(0, 300).map((one) => ({ ...one, state: 'error' as const }));
    throw new Error('stopping');
  });
  await kept.advance(1000);
  expect((await kept.metrics.text()).toString()).not.toContain('data_state{');
  for (const { metrics, advance } of [kept, anew]) {
    metrics.mirrorData(() => states);
    await advance(1000);
  }
  await anew.advance(1000);
  const text = (await kept.metrics.text()).toString();
  expect(text).toBe((await anew.metrics.text()).toString());
  expect(text).toContain('chainwarden_watch_data_state{watch="rule \\"0\\" é",of="0x0…0\\\\",state="ok"} 1\n');
});

test('the last series of a metric is gone with its watch', async () => {
  const clock = createFakeClock();
  const metrics = createMetrics({ clock });
  for (const n of [0, 3, 6]) polled(metrics, n, 1);
  const before = (await metrics.text()).toString().split('\n');
  metrics.forgetWatch(labels(6));
  await clock.advance(1000);
  const after = (await metrics.text()).toString().split('\n');
  expect(after).toEqual(before.filter((line) => !line.includes('rule \\"2\\"')));
  expect(before.length - after.length).toBe(9);
});
