import { expect, test, describe } from '@jest/globals';
import { nextTurn } from '../../src/lib/clock.ts';
import { METRICS } from '../../src/telemetry/metric-table.ts';
import { createMetrics, type Metrics, type MetricsOptions } from '../../src/telemetry/metrics.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { everythingHappens } from './everything-happens.ts';
import { parseExposition, type Sample } from './exposition.ts';
import { hasTool, runTool } from './prometheus-tools.ts';

const HAS_PROMTOOL = hasTool('promtool');
const T0 = Date.UTC(2026, 0, 1);
const PROCESS = { startedAt: T0, cpuSeconds: () => 1.25, residentBytes: () => 100_000_000 };

function aDaemon(options: Partial<MetricsOptions> = {}) {
  const clock = createFakeClock(T0);
  const metrics = createMetrics({ clock, ...options });
  return { clock, metrics };
}

async function textOf(metrics: Metrics): Promise<string> {
  return (await metrics.text()).toString();
}

async function samplesOf(metrics: Metrics, name: string): Promise<readonly Sample[]> {
  return parseExposition(await textOf(metrics)).get(name)?.samples ?? [];
}

async function valuesOf(metrics: Metrics, name: string): Promise<number[]> {
  return (await samplesOf(metrics, name)).map(({ value }) => value);
}

describe('the table', () => {
  test('is what the registry exports: every metric of the table, and nothing else', async () => {
    const { metrics } = aDaemon({ process: PROCESS });
    everythingHappens(metrics);
    const exported = parseExposition(await textOf(metrics));
    expect([...exported.keys()].sort()).toEqual([...Object.keys(METRICS)].sort());
    for (const [name, row] of Object.entries(METRICS)) {
      const family = exported.get(name);
      expect([name, family?.type, family?.help]).toEqual([name, row.type, row.help]);
      for (const { labels } of family?.samples ?? [])
        expect(Object.keys(labels).filter((label) => label !== 'le')).toEqual(expect.arrayContaining([...row.labels]));
    }
  });

  test('has a series of each metric once everything has happened, but of what went well', async () => {
    const { metrics } = aDaemon({ process: PROCESS });
    everythingHappens(metrics);
    const empty = [...parseExposition(await textOf(metrics)).values()].filter(({ samples }) => samples.length === 0);
    expect(empty.map(({ name }) => name)).toEqual(['chainwarden_series_left_out']);
  });

  test.each(Object.entries(METRICS))('%s says its unit in its name and its meaning in a sentence', (name, row) => {
    expect(row.help).toMatch(/^[A-Z].*\.$/);
    expect(name.endsWith('_total')).toBe(row.type === 'counter');
    expect(name).toMatch(/^(chainwarden|process)_[a-z_]+$/);
  });
});

