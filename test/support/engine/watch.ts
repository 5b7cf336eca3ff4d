// A watch of one number, built by hand, for tests of what the core makes of it.
import { z } from 'zod';
import { Address } from '../../../src/core/values/address.ts';
import { Amount } from '../../../src/core/values/amount.ts';
import { amount, text, word } from '../../../src/core/values/field-declarations.ts';
import { RecordType } from '../../../src/core/values/record-type.ts';
import { valueAt, type AnyView } from '../../../src/core/values/fields.ts';
import type { DetectedEvent, Detection, DetectionScope } from '../../../src/core/model/detection.ts';
import type { AnyKind } from '../../../src/core/model/watch/kind.ts';
import type { Truth } from '../../../src/core/model/ids.ts';
import type { Memory } from '../../../src/core/model/memory.ts';
import type { Condition } from '../../../src/core/model/watch/condition.ts';
import type { ConditionAlert, CountAlert, EventAlert, Watch } from '../../../src/core/model/watch/watch.ts';
import type { Observation } from '../../../src/core/model/observation.ts';
import { tokenDetails } from '../../../src/explorer/operations.ts';
import { NEW_ROW } from '../../../src/watches/list-events.ts';
import { CHANGED, oneChange } from '../../../src/watches/one-change.ts';
import { Values } from '../../../src/watches/values.ts';
import { track } from '../../../src/core/values/encoded.ts';
import { plainWording } from '../../../src/core/wording/values.ts';
import { untrusted } from '../../../src/lib/untrusted.ts';
import { inOneStep } from '../../../src/lib/steps.ts';

export const Gauge = new RecordType('Gauge', {
  level: amount('plain', 'the number'),
  mood: word('a word', ['calm', 'wild']),
  label: text('text of a stranger'),
});

/** What one poll saw: its number; null = the number was unknown; a list = items by key, with their moods. */
export interface GaugeReading {
  readonly level?: string | null;
  readonly items?: Readonly<Record<string, string | null | Item>>;
  /** The blocks that were read completely, and the newest one that was met. */
  readonly range?: {
    readonly from: number;
    readonly to?: number;
    readonly head?: number;
    readonly replaced?: readonly number[];
  };
}

/** An item in a block. */
export interface Item {
  readonly mood: string | null;
  readonly block: number | 'pending';
  /** When it happened. */
  readonly at?: string;
  readonly label?: string;
}

/** Watches one number (`changed`, `while`) and a list of named items (`new`). */
export const gaugeKind: AnyKind = {
  name: 'gauge',
  summary: 'A number and a list, for tests.',
  noun: 'gauge',
  fields: Gauge,
  events: { new: NEW_ROW, changed: CHANGED },
  while: { measured: 'level', exported: ['level'] },
  of: 'none',
  token: 'none',
  options: z.strictObject({}),
  state: z.unknown(),
  comparedByDefault: ['level'],
  shown: ['level', 'mood'],
  fleeting: [],
  history: null,
  examples: {},
  wording: plainWording({ noun: 'gauge', main: ['level'] }),
  question: () => tokenDetails('test', anAddress(1)),
  head: () => null,
  page: () => '/gauge',
  rowsOf: () => ({ rows: [] }),
  sourceOf: (path) => path,
  observe: () => Promise.reject(new Error('tests hand in what was seen')),
  detect: (_target, state, seen, scope) => inOneStep(detect(state as State | null, seen as GaugeReading, scope)),
  script: {
    rows: null,
    record: Gauge,
    synthesize: () => {
      throw new Error('tests hand in what was seen');
    },
  },
};

interface State {
  readonly values: Values | null;
  readonly seen: readonly string[];
}

function detect(
  state: State | null,
  { level, items = {}, range }: GaugeReading,
  scope: DetectionScope,
): Detection<unknown> {
  const now = level === undefined || level === null ? null : Gauge.make({ level: Amount.parse(level) });
  const number =
    now === null
      ? null
      : oneChange(state?.values ?? null, track(state?.values?.values ?? null, now, scope.tracked), {
          now,
          at: scope.at,
        });
  const fresh = Object.keys(items).filter((key) => state?.seen.includes(key) !== true);
  const events = Object.entries(items).map(([key, mood]) => noted(key, mood, state === null, fresh.includes(key)));
  const values = number === null ? (state?.values ?? null) : number.state;
  const isSame = state !== null && fresh.length === 0 && values === state.values;
  return {
    state: isSame ? state : { values, seen: [...(state?.seen ?? []), ...fresh] },
    events: [...events, ...(number?.events ?? [])],
    now,
    before: number?.before ?? null,
    range: range === undefined ? null : { to: 'head', head: null, replaced: [], ...range },
    baseline: state === null ? events.length : null,
    notes: [],
    needs: null,
    doubt: null,
    askAgainMs: null,
    dropped: [],
  };
}

function noted(key: string, item: string | null | Item, isBaseline: boolean, isFresh: boolean): DetectedEvent {
  const isPlaced = typeof item === 'object' && item !== null;
  const mood = isPlaced ? item.mood : item;
  const block = isPlaced ? item.block : 'nowhere';
  const label = isPlaced ? item.label : undefined;
  const happenedAt = isPlaced && item.at !== undefined ? at(item.at) : null;
  const view = Gauge.make({ mood: mood ?? undefined, label: untrusted(label ?? `<b>${key}</b>`) });
  const novelty = isBaseline ? 'baseline' : isFresh ? 'new' : 'known';
  return { on: 'new', key, novelty, view, before: null, changed: [], happenedAt, block, slot: null };
}

