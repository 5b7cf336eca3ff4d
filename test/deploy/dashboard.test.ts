// The dashboard shows what the daemon exports: every name in it exists, and a real Prometheus has an answer.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { MetricRow } from '../../src/telemetry/metric-rows/row.ts';
import { METRICS } from '../../src/telemetry/metric-table.ts';
import { createFolder, start } from '../support/daemon.ts';
import { createInbox } from '../support/sinks.ts';
import { hasTool, query, startPrometheus, stored } from '../telemetry/prometheus-tools.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[];
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit?: string;
      readonly thresholds?: { readonly steps: readonly { readonly color: string; readonly value: number | null }[] };
      readonly mappings?: readonly { readonly options: Readonly<Record<string, { readonly text: string }>> }[];
    };
  };
  /** Of a row that is collapsed. */
  readonly panels?: readonly Panel[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}

const dashboard = JSON.parse(readFileSync('deploy/grafana/chainwarden.json', 'utf8')) as Dashboard;
const panels = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));
const rows: Readonly<Record<string, MetricRow>> = METRICS;

/** The row of a metric, also of the series that a histogram is made of. */
function rowOf(name: string): MetricRow | undefined {
  const plain = name.replace(/_(?:bucket|sum|count)$/, '');
  return rows[name] ?? (rows[plain]?.type === 'histogram' ? rows[plain] : undefined);
}

const namesIn = (expression: string): string[] => expression.match(/\b(?:chainwarden|process)_\w+/g) ?? [];

/** Labels that are selected or kept by `by`; `job`, `instance` and `le` are Prometheus's own. */
function labelsIn(expression: string): string[] {
  const selected = [...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) =>
    [...inner.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
  );
  const kept = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = '']) => inner.split(/,\s*/));
  return [...selected, ...kept].filter((label) => !['job', 'instance', 'le'].includes(label));
}

describe('the dashboard', () => {
  test('has panels of their own ids, and each one asks something', () => {
    const ids = panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(panels.filter(({ type, targets }) => type !== 'row' && !targets?.length)).toEqual([]);
    expect(shown.length).toBeGreaterThan(30);
  });

  test.each(shown)('%s names metrics and labels that exist', (_title, expression) => {
    const names = namesIn(expression);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => rowOf(name) === undefined)).toEqual([]);
    const known = names.flatMap((name) => rowOf(name)?.labels ?? []);
    expect(labelsIn(expression).filter((label) => !known.includes(label))).toEqual([]);
  });

  test('says of each number what it is, and from when on it is bad', () => {
    const numbers = panels.filter(({ type }) => type !== 'row' && type !== 'table');
    const nameless = numbers.filter(({ targets = [] }) =>
      targets.some(({ legendFormat }) => legendFormat === undefined),
    );
    expect(nameless.map(({ title }) => title)).toEqual([]);
    const defaults = numbers.map(({ title, fieldConfig }) => ({ title, ...fieldConfig?.defaults }));
    expect(defaults.filter(({ unit, thresholds }) => unit === undefined || thresholds === undefined)).toEqual([]);
    const colourOf = (name: string, value: number): string | undefined =>
      defaults
        .find(({ title }) => title === name)
        ?.thresholds?.steps.findLast(({ value: from }) => from === null || value >= from)?.color;
    expect([colourOf('Storage', 0), colourOf('Storage', 1)]).toEqual(['red', 'green']);
    expect([colourOf('Last reload', 0), colourOf('Last reload', 1)]).toEqual(['red', 'green']);
    expect([colourOf('Credits left', 0), colourOf('Credits left', 87_340)]).toEqual(['red', 'green']);
    expect([colourOf('Not acknowledged', 0), colourOf('Not acknowledged', 1)]).toEqual(['green', 'red']);
    expect([colourOf('Watches without good data', 0), colourOf('Watches without good data', 28)]).toEqual([
      'green',
      'orange',
    ]);
  });

  test('draws no line for each of ten thousand watches, and looks back no further than a rate needs to', () => {
    const ofWatches = shown.filter(
      ([, expression]) =>
        expression.includes('by (watch') && expression.includes('increase(') && !expression.includes('$watch'),
    );
    expect(ofWatches.length).toBeGreaterThan(2);
    const unbounded = ofWatches.filter(([, expression]) => !/^topk\(20, .*\[\$__rate_interval\]/.test(expression));
    expect(unbounded).toEqual([]);
  });

  test('asks the replicas, explorers and watches that its reader has chosen', () => {
    for (const [title, expression] of shown) {
      const [series, chosen] = [/\b(?:chainwarden|process)_\w+/g, /instance=~"\$instance"/g];
      expect([title, expression.match(chosen)?.length]).toEqual([title, expression.match(series)?.length]);
    }
  });

  test('lets its reader choose among the watches', () => {
    const text = JSON.stringify(dashboard.templating.list);
    expect(text).toContain('label_values(chainwarden_watch_up{instance=~\\"$instance\\"}, watch)');
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual([
      'datasource',
      'instance',
      'explorer',
      'watch',
      'page',
    ]);
  });

  test('lies where the provisioning looks for it, beside the Prometheus that it reads', () => {
    const compose = parse(readFileSync('deploy/compose.yaml', 'utf8')) as {
      services: Record<string, { volumes: string[] }>;
    };
    const mounts = compose.services['grafana']?.volumes ?? [];
    const provider = parse(readFileSync('deploy/grafana/provisioning/dashboards/chainwarden.yaml', 'utf8')) as {
      providers: { options: { path: string } }[];
    };
    const path = provider.providers[0]?.options.path ?? 'none';
    expect(mounts).toContain(`./grafana/chainwarden.json:${path}/chainwarden.json:ro`);
    const source = readFileSync('deploy/grafana/provisioning/datasources/prometheus.yaml', 'utf8');
    expect(source).toContain('url: http://prometheus:9090');
    expect(Object.keys(compose.services)).toContain('prometheus');
  });
});

