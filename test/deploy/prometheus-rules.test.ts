import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { METRICS } from '../../src/telemetry/metric-table.ts';
import type { MetricRow } from '../../src/telemetry/metric-rows/row.ts';
import { hasTool, runTool } from '../telemetry/prometheus-tools.ts';

const HAS_PROMTOOL = hasTool('promtool');
const PATH = resolve('deploy/prometheus-rules.yaml');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const RULES = (parse(readFileSync(PATH, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

const SUFFIXES = /_(bucket|sum|count)$/;

function rowOf(name: string): MetricRow | undefined {
  const rows: Readonly<Record<string, MetricRow>> = METRICS;
  return rows[name] ?? rows[name.replace(SUFFIXES, '')];
}

test('every metric and label that the rules name is in the table', () => {
  for (const { alert, expr } of RULES) {
    const names = expr.match(/\b(chainwarden|process)_\w+/g) ?? [];
    if (alert !== 'ChainwardenDown') expect([alert, names.length > 0]).toEqual([alert, true]);
    for (const name of names) expect([name, rowOf(name) !== undefined]).toEqual([name, true]);
    for (const [, name = '', matchers = ''] of expr.matchAll(/\b(chainwarden_\w+)\{([^}]*)\}/g))
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*[=!]/g))
        expect([name, rowOf(name)?.labels]).toEqual([name, expect.arrayContaining([label])]);
  }
});

test('every rule says how bad it is, what it is about and what to do', () => {
  expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
  for (const { alert, labels, annotations } of RULES) {
    expect(alert).toMatch(/^Chainwarden[A-Z]/);
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations.summary).not.toBe('');
    expect(annotations.description).toMatch(/\.$/);
  }
});

test('promtool accepts the file', () => {
  expect(RULES.length).toBeGreaterThan(8);
  if (HAS_PROMTOOL) expect(runTool('promtool', ['check', 'rules', PATH])).toMatchObject({ status: 0 });
});

