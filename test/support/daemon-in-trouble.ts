// What a daemon in trouble says of itself.
import type { WatchedAddress, ContractCode } from '../../src/query/shapes/account.ts';
import type { AccountList, AccountRow, Series } from '../../src/query/shapes/accounts.ts';
import type { AlertCard, AlertHistory, TimelineEntry } from '../../src/query/shapes/alerts.ts';
import type { Bars, MeasureShape, Point, RecipientStatus, Text } from '../../src/query/shapes/common.ts';
import type { About, CostRow, ExplorerRow, ExplorerList, RuleList, RuleRow } from '../../src/query/shapes/daemon.ts';
import type { HistoryEntry, HistoryList } from '../../src/query/shapes/history.ts';
import type {
  DeliveryDetail,
  DeliveryList,
  DeliveryRow,
  SilenceLists,
  SilenceRow,
} from '../../src/query/shapes/operators.ts';
import type { Overview, Trust } from '../../src/query/shapes/overview.ts';
import type { ConditionPart } from '../../src/query/shapes/explanations.ts';
import type { WatchExplanation, WatchList, WatchRow } from '../../src/query/shapes/watches.ts';
import { untrusted } from '../../src/lib/untrusted.ts';

export const NOW = Date.parse('2026-11-21T03:12:07Z');
const MINUTE = 60_000;

function ago(ms: number): string {
  return new Date(NOW - ms).toISOString();
}

/** What strangers, operators and servers may have written; every page shows it wherever it can. */
export interface Written {
  readonly chain: string;
  readonly answer: string;
  readonly comment: string;
}

export const CALM: Written = { chain: 'execution reverted', answer: '503 Service Unavailable', comment: 'known' };

const measure: MeasureShape = {
  field: 'balance',
  value: '940264.594685',
  unit: 'USDC',
  limit: '1000000',
  distance: '59735.405315',
  side: 'below',
  fires: 'below',
  clears_at: '1050000',
  at: ago(4000),
  is_stale: false,
};

function recipientsWith(answer: string): RecipientStatus[] {
  const accepted = { state: 'accepted', accepted_at: ago(14 * MINUTE), tries: 1, next_try: null } as const;
  const owed = { state: 'owed', accepted_at: null, tries: 5, next_try: ago(-7 * MINUTE) } as const;
  return [
    { channel: 'oncall', recipient: 'oncall@example.com', answer: '250 2.0.0 Ok: queued as 4F1c7', ...accepted },
    { channel: 'ops', recipient: 'ops', answer, ...owed },
  ];
}

function lineOf(values: readonly number[], ms: number): Point[] {
  return values.map((value, at) => [ago(ms - (at * ms) / values.length), String(value)]);
}

function barsWith(places: Readonly<Record<number, Bars['states'][number]>>): Bars {
  const states = Array.from({ length: 48 }, (_, place) => places[place] ?? 'quiet');
  return { from: ago(24 * 60 * MINUTE), states, notified: Object.keys(places).map(Number) };
}

function cardWith({ answer, chain }: Written): AlertCard {
  return {
    key: 'k1',
    episode: 8,
    seq: 3,
    watch: 'treasury-usdc',
    alert: 'low',
    rule: 'treasury-usdc',
    labels: {
      watch: 'treasury-usdc',
      explorer: 'ethereum',
      of: 'treasury',
      token: 'USDC',
      alert: 'low',
      team: 'treasury',
    },
    title: 'Treasury USDC is low',
    severity: 'critical',
    state: 'firing',
    is_open: true,
    alerts: 1,
    since: ago(14 * MINUTE),
    up_to: ago(14 * MINUTE),
    measure,
    count: null,
    firings: 0,
    of: {
      name: 'treasury',
      address: '0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0',
      explorer: 'ethereum',
      page_url: 'https://explorer.example.com/address/0xa14C3E6DD27d6A8e02f9Ea24EcDE64e6B6f50db0',
    },
    detail: [{ text: 'of ' }, { untrusted: untrusted(chain) }],
    line_has_limits: true,
    line: lineOf([1_161_040, 1_150_000, 1_170_000, 1_120_000, 1_060_000, 1_070_000, 990_000, 940_264], 360 * MINUTE),
    recipients: recipientsWith(answer),
    runbook: 'https://wiki.example.com/treasury-low',
    links: [],
    ack: null,
    silence: null,
  };
}

