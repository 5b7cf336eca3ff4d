// The pages without a daemon behind them.
import { once } from 'node:events';
import type { Queries } from '../../../src/query/queries.ts';
import { summaryOf } from '../../../src/query/shapes/overview.ts';
import type { SilencePreview } from '../../../src/query/shapes/operators.ts';
import type { PagesOptions } from '../../../src/web/pages/app.ts';
import type { KeptPasses } from '../../../src/web/guard/ended-passes.ts';
import type { IdentityOptions } from '../../../src/web/guard/identity.ts';
import { serveWeb, type Web, type WebOptions } from '../../../src/web/server.ts';
import {
  aboutWith,
  accountsWith,
  accountWith,
  alertWith,
  CALM,
  deliveriesWith,
  deliveryWith,
  explorersWith,
  historyWith,
  NOW,
  overviewWith,
  rulesWith,
  seriesWith,
  silencesWith,
  watchesWith,
  watchWith,
  type Written,
} from '../daemon-in-trouble.ts';
import { failingActions, someQueries, testWebOptions } from '../web/web.ts';

export const ALICE = 'alice-token-alice-token-alice-token';
export const VIC = 'vic-token-vic-token-vic-token-vic-t';
export const LOCAL = 'local-token-local-token-local-token-12345678';

export const OPERATORS = [
  { name: 'alice', role: 'operator', token: ALICE },
  { name: 'vic', role: 'viewer', token: VIC },
] as const;

export interface TestPages extends Partial<WebOptions> {
  readonly isOpen?: boolean;
  readonly sessions?: KeptPasses;
  readonly queries?: Queries;
  readonly clock?: PagesOptions['clock'];
  readonly api?: WebOptions['api'];
}

/** Resolves when nobody waits any more. */
export async function standStill(_ms: number, signal?: AbortSignal): Promise<void> {
  if (signal !== undefined) await once(signal, 'abort');
}

/** It stands still. */
const AT_NOW: PagesOptions['clock'] = { now: () => NOW, sleep: standStill };

const PREVIEW: SilencePreview = {
  rules: 1,
  of_rules: 1,
  all: 2,
  watches: 2,
  share: 0.2,
  open: 1,
  needs_confirm: true,
  left_out: 0,
  notifications_24h: 31,
  critical_24h: 0,
  recipients_24h: 3,
  alerts: [
    {
      watch: 'vault',
      alert: 'low',
      severity: 'warning',
      watches: 2,
      open: 1,
      notifications_24h: 31,
      to: ['ops', 'oncall'],
    },
  ],
};

const CALLERS: IdentityOptions = { operators: OPERATORS, localToken: LOCAL, proxy: null, isOpen: false };

/** The API with callers that differ so from the usual ones. */
export function apiWith(change: Partial<IdentityOptions>): WebOptions['api'] {
  const callers = { ...CALLERS, ...change };
  return { ...API, callers: () => callers };
}

export const API: WebOptions['api'] = {
  perform: failingActions(new Error('nothing can be changed here')),
  callers: () => CALLERS,
  monotonic: () => 0,
};

export function serveTestPages(options: TestPages = {}): Promise<Web> {
  return serveWeb(testPagesOptions(options));
}

export function testPagesOptions({
  isOpen = false,
  clock = AT_NOW,
  api = API,
  sessions,
  ...options
}: TestPages = {}): WebOptions {
  const times = { startedAt: NOW - 1_400_000_000, loadedAt: NOW - 36_000_000, heartbeatAt: NOW - 40_000 };
  const daemon = () => ({ version: '0.4.0', ...times });
  const callers = { ...api.callers(), isOpen };
  return testWebOptions({
    api: { ...api, callers: () => callers },
    pages: { timeZone: 'UTC', clock, daemon, ...(sessions && { sessions }) },
    queries: queriesWith(CALM),
    ...options,
  });
}

/** Every page shows what was written wherever it can. */
export function queriesWith(written: Written): Queries {
  const found = {
    overview: overviewWith(written),
    watches: watchesWith(),
    history: historyWith(written),
    deliveries: deliveriesWith(written),
    delivery: deliveryWith(written),
    watch: watchWith(written),
    alert: alertWith(written),
    accounts: accountsWith(written),
    account: accountWith(written),
    series: seriesWith(),
    silences: silencesWith(written),
    explorers: explorersWith(written),
    rules: rulesWith(written),
    about: aboutWith(),
  };
  return someQueries({
    edition: async () => '1',
    overview: async () => found.overview,
    summary: async () => summaryOf(found.overview),
    watches: async () => found.watches,
    history: async () => found.history,
    deliveries: async () => found.deliveries,
    delivery: async () => found.delivery,
    watch: async (name) => (name === found.watch.watch.name ? found.watch : null),
    accounts: async () => found.accounts,
    account: async () => found.account,
    samples: async () => found.series,
    silences: async () => found.silences,
    previewSilence: async () => PREVIEW,
    silence: async () => null,
    explorers: async () => found.explorers,
    rules: async () => found.rules,
    ruleFile: async (file) =>
      file === 'rules/token.yaml' ? { file, text: `watches:\n  # ${written.comment.replaceAll(/\s/g, ' ')}\n` } : null,
    about: async () => found.about,
    alerts: async () => ({ items: [found.alert.card], next: null }),
    alert: async ({ key }) => (key === 'k1' ? found.alert : null),
  });
}