// What a series does, what must fire at the time, and which value its labels have.
type Series = Readonly<Record<string, string>>;
const STORIES: [alert: string, series: string, values: string, at: string, labels: Series, beside?: Series][] = [
  ['ChainwardenDown', 'up{job="chainwarden"}', '1 1 0x10', '5m', { job: 'chainwarden' }],
  ['ChainwardenRestarting', 'process_start_time_seconds{job="chainwarden"}', '1+1x10', '10m', { job: 'chainwarden' }],
  [
    'ChainwardenWatchBlind',
    'chainwarden_watch_blind{watch="w",of="a",explorer="e",reason="timeout"}',
    '_x5 1x10',
    '6m',
    { explorer: 'e' },
  ],
  [
    'ChainwardenWatchUnsteady',
    'chainwarden_watch_up{watch="w",of="a"}',
    '0 1 '.repeat(15).trim(),
    '20m',
    { watch: 'w', of: 'a' },
  ],
  [
    'ChainwardenRuleUnhealthy',
    'chainwarden_rule_health{watch="w",alert="a",health="unknown-too-long"}',
    '2x10',
    '6m',
    { watch: 'w', alert: 'a', health: 'unknown-too-long' },
  ],
  [
    'ChainwardenExplorerRefuses',
    'chainwarden_explorer_requests_total{explorer="e",operation="token",outcome="unauthorized"}',
    '0+1x20',
    '10m',
    { explorer: 'e', outcome: 'unauthorized' },
  ],
  [
    // Refused once at the start, and left alone since.
    'ChainwardenExplorerRefuses',
    'chainwarden_explorer_requests_total{explorer="e",operation="token",outcome="unauthorized"}',
    '_ 1x8',
    '7m',
    { explorer: 'e', outcome: 'unauthorized' },
  ],
  ['ChainwardenCreditsLow', 'chainwarden_explorer_credits_remaining{explorer="e"}', '9999x20', '6m', { explorer: 'e' }],
  [
    'ChainwardenHeadStalled',
    'chainwarden_explorer_head_timestamp_seconds{explorer="e"}',
    '0x30',
    '16m',
    { explorer: 'e' },
  ],
  [
    'ChainwardenDeliveriesFailing',
    'chainwarden_deliveries_total{channel="c",outcome="again"}',
    '0+1x30',
    '10m',
    { channel: 'c' },
    { 'chainwarden_outbox_rows{channel="c"}': '1x30' },
  ],
  [
    // The seventh and the eighth try, an hour apart.
    'ChainwardenDeliveriesFailing',
    'chainwarden_deliveries_total{channel="c",outcome="again"}',
    '0 3 4x5 5x15 6x30 7x59 8x20',
    '100m',
    { channel: 'c' },
    { 'chainwarden_outbox_rows{channel="c"}': '1x150' },
  ],
  ['ChainwardenOutboxOld', 'chainwarden_outbox_oldest_timestamp_seconds{channel="c"}', '0x40', '21m', { channel: 'c' }],
  ['ChainwardenDeliveriesLost', 'chainwarden_deliveries_dead_total{channel="c"}', '0 0 1x10', '5m', { channel: 'c' }],
  // Refused before the first scrape.
  ['ChainwardenDeliveriesLost', 'chainwarden_deliveries_dead_total{channel="c"}', '_ 1x10', '5m', { channel: 'c' }],
  ['ChainwardenReloadFailed', 'chainwarden_config_last_reload_successful', '1 0x10', '7m', {}],
  ['ChainwardenBackupFailing', 'chainwarden_backup_last_success_timestamp_seconds', '0x2890', '2890m', {}],
  ['ChainwardenBackupFailing', 'chainwarden_backup_failures_total', '0+1x60', '50m', {}],
  ['ChainwardenDiskLow', 'chainwarden_state_disk_free_bytes', '1e9 1e6x20', '10m', {}],
  ['ChainwardenLate', 'chainwarden_scheduler_lag_seconds_bucket{le="60"}', '0+10x40', '25m', {}],
  ['ChainwardenLoopFailing', 'chainwarden_loop_restarts_total{loop="sender"}', '0+1x20', '10m', { loop: 'sender' }],
  ['ChainwardenTicksSkipped', 'chainwarden_scheduler_skipped_total{watch="w"}', '0+1x40', '30m', { watch: 'w' }],
  [
    'ChainwardenManyBlind',
    'chainwarden_watch_blind{watch="w",of="a",explorer="e",reason="timeout"}',
    '_x10 1x30',
    '20m',
    { explorer: 'e' },
    {
      'chainwarden_watch_data_state{watch="w",of="a",state="error"}': '1x40',
      'chainwarden_watch_data_state{watch="w",of="b",state="ok"}': '1x40',
    },
  ],
  ['ChainwardenStorageFails', 'chainwarden_storage_writable', '1x5 0x10', '8m', {}],
  ['ChainwardenShardFree', 'chainwarden_shards_free', '0 2x10', '5m', {}],
  ['ChainwardenConfigDisagrees', 'chainwarden_config_disagrees{job="c"}', '1x20', '18m', { job: 'c' }],
  ['ChainwardenLeasesLost', 'chainwarden_lease_lost_total', '0 5x40', '10m', {}],
  ['ChainwardenHeartbeatStopped', 'chainwarden_heartbeat_last_timestamp_seconds', '0x20', '14m', {}],
  ['ChainwardenPageSlow', 'chainwarden_http_render_seconds_bucket{route="/",le="1"}', '0+10x40', '25m', {}],
  [
    'ChainwardenCreditsRunOut',
    'chainwarden_explorer_credits_at_reset{explorer="e"}',
    '40 -1x40',
    '35m',
    { explorer: 'e' },
  ],
  ['ChainwardenUnacknowledged', 'chainwarden_alerts_unacknowledged{severity="critical"}', '1x20', '16m', {}],
  [
    'ChainwardenSilenceEndsWhileFiring',
    'chainwarden_silences{state="ending-while-firing"}',
    '0 1x5',
    '3m',
    { state: 'ending-while-firing' },
  ],
];