function countedCard(written: Written): AlertCard {
  const page_url = `https://explorer.example.com/tx/0x${'ca'.repeat(32)}`;
  const items = [{ at: ago(MINUTE), place: 'block 1,000, tx 0xcaca…caca', page_url }];
  return {
    ...cardWith(written),
    key: 'k2',
    watch: 'vault-calls',
    alert: 'many-failures',
    title: 'Calls to the vault keep failing',
    severity: 'warning',
    since: ago(6 * MINUTE),
    measure: null,
    line: [],
    count: {
      count: 7,
      is_least: false,
      limit: 3,
      of: 'failed vault calls',
      window_ms: 10 * MINUTE,
      newest: [{ untrusted: untrusted(written.chain) }],
      items,
    },
    links: [{ label: 'Transaction', url: `https://explorer.example.com/tx/0x${'ca'.repeat(32)}` }],
  };
}

function trustWith({ answer }: Written): Trust {
  return {
    heads: [
      {
        explorer: 'gnosis',
        height: '36911540',
        at: ago(31 * MINUTE),
        age_ms: 31 * MINUTE,
        state: 'stalled',
        since: ago(31 * MINUTE),
      },
      { explorer: 'ethereum', height: '21034112', at: ago(9000), age_ms: 9000, state: 'fresh', since: null },
    ],
    overdue: [],
    blind: [
      {
        cause: 'stale',
        explorer: 'gnosis',
        since: ago(30 * MINUTE),
        watches: 38,
        rules: 9,
        names: ['gnosis-treasury[treasury]', 'gnosis-treasury[collector]'],
        fields: [],
      },
    ],
    watches: 412,
    oldest: { watch: 'gnosis-head', at: ago(31 * MINUTE), age_ms: 31 * MINUTE, interval_ms: MINUTE },
    unhealthy: 2,
    not_judged: 0,
    owed: [
      { channel: 'ops', rows: 9, tried_often: 2, since: ago(14 * MINUTE), last_try: ago(75_000), last_answer: answer },
    ],
    given_up: 3,
    credits: [
      {
        explorers: ['ethereum'],
        remaining: 87_340,
        is_counted: false,
        plan: 100_000,
        per: 'day',
        is_assumed: false,
        from: '2026-11-21T00:00:00Z',
        wanted_per_day: 85_320,
        wanted_share: 0.948,
        planned_per_day: 94_800,
        reserve: 10_000,
        spent: { critical: 5000, warning: 5000, info: 1660, pages: 600, sweep: 300, probe: 0, enrich: 0 },
        foreign: 100,
        stretch: { critical: 1, warning: 1, info: 1 },
        intervals: '',
        resets_at: '2026-11-22T00:00:00Z',
        at_reset: 5200,
        curve: [],
        runs_out_at: null,
      },
    ],
    troubles: [],
    storage: 'works',
    rejected: { since: ago(11 * MINUTE), place: 'rules/vault.yaml:7', why: answer },
    cluster: null,
  };
}

