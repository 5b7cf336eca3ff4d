import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createInbox } from '../support/sinks.ts';
import { serveTestWeb } from '../support/web/web.ts';
import { everythingHappens } from './everything-happens.ts';
import { parseExposition } from './exposition.ts';
import { hasTool, query, startPrometheus, stored } from './prometheus-tools.ts';

const HAS_PROMETHEUS = hasTool('prometheus');

test('what is served is what was rendered, and a real Prometheus takes all of it', async () => {
  const metrics = createMetrics({ clock: createFakeClock() });
  everythingHappens(metrics);
  const scrapes = createInbox<undefined>();
  await using stack = new AsyncDisposableStack();
  const web = await serveTestWeb({
    metricsText: () => {
      scrapes.push(undefined);
      return metrics.text();
    },
  });
  stack.defer(() => web.close());

  const served = await (await fetch(`${web.url}/metrics`)).text();
  const samples = [...parseExposition(served).values()].flatMap((family) => family.samples);
  expect(samples.length).toBeGreaterThan(50);
  if (!HAS_PROMETHEUS) return;

  const directory = await mkdtemp(join(tmpdir(), 'prometheus-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const api = await startPrometheus(directory, new URL(web.url).host, stack);
  const at = await stored(api, scrapes, { count: 2, having: 'sum(up)' });
  expect(await query(api, 'scrape_samples_scraped', at)).toEqual([[String(samples.length), { job: 'chainwarden' }]]);
  expect(await query(api, 'chainwarden_watch_value', at)).toEqual([
    ['1500000', { job: 'chainwarden', watch: 'treasury-usdc', of: 'treasury', token: 'USDC', field: 'balance' }],
  ]);
});