test('a dead explorer and two dead receivers make three alerts', () => {
  if (!HAS_PROMTOOL) return;
  const silent = Array.from({ length: 28 }, (_, n) => `watch="w${n}",of="a"`);
  const input_series = [
    ...silent.flatMap((watch) => [
      { series: `chainwarden_watch_up{${watch}}`, values: '1x10 0x110' },
      { series: `chainwarden_watch_blind{${watch},explorer="gone",reason="timeout"}`, values: '_x15 1x105' },
      { series: `chainwarden_watch_data_state{${watch},state="error"}`, values: '_x10 1x110' },
    ]),
    ...Array.from({ length: 36 }, (_, n) => ({
      series: `chainwarden_watch_data_state{watch="v${n}",of="a",state="ok"}`,
      values: '1x120',
    })),
    { series: 'chainwarden_rule_health{watch="w1",alert="low",health="unknown-too-long"}', values: '_x40 1x80' },
    { series: 'chainwarden_scheduler_skipped_total{watch="w2"}', values: '0x10 0+1x110' },
    { series: 'chainwarden_explorer_head_timestamp_seconds{explorer="gone"}', values: '0+60x10 600x110' },
    ...['ops', 'audit'].flatMap((channel) => [
      { series: `chainwarden_deliveries_total{channel="${channel}",outcome="again"}`, values: '0x15 1+1x105' },
      { series: `chainwarden_outbox_rows{channel="${channel}"}`, values: '0x15 3x105' },
      { series: `chainwarden_outbox_oldest_timestamp_seconds{channel="${channel}"}`, values: '_x15 900x105' },
    ]),
  ];
  const firing = (alert: string, labels: Record<string, string>) => ({
    labels: labelsText({ __name__: 'ALERTS', alertname: alert, alertstate: 'firing', severity: 'critical', ...labels }),
    value: 1,
  });
  const exp_samples = [
    firing('ChainwardenManyBlind', { explorer: 'gone' }),
    firing('ChainwardenDeliveriesFailing', { channel: 'audit' }),
    firing('ChainwardenDeliveriesFailing', { channel: 'ops' }),
  ];
  const promql_expr_test = ['60m', '110m'].map((eval_time) => ({
    expr: 'ALERTS{alertname!="ChainwardenDown",alertstate="firing"}',
    eval_time,
    exp_samples,
  }));
  passes([{ name: 'three causes', interval: '1m', input_series, promql_expr_test }]);
});

test('every rule has a story that makes it fire, and all are silent about a daemon that is well', () => {
  expect(new Set(STORIES.map(([alert]) => alert))).toEqual(new Set(RULES.map(({ alert }) => alert)));
  if (HAS_PROMTOOL) passes([...STORIES.map((story) => aStory(...story)), aSilence()]);
});