export function overviewWith(written: Written): Overview {
  const card = cardWith(written);
  return {
    verdict: 'critical',
    headline: 'Treasury USDC is low (and one more)',
    detail: 'Nobody has acknowledged them.',
    waiting_since: ago(14 * MINUTE),
    cards: [card, countedCard(written)],
    more: { alerts: 212, rules: 3 },
    unhandled: 2,
    trust: trustWith(written),
    handled: [
      {
        key: 'k3',
        episode: 1,
        seq: 1,
        alerts: 1,
        watch: 'gnosis-head',
        alert: 'stalled',
        title: 'gnosis is stalled',
        severity: 'critical',
        state: 'firing',
        why: 'acknowledged',
        since: ago(31 * MINUTE),
        fires_at: null,
        count: null,
        measure: { ...measure, unit: 's', value: '1860', limit: '120', clears_at: null },
        ack: {
          id: 'a',
          key: 'k3',
          episode: 1,
          seq: 1,
          actor: 'oncall-1',
          comment: written.comment,
          at: ago(26 * MINUTE),
          until: ago(-48 * MINUTE),
        },
        silence: null,
      },
      {
        key: null,
        episode: null,
        seq: null,
        alerts: 1,
        watch: 'coins[hot_wallet]',
        alert: 'nearly-empty',
        title: 'hot_wallet is nearly empty',
        severity: 'warning',
        state: 'pending',
        why: 'pending',
        since: ago(42_000),
        fires_at: ago(-78_000),
        count: null,
        ack: null,
        silence: null,
        measure: { ...measure, unit: 'ETH', value: '0.0487', limit: '0.05', clears_at: null },
      },
    ],
    more_handled: 4,
    calls_nobody: false,
    recent: [
      {
        key: 'k9',
        episode: 2,
        watch: 'coins[collector]',
        alert: 'low',
        title: 'collector ETH 4.2, above 3',
        severity: 'warning',
        since: ago(300 * MINUTE),
        ended: ago(120 * MINUTE),
        acknowledged_by: 'oncall-1',
      },
    ],
    events: [
      {
        last: ago(75_000),
        watch: 'vault-calls',
        alert: 'call-failed',
        title: 'Call to the vault failed',
        severity: 'warning',
        key: 'k4',
        episode: 1,
        count: 19,
        notified: ['ops'],
        owed: 7,
        newest: [{ untrusted: untrusted(written.chain) }, { text: ' from 0x3c54…b3AB' }],
        is_retracted: false,
      },
      {
        last: ago(110 * MINUTE),
        watch: 'tokens',
        alert: 'scam',
        title: 'Scam token arrived',
        severity: 'warning',
        key: 'k5',
        episode: 1,
        count: 2,
        notified: ['ops'],
        owed: 0,
        newest: [{ untrusted: untrusted('USDС') }],
        is_retracted: false,
      },
      {
        last: ago(130 * MINUTE),
        watch: 'vault-admin',
        alert: 'call',
        title: 'Transaction to vault',
        severity: 'critical',
        key: 'k6',
        episode: 1,
        count: 1,
        notified: ['ops'],
        owed: 0,
        newest: [],
        is_retracted: true,
      },
    ],
    bars: [
      {
        watch: 'treasury-usdc',
        state: 'critical',
        since: ago(20 * MINUTE),
        bars: barsWith({ 30: 'critical', 31: 'critical', 47: 'critical' }),
      },
      {
        watch: 'gnosis-head',
        state: 'critical',
        since: ago(40 * MINUTE),
        bars: barsWith({ 5: 'unknown', 46: 'critical', 47: 'critical' }),
      },
      { watch: 'tokens', state: 'quiet', since: ago(1020 * MINUTE), bars: barsWith({ 12: 'warning' }) },
    ],
    of_watches: 412,
    more_bars: 0,
    as_of: ago(0),
  };
}

