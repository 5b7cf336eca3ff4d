// Watches of lists, explained: the newest item, the head, counts, and what is still in doubt.
import { expect, test } from '@jest/globals';
import { decodeSnapshot, encodeSnapshot } from '../../src/core/model/snapshot.ts';
import type { Snapshot } from '../../src/core/model/decision.ts';
import type { Observation } from '../../src/core/model/observation.ts';
import type { Watch } from '../../src/core/model/watch/watch.ts';
import { blankMemory, step } from '../../src/core/step.ts';
import { explainWatch } from '../../src/explain/explain.ts';
import { explainLines } from '../../src/explain/lines.ts';
import { loadWatches } from '../support/world.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Polls a minute apart, each with its rows as the explorer writes them; what is said five seconds after the last. */
function explainedAfter(rule: string, ...polls: readonly Rows[]): string[] {
  const watch = watchOf(rule);
  let memory = blankMemory(watch);
  let snapshot: Snapshot | null = null;
  for (const [i, rows] of polls.entries()) {
    const decision = step(watch, memory, saw(watch, memory.state, rows, NOON + i * MINUTE));
    memory = { ...decision.memory, version: i + 1 };
    if (decision.snapshot !== null) snapshot = decodeSnapshot(watch.kind.fields, encodeSnapshot(decision.snapshot));
  }
  const now = NOON + (polls.length - 1) * MINUTE + 5000;
  const explained = explainWatch(watch, watch.alerts, {
    memory,
    snapshot,
    health: {},
    deliveries: new Map(),
    recipientsOf: () => [],
    pause: null,
    from: null,
    operators: { policy: { silences: [], acks: [] }, open: [] },
    now,
  });
  return explainLines(explained).map((line) => line.trim());
}

function watchOf(rule: string): Watch {
  const [watch] = loadWatches(`watches:\n  - ${rule}\n`);
  if (watch === undefined) throw new Error('no watch');
  return watch;
}

function saw({ kind, target }: Watch, state: unknown, rows: Rows, at: number): Observation {
  const imagined = rows.map((row, i) => {
    const view = kind.script.record.read(row, { coin: 18 });
    if (view === undefined) throw new Error('no row');
    return { view, says: new Set(Object.keys(row)), id: null, place: `${at}/${i}` };
  });
  const seen = kind.script.synthesize(target, { rows: imagined }, state);
  return { type: 'seen', at, paceMs: 0, head: null, chain: 'not-asked', seen, partial: null };
}

const hash = (n: number) => `0x${String(n).padStart(64, '0')}`;
const tx = (n: number, wei: string | null, minutes = 0) => ({
  hash: hash(n),
  block_number: n,
  value: wei,
  timestamp: new Date(NOON + minutes * MINUTE).toISOString(),
});
const EVENTS = '{ id: txs, kind: transactions, of: vault, every: 1m, alerts: [{ id: big, on: new, if: value > 5 ';

test('of an event it is the newest item that is shown, and how far it was from matching', () => {
  const lines = explainedAfter(`${EVENTS}}] }`, [tx(1, '0')], [tx(2, '4500000000000000000', 1), tx(1, '0')]);
  expect(lines).toContainEqual(expect.stringMatching(/^of the newest item that was read: .*0x0{63}2/));
  expect(lines).toEqual(
    expect.arrayContaining([
      'on: new',
      'if     false    value > 5',
      'value = 4.5',
      'state: 0 sent and followed, 0 waiting',
      'to match: value would have to rise by more than 0.5, above 5',
    ]),
  );
});

test('items that wait for blocks, and items that cannot be decided yet, are counted', () => {
  const rows = [tx(3, null, 1), tx(2, '6000000000000000000', 1), tx(1, '0')];
  const lines = explainedAfter(`${EVENTS}, confirmations: 12 }] }`, [tx(1, '0')], rows);
  expect(lines).toContain(
    'state: 0 sent and followed, 1 waiting, 1 open: `if` is unknown, and is asked again whenever the item is read',
  );
  expect(lines).toContain('held back: it matches, and waits for its confirmations');
});

test('a count says how far it has come', () => {
  const rows = [tx(3, '6000000000000000000', 1), tx(2, '6000000000000000000', 1), tx(1, '0')];
  const lines = explainedAfter(`${EVENTS}, at_least: { count: 3, within: 10m } }] }`, [tx(1, '0')], rows);
  expect(lines).toEqual(
    expect.arrayContaining([
      'at least 3 new within 10m',
      'state: 2 of 3 within 10m, inactive',
      'if     true     value > 5',
    ]),
  );
});

const HEAD =
  '{ id: head, kind: blocks, every: 15s, alerts: [{ id: stalled, while: age > duration("2m") && head.height > 5 }] }';
const block = (n: number, seconds: number) => ({
  height: n,
  hash: hash(n),
  timestamp: new Date(NOON - seconds * 1000).toISOString(),
});

test('a time has its distance too, and the parts that hold are not asked for', () => {
  const lines = explainedAfter(HEAD, [block(9, 30)]);
  expect(lines.filter((line) => line.startsWith('to fire'))).toEqual([
    'to fire: age would have to rise by more than 1m30s, above 2m',
  ]);
  expect(lines).toEqual(expect.arrayContaining(['false    age > duration("2m")', 'age = 30s', 'head.height = 9']));
});

test('a stranger who writes to the terminal is only quoted', () => {
  const rule = "{ id: t, kind: transactions, of: vault, every: 1m, alerts: [{ id: m, on: new, if: method == 'x' }] }";
  const lines = explainedAfter(rule, [{ ...tx(1, '0'), method: '\u001b[2J evil.example\u202e' }]);
  const said = lines.join('\n');
  expect(said).toContain('method = "');
  for (const bad of ['\u001b', '\u202e', 'evil.example']) expect(said).not.toContain(bad);
});

test('an argument that the function does not have is none, and not unknown', () => {
  const alerts = '[{ id: foreign, on: new, if: status == "ok" && args.newOwner != vault }]';
  const rule = `{ id: txs, kind: transactions, of: vault, every: 1m, calls: [pause, transferOwnership], alerts: ${alerts} }`;
  const called = { ...tx(1, '0'), status: 'ok', raw_input: '0x8456cb59', to: { hash: `0x${'1'.repeat(40)}` } };
  const lines = explainedAfter(rule, [], [called]);
  expect(lines).toEqual(
    expect.arrayContaining(['false    args.newOwner != vault', 'args.newOwner = none', 'selector = 0x8456cb59']),
  );
});