function passes(tests: readonly object[]): void {
  const directory = mkdtempSync(join(tmpdir(), 'rules-'));
  try {
    const file = join(directory, 'stories.yaml');
    writeFileSync(file, stringify({ rule_files: [PATH], evaluation_interval: '1m', tests }));
    expect(runTool('promtool', ['test', 'rules', file])).toMatchObject({ status: 0 });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function aStory(...[alert, series, values, at, labels, beside = {}]: (typeof STORIES)[number]) {
  const fired = RULES.find((rule) => rule.alert === alert);
  const [, slow = null] = /,?le="([\d.]+)"/.exec(series) ?? [];
  // Nothing is as fast as the bucket below.
  const faster = slow === null ? [] : [series.replace(`"${slow}"`, '"0.001"')];
  const names = [series, ...faster];
  const infinite = slow === null ? [] : [{ series: series.replace(`"${slow}"`, '"+Inf"'), values }];
  return {
    name: alert,
    interval: '1m',
    input_series: [
      ...names.map((name, n) => ({ series: name, values: n === 0 ? values : '0x40' })),
      ...Object.entries(beside).map(([name, all]) => ({ series: name, values: all })),
      ...infinite,
    ],
    // Summaries hold measured values; they are left out of the comparison by asking whether the alert is there.
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) by (severity, ${Object.keys(labels).join(', ') || 'job'})`,
        eval_time: at,
        exp_samples: [{ labels: labelsText({ severity: fired?.labels.severity ?? '', ...labels }), value: 1 }],
      },
    ],
  };
}

/** A daemon that is well: up, and every series where it should be. */
function aSilence() {
  return {
    name: 'silence',
    interval: '1m',
    input_series: [
      { series: 'up{job="chainwarden"}', values: '1x60' },
      { series: 'process_start_time_seconds{job="chainwarden"}', values: '1x60' },
      { series: 'chainwarden_watch_up{watch="w",of="a"}', values: '1x20 0 1x40' },
      { series: 'chainwarden_rule_health{watch="w",alert="a",health="never-true"}', values: '1x60' },
      { series: 'chainwarden_rule_health{watch="w",alert="b",health="never-evaluated"}', values: '1x60' },
      { series: 'chainwarden_explorer_requests_total{explorer="e",operation="token",outcome="ok"}', values: '0+1x60' },
      { series: 'chainwarden_explorer_credits_remaining{explorer="e"}', values: '90000-1x60' },
      { series: 'chainwarden_explorer_head_timestamp_seconds{explorer="e"}', values: '0+60x60' },
      { series: 'chainwarden_deliveries_total{channel="c",outcome="again"}', values: '0+1x60' },
      { series: 'chainwarden_deliveries_total{channel="c",outcome="sent"}', values: '0+1x60' },
      { series: 'chainwarden_deliveries_dead_total{channel="c"}', values: '0x60' },
      // A channel with little to say: its one failure was made good, and nothing is owed.
      { series: 'chainwarden_deliveries_total{channel="rare",outcome="again"}', values: '0x5 1x55' },
      { series: 'chainwarden_deliveries_total{channel="rare",outcome="sent"}', values: '0x5 1x55' },
      { series: 'chainwarden_outbox_rows{channel="rare"}', values: '0x60' },
      { series: 'chainwarden_config_last_reload_successful', values: '1x60' },
      { series: 'chainwarden_scheduler_lag_seconds_bucket{le="0.01"}', values: '0+10x60' },
      { series: 'chainwarden_scheduler_lag_seconds_bucket{le="+Inf"}', values: '0+10x60' },
      { series: 'chainwarden_scheduler_skipped_total{watch="w"}', values: '0x60' },
      // One of twelve sees nothing.
      ...Array.from({ length: 11 }, (_, n) => ({
        series: `chainwarden_watch_data_state{watch="w",of="${n + 1}",state="ok"}`,
        values: '1x60',
      })),
      { series: 'chainwarden_watch_data_state{watch="w",of="0",state="partial"}', values: '1x60' },
      { series: 'chainwarden_storage_writable', values: '1x60' },
      { series: 'chainwarden_heartbeat_last_timestamp_seconds', values: '0+60x60' },
      { series: 'chainwarden_http_render_seconds_bucket{route="/",le="0.05"}', values: '0+10x60' },
      { series: 'chainwarden_http_render_seconds_bucket{route="/",le="+Inf"}', values: '0+10x60' },
      // What is planned takes all of it, and no more.
      { series: 'chainwarden_explorer_credits_at_reset{explorer="e"}', values: '0x60' },
      // A warning waits longer than a quarter of an hour, as it may.
      { series: 'chainwarden_alerts_unacknowledged{severity="warning"}', values: '1x60' },
      { series: 'chainwarden_alerts_unacknowledged{severity="critical"}', values: '0x30 1x8 0x22' },
      { series: 'chainwarden_silences{state="active"}', values: '3x60' },
      { series: 'chainwarden_silences{state="ending-while-firing"}', values: '0x60' },
      // Failed once, and runs again.
      { series: 'chainwarden_loop_restarts_total{loop="sender"}', values: '0x10 1x50' },
    ],
    alert_rule_test: RULES.map(({ alert }) => ({ eval_time: '40m', alertname: alert, exp_alerts: [] })),
  };
}

function labelsText(labels: Record<string, string>): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;
}