export function watchesWith(): WatchList {
  const row: WatchRow = {
    name: 'treasury-usdc',
    rule: 'treasury-usdc',
    labels: { watch: 'treasury-usdc', explorer: 'ethereum', of: 'treasury', token: 'USDC', team: 'treasury' },
    kind: 'balance',
    explorer: 'ethereum',
    state: 'firing',
    severity: 'critical',
    since: ago(14 * MINUTE),
    fires_at: null,
    blind: null,
    is_healthy: true,
    measure,
    needs: null,
    as_of: ago(4000),
    interval_ms: MINUTE,
    effective_ms: MINUTE,
    bars: barsWith({ 30: 'critical', 47: 'critical' }),
  };
  const blind: WatchRow = {
    ...row,
    name: 'gnosis-treasury[treasury]',
    explorer: 'gnosis',
    state: 'blind',
    severity: null,
    blind: { cause: 'stale', since: ago(30 * MINUTE), fields: [] },
    as_of: ago(31 * MINUTE),
    measure: {
      ...measure,
      value: '48201.77',
      unit: 'xDAI',
      limit: '5000',
      distance: '43201.77',
      side: 'above',
      is_stale: true,
    },
    bars: barsWith({ 46: 'unknown', 47: 'unknown' }),
  };
  const event: WatchRow = { ...row, name: 'vault-calls', state: 'ok', severity: null, since: null, measure: null };
  const counts = { firing: 1, pending: 1, blind: 38, paused: 0, silenced: 14, starting: 0, ok: 358 };
  return { items: [row, blind, event], next: 'bmV4dA', all: 412, counts, unhealthy: 2 };
}

export function historyWith({ chain, comment }: Written): HistoryList {
  const fires: HistoryEntry = {
    number: 9,
    at: ago(14 * MINUTE),
    kind: 'routed',
    what: 'fires',
    severity: 'critical',
    data: null,
    subject: 'treasury-usdc/low',
    watch: 'treasury-usdc',
    alert: 'low',
    key: 'k1',
    episode: 8,
    title: 'Treasury USDC is low',
    how: [{ untrusted: untrusted(chain) }],
    notified: ['oncall', 'ops'],
    actor: 'daemon',
    position: null,
    hash: null,
  };
  const acked: HistoryEntry = {
    ...fires,
    number: 8,
    at: ago(26 * MINUTE),
    kind: 'ack',
    what: 'acknowledged',
    severity: null,
    how: [{ text: comment }],
    notified: [],
    actor: 'oncall-1',
  };
  const started: HistoryEntry = {
    ...fires,
    number: 1,
    at: ago(600 * MINUTE),
    kind: 'start',
    what: 'started',
    severity: null,
    subject: 'daemon',
    watch: null,
    alert: null,
    key: null,
    episode: null,
    title: '',
    how: [],
    notified: [],
  };
  const gap = { explorer: 'gnosis', watches: 38, cause: 'stale', from: ago(32 * MINUTE), until: null };
  // Of a watch that is gone only its id is known: one long word.
  const gone: HistoryEntry = {
    ...started,
    number: 0,
    kind: 'decided',
    what: 'pending',
    subject: `treasury-usdc/ethereum/0x${'ab'.repeat(20)}/0x${'cd'.repeat(20)}`,
  };
  return { items: [fires, acked, started, gone], next: 'bmV4dA', days: [{ day: '2026-11-21', gaps: [gap] }] };
}

export function deliveriesWith({ answer }: Written): DeliveryList {
  const owed: DeliveryRow = {
    id: 'd1',
    kind: 'news',
    state: 'owed',
    decided_at: ago(14 * MINUTE),
    title: 'Treasury USDC is low',
    severity: 'critical',
    watch: 'treasury-usdc',
    alert: 'low',
    key: 'k1',
    episode: 8,
    transition: 'firing',
    members: 7,
    recipient: {
      channel: 'ops',
      recipient: 'ops',
      state: 'owed',
      accepted_at: null,
      tries: 5,
      next_try: ago(-MINUTE),
      answer,
    },
    is_dismissed: false,
  };
  const givenUp: DeliveryRow = {
    ...owed,
    id: 'd2',
    state: 'given-up',
    members: 1,
    recipient: { ...owed.recipient, state: 'given-up', next_try: null },
  };
  const failing = [
    { channel: 'ops', rows: 9, tried_often: 2, since: ago(14 * MINUTE), last_try: ago(75_000), last_answer: answer },
  ];
  const counts = { problems: 12, given_up: 3, owed: 9, sent: 1204 };
  return { items: [givenUp, { ...givenUp, id: 'd3', is_dismissed: true }, owed], next: null, counts, failing };
}