/** Panels that show nothing while all goes well, or in the first seconds. */
const MAY_BE_EMPTY: Readonly<Record<string, string>> = {
  'Not examined': 'counted only when items were missed',
  Undecided: 'counted only when an item left the pages before its condition was known',
  'Unknown fields': 'the sandbox sends only fields of the specification',
  'Given up': 'counted only when a message was given up',
  'Oldest owed': 'nothing is owed when all was sent',
  Health: 'shown only for rules that are unhealthy',
  'Polls skipped': 'counted only when a poll took longer than its interval',
  'Series left out': 'shown only when there are too many series',
  'HTTP refused': 'counted only when a request was refused',
  Heartbeat: 'the config names no address for a heartbeat',
  'Credits in six hours': 'a forecast by the fall of ten minutes',
  'Rate limit left': 'known only from headers of the explorer',
  'Time to render, 99th percentile': 'no page was opened',
};

const CONFIG = `explorers: { here: { form: sandbox, seed: 7, block_time: 1s, plan: { credits: 9000000, per: day } } }
addresses: { treasury: '0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0' }
channels: { screen: { type: log } }
http: { listen: '127.0.0.1:0' }
state: { file: ./state.db }
rules: [rules.yaml]
`;
const RULES = `watches:
  - { id: head, kind: blocks, every: 1s, alerts: [{ id: every, on: new }, { id: behind, while: age > duration("0s") }] }
  - { id: treasury, kind: balance, of: treasury, every: 1s, alerts: [{ id: much, while: balance > 0.000001 }] }
`;

const FIRES = 'count(chainwarden_alerts{state="firing"} > 0) == 2';

/** Passes scrapes on to the daemon, and counts them. */
async function countingProxy(url: string, stack: AsyncDisposableStack) {
  const scrapes = createInbox<undefined>();
  const server = createServer((_request, response) => {
    void fetch(url).then(async (answer) => {
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
      response.end(await answer.text());
      scrapes.push(undefined);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, scrapes };
}

const HAS_PROMETHEUS = hasTool('prometheus');

test('a real Prometheus beside the daemon on its sandbox answers every query of the dashboard', async () => {
  if (!HAS_PROMETHEUS) return;
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(createFolder({ 'config.yaml': CONFIG, 'rules.yaml': RULES }));
  const daemon = stack.use(start(['run'], folder.path));
  const { metrics } = JSON.parse(await daemon.says('"daemon:started"')) as { metrics: string };
  await Promise.all([daemon.says('"watch":"head"'), daemon.says('"watch":"treasury"')]);
  await (await fetch(new URL('/healthz', metrics))).text();
  const { host, scrapes } = await countingProxy(metrics, stack);
  const directory = await mkdtemp(join(tmpdir(), 'prometheus-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const api = await startPrometheus(directory, host, stack);
  // A rate needs two samples.
  const at = await stored(api, scrapes, { count: 3, having: FIRES });
  const found = new Map<string, Awaited<ReturnType<typeof query>>>();
  for (const [title, expression] of shown) {
    const chosen = expression.replaceAll(/\$(?:watch|instance|explorer)\b/g, '.*');
    found.set(title, await query(api, chosen.replaceAll('$__rate_interval', '1m'), at));
  }
  const empty = [...found].flatMap(([title, answer]) => (answer.length === 0 ? [title] : []));
  expect(empty.filter((title) => MAY_BE_EMPTY[title] === undefined)).toEqual([]);
  // Both watches answer, one alert of each fires, and nothing is wrong with the daemon.
  const numbersOf = (title: string): number[] => (found.get(title) ?? []).map(([value]) => Number(value));
  expect((found.get('Firing') ?? []).map(([, labels]) => `${labels['watch'] ?? ''}/${labels['alert'] ?? ''}`)).toEqual(
    expect.arrayContaining(['head/behind', 'treasury/much']),
  );
  expect([numbersOf('Watches without good data'), numbersOf('State of the data')]).toEqual([[0], [2]]);
  expect([numbersOf('Answers'), numbersOf('Storage'), numbersOf('Last reload')]).toEqual([[1, 1], [1], [1]]);
  // A plan that suffices has some left, now and at the reset.
  const [left = 0] = numbersOf('Credits left');
  expect([
    left > 0,
    left < 9_000_000,
    numbersOf('Credits at the reset').map((rest) => rest > 0 && rest < left),
  ]).toEqual([true, true, [true]]);
  expect([numbersOf('Pending'), numbersOf('Starts in a day')]).toEqual([[0], [0]]);
});

test('what may be empty is a panel', () => {
  const titles = panels.map(({ title }) => title);
  expect(Object.keys(MAY_BE_EMPTY).filter((title) => !titles.includes(title))).toEqual([]);
});