export function anAddress(number: number): Address {
  const address = Address.parse(`0x${number.toString(16).padStart(40, '0')}`);
  if (address === undefined) throw new TypeError('not an address');
  return address;
}

export function aWatch(alerts: Watch['alerts'], change: Partial<Watch> = {}): Watch {
  return {
    id: 'gauge-1',
    name: 'gauge',
    rule: 'gauge',
    source: 'rules/gauge.yaml:3',
    kind: gaugeKind,
    target: {
      explorer: 'test',
      coin: { symbol: 'ETH', decimals: 18 },
      address: null,
      token: null,
      maxPages: 20,
      options: {},
    },
    of: null,
    token: null,
    nameOf: () => null,
    lookAlikeOf: () => null,
    zone: 'UTC',
    place: null,
    chainId: null,
    pageUrl: 'https://pages.example',
    schedule: { type: 'every', intervalMs: 60_000 },
    blindAfterMs: 120_000,
    alerts,
    tracked: ['level'],
    judged: [],
    readFields: [],
    senders: [],
    windows: [],
    sampled: change.windows ?? [],
    checksum: 'as-before',
    exported: true,
    ...change,
  };
}

/** `level < 100`: unknown when the level is. */
export function below(limit: string): Condition {
  return condition(`level < ${limit}`, ['level'], (view) => compared(view, limit, -1));
}

export function above(limit: string): Condition {
  return condition(`level > ${limit}`, ['level'], (view) => compared(view, limit, 1));
}

export function moodIs(mood: string): Condition {
  return condition(`mood == "${mood}"`, ['mood'], (view) => {
    const value = valueAt(view, 'mood');
    return value === undefined ? 'unknown' : value === mood;
  });
}

/** `delta("5m") < 0`: unknown while nobody looked that far back. */
export function falls(ms: number): Condition {
  const window = { measure: 'delta', path: 'level', ms } as const;
  const evaluate: Condition['evaluate'] = ({ history }) => {
    const delta = history?.(window);
    return delta === undefined ? 'unknown' : delta.digits < 0n;
  };
  return whole({
    text: `delta("${ms / 60_000}m") < 0`,
    reads: ['level'],
    windows: [window],
    evaluate,
    limitOf: () => null,
  });
}

function compared(view: AnyView, limit: string, sign: -1 | 1): Truth {
  const level = valueAt(view, 'level');
  const bound = Amount.parse(limit);
  return level instanceof Amount && bound !== undefined ? level.compare(bound) === sign : 'unknown';
}

function condition(text: string, reads: readonly string[], truthOf: (view: AnyView) => Truth): Condition {
  return whole({ text, reads, windows: [], evaluate: ({ view }) => truthOf(view), limitOf: () => null });
}

/** A condition of one part. */
function whole(own: Omit<Condition, 'headOnly' | 'clause'>): Condition {
  return { ...own, headOnly: false, clause: () => ({ ...own, joins: null, parts: [], compares: null, equals: null }) };
}

export function whileAlert(change: Partial<ConditionAlert> = {}): ConditionAlert {
  return {
    type: 'condition',
    found: null,
    resolved: null,
    id: 'low',
    severity: 'critical',
    labels: {},
    notify: ['ops'],
    title: null,
    text: null,
    runbook: null,
    source: 'rules/gauge.yaml:7',
    while: below('100'),
    until: null,
    forMs: 0,
    keepFiringForMs: 0,
    cooldownMs: 0,
    ...change,
  };
}

export function onAlert(change: Partial<EventAlert> = {}): EventAlert {
  return {
    type: 'event',
    id: 'wild',
    severity: 'warning',
    labels: {},
    notify: ['ops'],
    title: null,
    text: null,
    runbook: null,
    source: 'rules/gauge.yaml:9',
    on: 'new',
    if: moodIs('wild'),
    confirmations: 0,
    provisional: false,
    report: null,
    ...change,
  };
}

/** Three wild items within ten minutes. */
export function countAlert(change: Partial<CountAlert> = {}): CountAlert {
  return {
    type: 'count',
    resolved: null,
    id: 'many',
    severity: 'warning',
    labels: {},
    notify: ['ops'],
    title: null,
    text: null,
    runbook: null,
    source: 'rules/gauge.yaml:11',
    on: 'new',
    if: moodIs('wild'),
    fires: { type: 'at-least', count: 3, withinMs: 600_000 },
    per: [],
    forMs: 0,
    keepFiringForMs: 0,
    cooldownMs: 0,
    ...change,
  };
}

const START = Date.parse('2026-01-01T00:00:00Z');

/** `at('5m')`: minutes and seconds after the start. */
export function at(offset: string): number {
  const [, minutes = '0', seconds = '0'] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(offset) ?? [];
  return START + Number(minutes) * 60_000 + Number(seconds) * 1000;
}

export function saw(seen: GaugeReading, when: string, change: { partial?: string } = {}): Observation {
  return {
    type: 'seen',
    at: at(when),
    paceMs: 0,
    head: null,
    chain: 'not-asked',
    seen,
    partial: change.partial ?? null,
  };
}

export function missed(when: string): Observation {
  return { type: 'missed', at: at(when), paceMs: 0, reason: 'timeout', detail: 'no answer within 30 s' };
}

/** As it comes back from the store. */
export function stored(memory: Memory): Memory {
  return JSON.parse(JSON.stringify(memory)) as Memory;
}