export function deliveryWith(written: Written): DeliveryDetail {
  const { items } = deliveriesWith(written);
  const [row] = items;
  if (row === undefined) throw new Error('there is no delivery');
  return { ...row, ended_at: null, outcome: 'again', messages: [], more: [] };
}

export function watchWith(written: Written): WatchExplanation {
  const text: Text = [{ untrusted: untrusted(written.chain) }];
  const [row] = watchesWith().items;
  const part: ConditionPart = { text: 'balance < 1_000_000', truth: true, parts: [], reads: [] };
  const read = { name: 'balance', value: text, before: text, why: null };
  const { of } = cardWith(written);
  if (row === undefined) throw new Error('there is no watch');
  return {
    watch: row,
    of,
    token: { name: 'USDC', address: of?.address ?? '' },
    measure,
    previous: '960381.12',
    replica: null,
    alerts: [
      {
        alert: 'low',
        type: 'condition',
        severity: 'critical',
        source: 'rules/treasury.yaml:6',
        on: null,
        item: text,
        more_groups: 0,
        needs: ['balance has to rise by more than 109,735.41'],
        aim: 'to end',
        states: [{ state: 'firing', since: ago(14 * MINUTE), words: 'firing', held_back: [], remarks: [] }],
        conditions: [
          { name: 'while', part: { ...part, reads: [read], parts: [{ ...part, reads: [read] }] }, reasons: [] },
          { name: 'until', part: { ...part, truth: false }, reasons: [written.comment] },
        ],
        counts: [],
        held_back: [],
        operators: [written.comment],
        health: 'ok',
        health_since: null,
        labels: {},
        recipients: recipientsWith(written.answer),
        messages: [
          {
            type: 'firing',
            at: ago(MINUTE),
            channel: 'ops',
            recipient: 'ops',
            state: 'owed',
            answer: written.answer,
          },
        ],
        would_notify: [],
      },
    ],
    measured: 'balance',
    polls: [
      { at: ago(4000), outcome: 'complete', value: '940264.594685', truths: { low: true }, ms: 212 },
      { at: ago(64_000), outcome: 'timeout', value: null, truths: { low: 'unknown' }, ms: 10_000 },
    ],
    data: { state: 'ok', since: ago(9 * MINUTE) },
    remarks: [written.comment],
    pause: { until: ago(-MINUTE), actor: 'alice', comment: written.comment },
    next: ago(-56_000),
    credits_per_day: 28_800,
    samples_kept: 1214,
    fields: ['balance'],
    episodes: [
      {
        key: 'k1',
        episode: 7,
        alert: 'low',
        since: ago(1440 * MINUTE),
        until: ago(1378 * MINUTE),
        acknowledged_by: null,
      },
    ],
    items: [
      {
        key: 'k4',
        episode: 1,
        at: ago(5 * MINUTE),
        alert: 'call-failed',
        severity: 'warning',
        title: 'Call to the vault failed',
        detail: text,
        links: [{ label: 'Transaction', url: `https://explorer.example.com/tx/0x${'ca'.repeat(32)}` }],
        is_retracted: false,
      },
    ],
    source: { file: 'rules/treasury.yaml', line: 6, url: null },
    rule: '- id: treasury-usdc\n  kind: balance\n',
  };
}

