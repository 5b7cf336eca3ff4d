// `at_least: { in_a_row: 3 }`: what fires and ends it, on the daemon's own `poll` and `step`.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mostInRow, rowAfter, settled, streakOf } from '../../../src/core/alerts/in-a-row.ts';
import type { DetectedEvent } from '../../../src/core/model/detection.ts';
import type { RowItem } from '../../../src/core/model/memory.ts';
import { blocks } from '../../../src/watches/blocks.ts';
import { run, testOf } from '../../rule-tests/support/trials.ts';

const FULL = 'on: new, if: gas_used_percentage > 95, at_least: { in_a_row: 3 }';
const HEAD = 'kind: blocks, every: 1m, notify: [screen]';
const CALLS = 'kind: internal-transactions, of: vault, direction: to, every: 1m, notify: [screen]';
const FAILED = 'on: new, if: success == false, at_least: { in_a_row: 3 }';

const CONFIG = `
explorers: { ethereum: { form: instance, instance_url: 'https://api.example' } }
addresses: { vault: '0xca55518dF8A55440f3834CE64D573ABa5E458550' }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;

interface Story {
  readonly watch?: string;
  readonly alert?: string;
  readonly saw: readonly string[];
}

/** `2m firing: 3 blocks in a row …` */
async function toldOf({ watch = HEAD, alert = FULL, saw }: Story): Promise<readonly string[]> {
  const rules = `watches: [{ id: w, ${watch}, alerts: [{ id: full, ${alert} }] }]\n`;
  const text = testOf(saw).replace('rules.yaml', 'rules.yaml\nconfig: config.yaml');
  const { runs } = await run(text, { 'rules.yaml': rules, 'config.yaml': CONFIG });
  expect(runs.map(({ broken }) => broken)).toEqual([null]);
  return runs.flatMap(({ sent }) =>
    sent.map(({ message: { type, title, at } }) => {
      const minute = (at - Date.parse('2026-01-01T00:00:00Z')) / 60_000;
      return `${minute}m ${type.replace('alert.', '')}: ${title}`;
    }),
  );
}

/** Blocks of a poll by height: full, half empty, or without the field. */
function poll(minute: number, heights: Readonly<Record<string, 'full' | 'half' | 'unknown'>>): string {
  const items = Object.entries(heights)
    .toReversed()
    .map(([name, how]) => {
      const [height = '', id] = name.split(' ');
      const gas = { full: ', gas_used_percentage: 99', half: ', gas_used_percentage: 50', unknown: '' }[how];
      return `{ height: ${height}${id === undefined ? '' : `, id: ${id}`}${gas} }`;
    });
  return `{ at: ${minute}m, items: [${items.join(', ')}] }`;
}

const BASELINE = poll(0, { 100: 'full' });
const FIRING = 'firing: 3 blocks in a row with gas used percentage above 95';
const OVER = 'resolved: no longer 3 blocks in a row with gas used percentage above 95';

test('it fires at the third that matches, the baseline left out, and ends at the first that does not', async () => {
  const saw = [
    BASELINE,
    poll(1, { 101: 'full', 102: 'full' }),
    poll(2, { 103: 'full' }),
    poll(3, { 104: 'full' }),
    poll(4, { 105: 'half' }),
  ];
  expect(await toldOf({ saw })).toEqual([`2m ${FIRING}`, `4m ${OVER}`]);
});

test('one that does not match between them begins a new row', async () => {
  const saw = [BASELINE, poll(1, { 101: 'full', 102: 'full', 103: 'half', 104: 'full', 105: 'full' })];
  expect(await toldOf({ saw })).toEqual([]);
});

test('a row that lies between two polls is told, and is over at the next poll', async () => {
  const between = { 101: 'full', 102: 'full', 103: 'full', 104: 'half' } as const;
  const saw = [BASELINE, poll(1, between), poll(2, { 105: 'half' })];
  expect(await toldOf({ saw })).toEqual([`1m ${FIRING}`, `2m ${OVER}`]);
});

test('a poll that fails neither counts nor breaks, and a height that is not read does neither', async () => {
  const saw = [
    BASELINE,
    poll(1, { 101: 'full', 102: 'full' }),
    '{ at: 2m, missed: timeout }',
    poll(3, { 105: 'full' }),
    '{ at: 4m, missed: error }',
    poll(5, { 106: 'full' }),
  ];
  expect(await toldOf({ saw })).toEqual([`3m ${FIRING}`]);
});

test('a row that is shown late, as a whole, is told and is over at the next poll', async () => {
  const late = [109, 108, 107, 106, 105].map((height, i) => {
    const gas = i === 0 ? 50 : 99;
    return `{ height: ${height}, gas_used_percentage: ${gas}, timestamp: -${5 + i}m }`;
  });
  const saw = [
    BASELINE,
    '{ at: 10m, items: [] }',
    `{ at: 11m, items: [${late.join(', ')}] }`,
    '{ at: 12m, items: [{ height: 110, gas_used_percentage: 50 }] }',
  ];
  expect(await toldOf({ saw })).toEqual(['11m ' + FIRING.replace('3 blocks', '4 blocks'), `12m ${OVER}`]);
});

test('a clock that is behind the chain neither hides a row nor its end', async () => {
  const ahead = (height: number, gas: number): string =>
    `{ height: ${height}, gas_used_percentage: ${gas}, timestamp: ${height - 90}m }`;
  const saw = [
    BASELINE,
    `{ at: 1m, items: [${[103, 102, 101].map((height) => ahead(height, 99)).join(', ')}] }`,
    `{ at: 2m, items: [${ahead(104, 50)}] }`,
    `{ at: 3m, items: [${ahead(105, 50)}] }`,
  ];
  expect(await toldOf({ saw })).toEqual([`1m ${FIRING}`, `2m ${OVER}`]);
});

test('an unknown item neither counts nor breaks; once it is known, it is judged at its height', async () => {
  const open = [
    BASELINE,
    poll(1, { 101: 'full', 102: 'unknown', 103: 'full' }),
    poll(2, { 102: 'unknown', 103: 'full', 104: 'full' }),
  ];
  expect(await toldOf({ saw: open })).toEqual([`2m ${FIRING}`]);
  const ended = [...open, poll(3, { 102: 'half', 103: 'full', 104: 'full' })];
  expect(await toldOf({ saw: ended })).toEqual([`2m ${FIRING}`, `3m ${OVER}`]);
});

test('a late item is judged at its height', async () => {
  const early = [BASELINE, poll(1, { 101: 'full', 103: 'full' })];
  expect(await toldOf({ saw: [...early, poll(2, { 102: 'full', 103: 'full' })] })).toEqual([`2m ${FIRING}`]);
  expect(await toldOf({ saw: [...early, poll(2, { 102: 'half', 103: 'full', 104: 'full' })] })).toEqual([]);
});

test('a block that replaces another is judged in its place, and so is the one that returns', async () => {
  const saw = [
    BASELINE,
    poll(1, { '101 a': 'full', '102 a2': 'full', '103 a3': 'full' }),
    poll(2, { '101 a': 'full', '102 b2': 'half', '103 b3': 'full' }),
    poll(3, { '101 a': 'full', '102 a2': 'full', '103 a3': 'full' }),
  ];
  expect(await toldOf({ saw })).toEqual([`1m ${FIRING}`, `2m ${OVER}`, `3m ${FIRING}`]);
});

test('a fork that is shorter than the blocks that it replaced takes those above it out of the row', async () => {
  const before = [BASELINE, poll(1, { '101 a': 'full', '102 a2': 'full', '103 a3': 'full', '104 a4': 'full' })];
  const ends = [...before, poll(2, { '101 a': 'full', '102 b2': 'half' })];
  expect(await toldOf({ saw: ends })).toEqual([`1m ${FIRING.replace('3', '4')}`, `2m ${OVER}`]);
  const half = [BASELINE, poll(1, { '101 a': 'half', '102 a2': 'half', '103 a3': 'half', '104 a4': 'half' })];
  const goesOn = [
    ...half,
    poll(2, { '101 b': 'full', '102 b2': 'full', '103 b3': 'full' }),
    poll(3, { '101 b': 'full', '102 b2': 'full', '103 b3': 'full' }),
  ];
  expect(await toldOf({ saw: goesOn })).toEqual([`2m ${FIRING}`]);
});

test('ten blocks that are replaced at once are judged in their places, however often', async () => {
  const heights = Array.from({ length: 10 }, (_, i) => 101 + i);
  const fork = (minute: number, name: string, how: 'full' | 'half'): string =>
    poll(minute, Object.fromEntries(heights.map((height) => [`${height} ${name}${height}`, how])));
  const saw = [BASELINE, fork(1, 'a', 'full'), fork(2, 'b', 'half'), fork(3, 'b', 'half'), fork(4, 'c', 'full')];
  const ten = FIRING.replace('3', '10');
  expect(await toldOf({ saw })).toEqual([`1m ${ten}`, `2m ${OVER}`, `4m ${ten}`]);
});

test('an uncle that is listed beside the block of its height does not take its place', async () => {
  const saw = [
    BASELINE,
    poll(1, { '101 a': 'full', '102 b': 'full' }),
    poll(2, { '101 a': 'full', '102 b': 'full', '102 uncle': 'half', '103 c': 'full' }),
  ];
  expect(await toldOf({ saw })).toEqual([`2m ${FIRING}`]);
});

test('calls of one block follow one another by their place in it', async () => {
  const call = (n: number, place: string, success: boolean): string =>
    `{ id: c${n}, transaction_hash: '0x${String(n).padStart(64, '0')}', block_number: 1000, ${place}, success: ${success} }`;
  const items = [
    call(1, 'transaction_index: 3, index: 1', false),
    call(2, 'transaction_index: 2, index: 12', false),
    call(3, 'transaction_index: 2, index: 2', true),
    call(4, 'transaction_index: 10, index: 0', false),
  ];
  const saw = ['{ at: 0m, items: [] }', `{ at: 1m, items: [${items.join(', ')}] }`];
  expect(await toldOf({ watch: CALLS, alert: FAILED, saw })).toEqual(['1m firing: 3 failed vault calls in a row']);
});

test('transactions of one block that is mined again in another order stay in the row, at their new places', async () => {
  const mined = (places: Readonly<Record<string, string>>): string =>
    Object.entries(places)
      .map(([id, place]) => {
        const [block = '', position = '', status = 'error'] = place.split(' ');
        return `{ id: ${id}, block_number: ${block}, position: ${position}, status: ${status} }`;
      })
      .join(', ');
  const sent = 'kind: transactions, of: vault, every: 1m, notify: [screen]';
  const failed = 'on: new, if: status == "error", at_least: { in_a_row: 3 }';
  const saw = [
    '{ at: 0m, items: [] }',
    `{ at: 1m, items: [${mined({ c: '1000 2', b: '1000 1', a: '1000 0' })}] }`,
    `{ at: 2m, items: [${mined({ b: '1000 2', a: '1000 1', c: '1000 0' })}] }`,
    `{ at: 3m, items: [${mined({ d: '1001 0 ok', b: '1000 2', a: '1000 1', c: '1000 0' })}] }`,
  ];
  expect(await toldOf({ watch: sent, alert: failed, saw })).toEqual([
    '1m firing: 3 failed vault transactions in a row',
    '3m resolved: no longer 3 failed vault transactions in a row',
  ]);
});

const ALL = Infinity;

const row = (items: readonly RowItem[]): string => items.map(({ isHit }) => (isHit === true ? '1' : '0')).join('');

function blockEvent(height: number): DetectedEvent {
  const view = blocks.fields.make({});
  const place = { block: height, happenedAt: height * 12_000, slot: null } as const;
  return { on: 'new', key: `block ${height}`, novelty: 'new', view, before: null, changed: [], ...place };
}

test('however late the items come, the row is the one of their heights', () => {
  const order = fc
    .array(fc.boolean(), { maxLength: 20 })
    .chain((hits) => fc.tuple(fc.constant(hits), fc.shuffledSubarray([...hits.keys()], { minLength: hits.length })));
  fc.assert(
    fc.property(order, fc.integer({ min: 1, max: 4 }), ([hits, heights], perPoll) => {
      let known: readonly RowItem[] = [];
      for (let i = 0; i < heights.length; i += perPoll) {
        const shown = heights
          .slice(i, i + perPoll)
          .map((height) => ({ event: blockEvent(height), isHit: hits[height] === true }));
        const events = shown.map(({ event }) => event);
        known = rowAfter(known, { kind: blocks, limit: 3, at: 0, events, matches: shown, isReplaced: () => false });
      }
      expect(row(known)).toBe(hits.map((isHit) => (isHit ? '1' : '0')).join(''));
      const last = hits.length - 1 - hits.lastIndexOf(false);
      expect(streakOf(settled(known, 3), 3, ALL).count).toBe(hits.includes(false) ? last : hits.length);
    }),
  );
});

test('a row keeps its limit and 200 more, and until its evaluation 1,000 others', () => {
  const rowOf = (count: number): readonly RowItem[] => {
    const matches = Array.from({ length: count }, (_, height) => ({ event: blockEvent(height), isHit: height < 3 }));
    return rowAfter([], { kind: blocks, limit: 3, at: 0, events: [], matches, isReplaced: () => false });
  };
  expect(rowOf(2000)).toHaveLength(mostInRow(3) + 1000);
  const known = rowOf(500);
  expect(streakOf(known, 3, ALL)).toMatchObject({ count: 3, isLast: false });
  expect(settled(known, 3)).toHaveLength(mostInRow(3));
  expect(settled(known, 3).at(-1)?.place).toEqual([499]);
});

test('a streak that was evaluated is no news when a late item lengthens it in the middle', () => {
  const rowWith = (row: readonly RowItem[], heights: readonly number[]): readonly RowItem[] => {
    const matches = heights.map((height) => ({ event: blockEvent(height), isHit: height !== 9 }));
    return rowAfter(row, { kind: blocks, limit: 3, at: 0, events: [], matches, isReplaced: () => false });
  };
  const told = settled(rowWith([], [1, 2, 4, 9]), 3);
  expect(streakOf(told, 3, ALL).count).toBe(0);
  expect(streakOf(rowWith(told, [3]), 3, ALL).count).toBe(0);
  expect(streakOf(rowWith(told, [5]), 3, ALL)).toMatchObject({ count: 4, isLast: false });
});

test('an uncle that is shown again changes nothing, so that nothing is written', () => {
  const uncle = { ...blockEvent(2), key: 'uncle' };
  const shown = [blockEvent(2), blockEvent(1)].map((event) => ({ event, isHit: true }));
  const events = [...shown.map(({ event }) => event), uncle];
  const reading = { kind: blocks, limit: 3, at: 0, events, isReplaced: () => false };
  const matches = [...shown, { event: uncle, isHit: false }];
  const before = rowAfter([], { ...reading, matches });
  expect(before.map(({ isHit }) => isHit)).toEqual([null, true, true]);
  expect(rowAfter(before, { ...reading, matches: matches.slice(2) })).toBe(before);
});

test('what a replaced block took away is left out, and counts again when it is back', () => {
  const shown = [1, 2, 3].map((height) => ({ event: blockEvent(height), isHit: true }));
  const reading = { kind: blocks, limit: 3, at: 0 };
  const before = rowAfter([], { ...reading, events: [], matches: shown, isReplaced: () => false });
  const after = rowAfter(before, { ...reading, events: [], matches: [], isReplaced: (height) => height === 2 });
  expect(streakOf(after, 3, ALL).count).toBe(2);
  const back = rowAfter(after, { ...reading, events: [], matches: shown.slice(1, 2), isReplaced: () => false });
  expect(streakOf(back, 3, ALL).count).toBe(3);
});