describe('promtool', () => {
  test('finds nothing to say about our registry', async () => {
    const { metrics } = aDaemon({ process: PROCESS });
    everythingHappens(metrics);
    const text = await textOf(metrics);
    expect(text).toContain('chainwarden_build_info{version="0.1.0",node="24.0.0",sqlite="3.53.0"} 1\n');
    if (HAS_PROMTOOL) expect(runTool('promtool', ['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
  });
});

describe('what is not known', () => {
  test('is absent in a daemon to which nothing has happened yet', async () => {
    const { metrics } = aDaemon();
    const samples = [...parseExposition(await textOf(metrics)).values()].flatMap((family) => family.samples);
    expect(new Set(samples.map(({ name }) => name))).toEqual(
      new Set([
        'chainwarden_backup_failures_total',
        'chainwarden_heartbeats_total',
        'chainwarden_log_dropped_total',
        'chainwarden_loop_restarts_total',
        'chainwarden_loops_failing',
        'chainwarden_memory_recalls_total',
        'chainwarden_recording_failures_total',
        'chainwarden_scheduler_lag_seconds_bucket',
        'chainwarden_scheduler_lag_seconds_count',
        'chainwarden_scheduler_lag_seconds_sum',
        'chainwarden_uncaught_network_errors_total',
      ]),
    );
  });

  test('of an explorer disappears when it stops saying, and -1 counts as not saying', async () => {
    const { clock, metrics } = aDaemon();
    metrics.explorerHeaders({ explorer: 'e', credits: -40, limit: 5, remaining: 0, resetSeconds: 0.5 });
    expect(await valuesOf(metrics, 'chainwarden_explorer_credits_remaining')).toEqual([-40]);
    expect(await valuesOf(metrics, 'chainwarden_explorer_ratelimit_remaining')).toEqual([0]);
    metrics.explorerHeaders({ explorer: 'e', credits: null, limit: -1, remaining: -1, resetSeconds: -0.001 });
    await clock.advance(1000);
    expect(await textOf(metrics)).not.toMatch(/^chainwarden_explorer_(credits|ratelimit)[a-z_]*\{/m);
  });

  test('of an explorer that is no longer configured disappears, its counters stay', async () => {
    const { metrics } = aDaemon();
    everythingHappens(metrics);
    metrics.forgetExplorer('ethereum');
    expect(await valuesOf(metrics, 'chainwarden_explorer_head_height')).toEqual([]);
    expect(await valuesOf(metrics, 'chainwarden_explorer_requests_total')).toEqual([1, 1]);
  });
});

describe('a watch that fails', () => {
  const VALUE = { watch: 'w', of: 'treasury', token: 'ETH', field: 'balance' };

  test.each([
    ['5 minutes at a pace of one minute', 60_000, 5 * 60_000],
    ['3 intervals at a pace of an hour', 3_600_000, 3 * 3_600_000],
  ])('keeps its value for %s, then its value disappears and watch_up 0 stays', async (_pace, intervalMs, keptMs) => {
    const { clock, metrics } = aDaemon();
    metrics.watchValue(VALUE, 12.5, intervalMs);
    metrics.watchUp(VALUE, false);
    await clock.advance(keptMs - 1);
    expect(await samplesOf(metrics, 'chainwarden_watch_value')).toEqual([
      { name: 'chainwarden_watch_value', labels: VALUE, value: 12.5 },
    ]);
    await clock.advance(1001);
    expect(await valuesOf(metrics, 'chainwarden_watch_value')).toEqual([]);
    expect(await valuesOf(metrics, 'chainwarden_watch_up')).toEqual([0]);
  });

  test('keeps the time of its last success, whatever became of the polls since', async () => {
    const { metrics } = aDaemon();
    metrics.poll({ watch: 'w', of: '', outcome: 'partial', at: T0 + 999, readsList: true });
    metrics.poll({ watch: 'w', of: '', outcome: 'server-error', at: T0 + 60_000, readsList: true });
    metrics.poll({ watch: 'w', of: '', outcome: 'server-error', at: T0 + 120_000, readsList: true });
    expect(await valuesOf(metrics, 'chainwarden_watch_last_success_timestamp_seconds')).toEqual([T0 / 1000]);
    expect(await samplesOf(metrics, 'chainwarden_watch_polls_total')).toEqual([
      { name: 'chainwarden_watch_polls_total', labels: { watch: 'w', outcome: 'partial' }, value: 1 },
      { name: 'chainwarden_watch_polls_total', labels: { watch: 'w', outcome: 'server-error' }, value: 2 },
    ]);
  });

  test('counts items from the first poll of a list on, and those of single values once there are some', async () => {
    const { clock, metrics } = aDaemon();
    const counts = ['undecided', 'not_judged', 'unfollowed'].map((name) => `chainwarden_watch_${name}_total`);
    const counted = async (): Promise<string[]> => {
      const text = await textOf(metrics);
      return text.split('\n').filter((line) => counts.some((name) => line.startsWith(`${name}{`)));
    };
    metrics.poll({ watch: 'list', of: '', outcome: 'complete', at: T0, readsList: true });
    metrics.poll({ watch: 'value', of: '', outcome: 'complete', at: T0, readsList: false });
    expect(await counted()).toEqual(counts.map((name) => `${name}{watch="list"} 0`));
    metrics.undecided('value', 2);
    await clock.advance(1000);
    expect(await counted()).toContain('chainwarden_watch_undecided_total{watch="value"} 2');
  });

  test('loses a value that has become unknown at once', async () => {
    const { metrics } = aDaemon();
    metrics.watchValue(VALUE, 12.5, 60_000);
    metrics.watchValue(VALUE, null, 60_000);
    expect(await valuesOf(metrics, 'chainwarden_watch_value')).toEqual([]);
  });
});

describe('a watch that is removed', () => {
  test('leaves no series behind', async () => {
    const { metrics } = aDaemon();
    everythingHappens(metrics);
    metrics.mirrorAlerts(() => []);
    metrics.mirrorHealth(() => []);
    metrics.mirrorData(() => []);
    metrics.mirrorBlind(() => []);
    metrics.forgetWatch({ watch: 'treasury-usdc', of: 'treasury' });
    expect(await textOf(metrics)).not.toContain('watch="');
  });

  test('of which one address is taken out keeps the others', async () => {
    const { clock, metrics } = aDaemon();
    metrics.watchUp({ watch: 'w', of: 'a' }, true);
    metrics.watchUp({ watch: 'w', of: 'b' }, true);
    metrics.skipped('w');
    metrics.forgetWatch({ watch: 'w', of: 'a' });
    expect((await samplesOf(metrics, 'chainwarden_watch_up')).map(({ labels }) => labels['of'])).toEqual(['b']);
    metrics.forgetWatch({ watch: 'w', of: 'b' });
    await clock.advance(1000);
    expect(await textOf(metrics)).not.toContain('watch="');
  });
});

describe('deliveries', () => {
  test('of an opened channel start at zero, so that the first failure is an increase', async () => {
    const { metrics } = aDaemon();
    metrics.channelOpened('ops');
    expect(
      (await samplesOf(metrics, 'chainwarden_deliveries_total')).map(({ labels, value }) => [labels, value]),
    ).toEqual(['sent', 'again', 'rejected', 'unknown'].map((outcome) => [{ channel: 'ops', outcome }, 0]));
    expect(await valuesOf(metrics, 'chainwarden_outbox_rows')).toEqual([0]);
    expect(await valuesOf(metrics, 'chainwarden_outbox_oldest_timestamp_seconds')).toEqual([]);
  });

  test('that are owed are counted at the scrape, with since when', async () => {
    const { metrics } = aDaemon();
    metrics.channelOpened('ops');
    metrics.mirrorOutbox(() => Promise.resolve([{ channel: 'ops', rows: 7, oldest: T0 }]));
    expect(await valuesOf(metrics, 'chainwarden_outbox_rows')).toEqual([7]);
    expect(await valuesOf(metrics, 'chainwarden_outbox_oldest_timestamp_seconds')).toEqual([T0 / 1000]);
  });

  test('that cannot be counted are absent, and the rest of the scrape is there', async () => {
    const { metrics } = aDaemon();
    everythingHappens(metrics);
    metrics.mirrorOutbox(() => Promise.reject(new Error('disk I/O error')));
    metrics.mirrorAlerts(() => {
      throw new Error('stopping');
    });
    expect(await valuesOf(metrics, 'chainwarden_outbox_rows')).toEqual([]);
    expect(await valuesOf(metrics, 'chainwarden_alerts')).toEqual([]);
    expect(await valuesOf(metrics, 'chainwarden_watch_up')).toEqual([0]);
  });
});

describe('alerts', () => {
  test('of the targets of one rule are counted together, by state and severity', async () => {
    const { metrics } = aDaemon();
    const low = { watch: 'w', alert: 'low', severity: 'critical' } as const;
    metrics.mirrorAlerts(() => [
      { ...low, state: 'firing', count: 1 },
      { ...low, state: 'pending', count: 1 },
      { ...low, state: 'firing', count: 2 },
    ]);
    expect(await samplesOf(metrics, 'chainwarden_alerts')).toMatchObject([
      { labels: { ...low, state: 'firing' }, value: 3 },
      { labels: { ...low, state: 'pending' }, value: 1 },
    ]);
  });

  test('have states whose meaning stands in the help', () => {
    const ofConditions = ['inactive', 'pending', 'firing', 'recovering'];
    const ofEvents = ['open', 'observed', 'confirmed', 'suspect', 'retracted', 'dropped'];
    for (const state of [...ofConditions, ...ofEvents])
      expect(METRICS.chainwarden_alerts.help).toMatch(new RegExp(`${state} \\([^)]+\\)`));
  });
});

describe('the state of the data', () => {
  async function stateOf(metrics: Metrics): Promise<Record<string, number>> {
    const samples = await samplesOf(metrics, 'chainwarden_watch_data_state');
    return Object.fromEntries(samples.map(({ labels, value }): [string, number] => [labels['state'] ?? '', value]));
  }

  test('has a series for the state that the watch is in, and none for the others', async () => {
    const { clock, metrics } = aDaemon();
    metrics.mirrorData(() => [{ watch: 'w', of: 'treasury', state: 'ok' }]);
    expect(await stateOf(metrics)).toEqual({ ok: 1 });
    metrics.mirrorData(() => [{ watch: 'w', of: 'treasury', state: 'error' }]);
    await clock.advance(1000);
    expect(await stateOf(metrics)).toEqual({ error: 1 });
  });

  test('of several watches with the same labels counts them, and hides none', async () => {
    const { metrics } = aDaemon();
    metrics.mirrorData(() =>
      (['ok', 'error', 'error'] as const).map((state) => ({ watch: 'w', of: 'treasury', state })),
    );
    expect(await stateOf(metrics)).toEqual({ ok: 1, error: 2 });
  });
});

describe('the health of rules', () => {
  test('shows those that are not well, with how many watches of the rule are so, and nothing of the others', async () => {
    const { metrics } = aDaemon();
    metrics.mirrorHealth(() => [
      { watch: 'w', alert: 'low', health: 'ok' },
      { watch: 'w', alert: 'low', health: 'unknown-too-long' },
      { watch: 'w', alert: 'low', health: 'unknown-too-long' },
      { watch: 'w', alert: 'high', health: 'always-true' },
      { watch: 'v', alert: 'low', health: 'ok' },
    ]);
    expect(await samplesOf(metrics, 'chainwarden_rule_health')).toMatchObject([
      { labels: { watch: 'w', alert: 'low', health: 'unknown-too-long' }, value: 2 },
      { labels: { watch: 'w', alert: 'high', health: 'always-true' }, value: 1 },
    ]);
  });

  test('is absent, and nothing else is, when it cannot be told', async () => {
    const { metrics } = aDaemon();
    everythingHappens(metrics);
    metrics.mirrorHealth(() => {
      throw new Error('stopping');
    });
    expect(await valuesOf(metrics, 'chainwarden_rule_health')).toEqual([]);
    expect(await valuesOf(metrics, 'chainwarden_watch_up')).toEqual([0]);
  });
});

describe('a reload', () => {
  test('that was refused keeps the time of the one that was accepted', async () => {
    const { metrics } = aDaemon();
    metrics.reload(true, T0);
    metrics.reload(false, T0 + 60_000);
    expect(await valuesOf(metrics, 'chainwarden_config_last_reload_successful')).toEqual([0]);
    expect(await valuesOf(metrics, 'chainwarden_config_last_reload_success_timestamp_seconds')).toEqual([T0 / 1000]);
  });
});

describe('a storm', () => {
  test('of scrapes is rendered once a second, and once for all who ask at the same time', async () => {
    const { clock, metrics } = aDaemon();
    let renderings = 0;
    metrics.mirrorAlerts(() => {
      renderings++;
      return [];
    });
    const [first, ...others] = await Promise.all(Array.from({ length: 200 }, () => metrics.text()));
    expect(new Set(others)).toEqual(new Set([first]));
    await clock.advance(999);
    await metrics.text();
    expect(renderings).toBe(1);
    await clock.advance(1);
    await metrics.text();
    expect(renderings).toBe(2);
  });

  test('of watches ends at the limit of series, and what is left out is counted', async () => {
    const { metrics } = aDaemon({ mostSeries: 100 });
    for (let n = 0; n < 250; n++) metrics.watchUp({ watch: `w${n}`, of: '' }, true);
    expect(await valuesOf(metrics, 'chainwarden_watch_up')).toHaveLength(100);
    expect(await samplesOf(metrics, 'chainwarden_series_left_out')).toContainEqual({
      name: 'chainwarden_series_left_out',
      labels: { metric: 'chainwarden_watch_up' },
      value: 150,
    });
  });

  test('of watches are written in several turns of the event loop', async () => {
    const turns = async (watches: number): Promise<number> => {
      const { metrics } = aDaemon();
      for (let n = 0; n < watches; n++) metrics.watchUp({ watch: `w${n}`, of: '' }, true);
      let [count, isWritten] = [0, false];
      const text = textOf(metrics).finally(() => (isWritten = true));
      for (; !isWritten; count += 1) await nextTurn();
      expect((await text).split('\n').filter((line) => line.startsWith('chainwarden_watch_up{'))).toHaveLength(watches);
      return count;
    };
    // Of whether each is up and of two counters of each rule: a thousand at once.
    expect((await turns(10_000)) - (await turns(0))).toBe(3 * 10);
  });

  test('of alerts that are all well is read in several turns of the event loop, and writes nothing', async () => {
    const turns = async (alerts: number): Promise<number> => {
      const { metrics } = aDaemon();
      const healths = Array.from({ length: alerts }, (_, n) => ({
        watch: `w${n}`,
        alert: 'low',
        health: 'ok' as const,
      }));
      metrics.mirrorHealth(() => healths);
      let [count, isWritten] = [0, false];
      const text = textOf(metrics).finally(() => (isWritten = true));
      for (; !isWritten; count += 1) await nextTurn();
      expect(await text).not.toContain('chainwarden_rule_health{');
      return count;
    };
    expect((await turns(10_000)) - (await turns(0))).toBe(10);
  });

  test('of watches that are removed and come back while they are written has one series of each', async () => {
    const { metrics } = aDaemon();
    const names = Array.from({ length: 3000 }, (_, n) => `w${n}`);
    for (const watch of names) metrics.watchUp({ watch, of: '' }, true);
    let [isWritten] = [false];
    const text = textOf(metrics).finally(() => (isWritten = true));
    while (!isWritten) {
      for (const watch of names.slice(0, 10)) {
        metrics.forgetWatch({ watch, of: '' });
        metrics.watchUp({ watch, of: '' }, true);
      }
      await nextTurn();
    }
    const lines = (await text).split('\n').filter((line) => line.startsWith('chainwarden_watch_up{'));
    expect([lines.length, new Set(lines).size]).toEqual([3000, 3000]);
  });

  test('of addresses of one rule that leave and come back, or lose their values, has one series of each', async () => {
    const { metrics } = aDaemon();
    const addresses = Array.from({ length: 3000 }, (_, n) => `a${n}`);
    const polled = (of: string, value: number | null): void => {
      metrics.watchUp({ watch: 'balances', of }, true);
      metrics.watchValue({ watch: 'balances', of, token: '', field: 'balance' }, value, 60_000);
    };
    for (const of of addresses) polled(of, 1);
    let [isWritten] = [false];
    const text = textOf(metrics).finally(() => (isWritten = true));
    while (!isWritten) {
      for (const of of addresses.slice(0, 10)) metrics.forgetWatch({ watch: 'balances', of });
      for (const of of addresses.slice(0, 20)) {
        polled(of, null);
        polled(of, 2);
      }
      await nextTurn();
    }
    for (const name of ['chainwarden_watch_up', 'chainwarden_watch_value']) {
      const series = (await text)
        .split('\n')
        .flatMap((line) => (line.startsWith(`${name}{`) ? line.split(' ')[0] : []));
      expect([series.length, new Set(series).size]).toEqual([3000, 3000]);
    }
  });

  test('of odd names keeps to the text format', async () => {
    const { metrics } = aDaemon();
    const watch = 'a"b\\c\nd{e="f"} 1';
    metrics.watchUp({ watch, of: '__proto__' }, true);
    expect(await samplesOf(metrics, 'chainwarden_watch_up')).toEqual([
      { name: 'chainwarden_watch_up', labels: { watch, of: '__proto__' }, value: 1 },
    ]);
  });
});