export function alertWith(written: Written): AlertHistory {
  const entry: TimelineEntry = {
    at: ago(14 * MINUTE),
    kind: 'fires',
    text: [{ untrusted: untrusted(written.chain) }],
    detail: written.answer,
    actor: null,
    recipient: null,
    about: null,
    tries: null,
    until: null,
  };
  const refused: TimelineEntry = {
    ...entry,
    kind: 'not-accepted',
    about: 'firing',
    tries: 4,
    until: ago(12 * MINUTE),
    recipient: { channel: 'ops', recipient: 'ops' },
  };
  return {
    card: cardWith(written),
    ended: null,
    timeline: [entry, refused],
    fields: [
      { name: 'error', value: [{ untrusted: untrusted(written.chain) }], page_url: null },
      {
        name: 'transaction_hash',
        value: [{ text: `0x${'ca'.repeat(32)}` }],
        page_url: `https://explorer.example.com/tx/0x${'ca'.repeat(32)}`,
      },
    ],
    condition: watchWith(written).alerts[0] ?? null,
    told: [
      {
        about: 'firing',
        decided_at: ago(14 * MINUTE),
        channel: 'ops',
        recipient: 'ops',
        state: 'owed',
        accepted_at: null,
        tries: 4,
        next_try: ago(-MINUTE),
        answer: written.answer,
      },
    ],
    earlier: watchWith(written).episodes,
    ack: {
      id: 'a',
      key: 'k1',
      episode: 8,
      seq: 3,
      actor: 'oncall-1',
      comment: written.comment,
      at: ago(26 * MINUTE),
      until: ago(-48 * MINUTE),
    },
  };
}

export function accountWith(written: Written): WatchedAddress {
  const { watch, of, items } = watchWith(written);
  if (of === null) throw new Error('there is no subject');
  const address = `0x${'2f'.repeat(20)}`;
  const code: ContractCode = {
    watch: 'vault-code',
    explorer: 'ethereum',
    implementations: [{ ...of, address, name: null, given: untrusted(written.chain) }],
    proxy_type: 'eip1967',
    is_verified: false,
    at: ago(4000),
    is_stale: false,
  };
  const looking = {
    watch: 'vault-admin',
    kind: 'logs',
    since: ago(9000 * MINUTE),
    told: items.length,
    until: ago(4000),
  };
  return {
    of: [of],
    code: [
      code,
      { ...code, watch: 'vault-code[2]', is_stale: true },
      { ...code, watch: 'new', implementations: null, at: null },
    ],
    changes: items,
    control: [
      looking,
      { ...looking, watch: 'vault-code', told: 0 },
      { ...looking, watch: 'new', since: null, until: null },
    ],
    alerts: [cardWith(written)],
    more_alerts: 3,
    watches: [watch],
    more_watches: 12,
  };
}

export function accountsWith(written: Written): AccountList {
  const { of } = cardWith(written);
  if (of === null) throw new Error('there is no subject');
  const usdc: AccountRow = {
    of,
    asset: 'USDC',
    token: of.address,
    watch: 'treasury-usdc',
    state: 'firing',
    severity: 'critical',
    measure,
    balance: measure.value,
    usd: '939887.8944',
    rate: '0.9996',
    change_24h: -0.216,
    since: ago(14 * MINUTE),
    fires_at: null,
    line: lineOf([1_161_040, 940_264], 1440 * MINUTE),
    outflow: { amount: '50117.97', at: ago(15 * MINUTE) },
  };
  const free: MeasureShape = { ...measure, value: '3.1177', unit: 'ETH', limit: null, distance: null, side: null };
  const eth: AccountRow = {
    ...usdc,
    asset: 'ETH',
    token: null,
    watch: '=coins',
    state: 'blind',
    severity: null,
    measure: { ...free, is_stale: true },
    balance: '3.1177',
    usd: null,
    rate: null,
    change_24h: null,
    line: [],
    outflow: null,
  };
  const counts = { all: 2, below_limit: 1, within_tenth: 0, old_data: 1 };
  const sum = { usd: '939887.8944', balances: 1, old: 0, unpriced: 1, unknown: 0 };
  const totals = { ...sum, explorers: [{ explorer: of.explorer, ...sum }] };
  return { items: [usdc, eth], next: null, totals, counts, scams: [{ of, watch: 'tokens', count: 23 }] };
}

export function seriesWith(): Series {
  return {
    field: 'balance',
    unit: 'USDC',
    from: ago(360 * MINUTE),
    limits: [{ alert: 'low', severity: 'critical', fires: 'below', fire: '1000000', clear: '1050000' }],
    points: lineOf([1_161_040, 1_150_000, 1_170_000, 1_060_000, 990_000, 940_264], 360 * MINUTE),
    gaps: [[ago(200 * MINUTE), ago(190 * MINUTE)]],
    episodes: [{ alert: 'low', severity: 'critical', from: ago(14 * MINUTE), until: null }],
    notified: [ago(14 * MINUTE)],
  };
}

export function silencesWith({ comment }: Written): SilenceLists {
  const active: SilenceRow = {
    id: 's1',
    kind: 'silence',
    state: 'active',
    matchers: { watch: 'vault-*', severity: ['info', 'warning'] },
    from: ago(60 * MINUTE),
    until: ago(-78 * MINUTE),
    until_resolved: true,
    actor: 'oncall-1',
    comment,
    held: 9,
  };
  const pause: SilenceRow = { ...active, id: 'p1', kind: 'pause', held: null };
  return { active: [active, pause], ended: [{ ...active, id: 's0', state: 'ended', until: ago(MINUTE) }] };
}

export function explorersWith(written: Written): ExplorerList {
  const { heads, credits } = trustWith(written);
  const [stalled = null, fresh = null] = heads;
  const row: ExplorerRow = {
    name: 'gnosis',
    head: stalled,
    answers: [{ outcome: 'ok', count: 704 }],
    p99_ms: 210,
    rate: null,
    watches: 38,
    blind: 38,
    credits: null,
    paced: { requests_per_second: 5, wanted_per_second: 7.83, intervals: 'warning ×2.1, info ×4.4' },
    trouble: written.answer,
    replica: null,
  };
  const other: ExplorerRow = {
    ...row,
    name: 'ethereum',
    head: fresh,
    rate: { remaining: 3, limit: 5 },
    paced: null,
    blind: 0,
    trouble: null,
    credits: credits[0] ?? null,
  };
  const cost: CostRow = {
    explorer: 'ethereum',
    rule: 'vault-calls',
    request: 'internal transactions',
    interval_ms: 120_000,
    watches: 1,
    requests_per_day: 720,
    credits_per_day: 28_800,
    share: 0.3,
    shared_with: [],
    cheaper: { interval_ms: 180_000, saves: 9600 },
  };
  return { explorers: [row, other], costs: [cost, { ...cost, cheaper: null, shared_with: ['tokens'] }] };
}

export function rulesWith({ comment }: Written): RuleList {
  const row: RuleRow = {
    rule: 'our-token',
    alert: 'flagged',
    severity: 'critical',
    health: 'unknown-too-long',
    is_healthy: false,
    sentence: 'while reputation == "scam"',
    source: { file: 'rules/token.yaml', line: 9, url: null },
    watches: 1,
    last_true: null,
    notifications_30d: 0,
  };
  const problem = {
    file: 'rules/vault.yaml',
    line: 14,
    column: 14,
    path: 'watches[0]',
    message: comment,
    hint: comment,
    frame: '14        if: sucess == false',
  };
  return {
    items: [row, { ...row, health: 'ok', is_healthy: true, last_true: ago(MINUTE) }],
    next: null,
    rejected: { since: ago(11 * MINUTE), why: comment, problems: [problem] },
    counts: { all: 140, unhealthy: 2, fired: 11, rules: 86, files: 9 },
  };
}

export function aboutWith(): About {
  return {
    version: '0.4.0',
    started_at: ago(9000 * MINUTE),
    up_ms: 9000 * MINUTE,
    boot_id: 'b',
    watches: 412,
    rules: 86,
    reloaded_at: ago(600 * MINUTE),
    storage: { engine: 'sqlite', state: 'works', max_bytes: 2 ** 31 },
    cluster: null,
    heartbeat: { every_ms: MINUTE, accepted_at: ago(40_000) },
    as_of: ago(0),
  };
}
