// A state file of the former release goes on as if nothing had happened: what it told is taken back under the same key,
// and nothing is told again.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import type { Message } from '../../src/core/model/delivery.ts';
import type { View } from '../../src/core/values/fields.ts';
import type { Alert, Memory } from '../../src/core/model/memory.ts';
import type { Observation } from '../../src/core/model/observation.ts';
import type { Watch } from '../../src/core/model/watch/watch.ts';
import { upToHead } from '../../src/core/chain/tick-chain.ts';
import { step } from '../../src/core/step.ts';
import { readMemory } from '../../src/engine/polling/observe.ts';
import { Transaction } from '../../src/explorer/reading/resources/transaction.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { openSqliteReader } from '../../src/store/sqlite/reader.ts';
import { createFolder } from '../support/daemon.ts';
import { wordsOf } from '../support/engine/run-polls.ts';
import { stored } from '../support/engine/watch.ts';
import { loadWatches } from '../support/world.ts';

const folder = createFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

/** As the rules were when the file was made. */
const RULES = `
watches:
  - id: txs
    kind: transactions
    of: vault
    every: 1m
    alerts:
      - { id: large, on: new, if: value > 100, title: 'Large transfer of {{ value }}' }
      - { id: sure, on: new, if: value > 100, confirmations: 12 }
      - { id: failed, on: new, if: status == "error" }
  - { id: calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: failed, on: new, if: success == false, text: '{{ from.hash }} {{ error }}' }] }
  - { id: head, kind: blocks, every: 1m, alerts: [{ id: reorg, on: reorg }, { id: block, on: new, if: transactions_count > 1 }] }
  - { id: tokens, kind: holdings, of: treasury, every: 1m, alerts: [{ id: arrived, on: added }, { id: gone, on: removed }] }
  - { id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }, { id: fell, while: 'delta("3m") < 0' }] }
  - { id: usdc, kind: balance, token: USDC, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }
  - { id: acme, kind: token, token: ACME, every: 1m, alerts: [{ id: scam, while: reputation == "scam" }] }
`;

const file = join(folder.path, 'state.db');
{
  using db = new DatabaseSync(file);
  db.exec(readFileSync(join(import.meta.dirname, 'schemas', '3-watches.sql'), 'utf8'));
}

interface Left {
  readonly watch: Watch;
  readonly memory: Memory;
}

async function left(): Promise<readonly Left[]> {
  await using store = await openSqliteStore({ file });
  const memories = await store.recall();
  return loadWatches(RULES).map((watch) => {
    const found = memories.get(watch.id);
    const memory = found === undefined ? null : readMemory(watch, found);
    if (memory === null) throw new Error(`${watch.name}: its memory is lost`);
    return { watch, memory };
  });
}

/** What was told before, by key. */
async function told(): Promise<Map<string, Message>> {
  await using reader = await openSqliteReader({ file });
  const all = await reader.deliveries({ state: null, channel: null, before: null, limit: 1000 });
  return new Map(all.reverse().map(({ members: [{ message }] }) => [message.key, message]));
}

async function leftBy(rule: string): Promise<Left> {
  const found = (await left()).find(({ watch }) => watch.rule === rule);
  if (found === undefined) throw new Error(`no watch ${rule}`);
  return found;
}

/** Polls of a list of transactions, a minute apart, after the last one of the former release. */
function listing(
  rows: readonly View<typeof Transaction.fields>[],
  { coveredUntil }: Memory,
  minutes: number,
): Observation {
  const seen = { rows, stopped: null, reachedEnd: true, older: null };
  const at = (coveredUntil ?? 0) + minutes * 60_000;
  return { type: 'seen', at, head: null, chain: upToHead(200 + minutes), seen, partial: null };
}

test('every watch goes on from its memory', async () => {
  const states = (await left()).map(({ watch, memory }) => {
    const { transitions, memory: after } = step(watch, memory, missedAfter(memory));
    expect(transitions).toEqual([]);
    expect(after.alerts).toEqual(memory.alerts);
    return Object.values(memory.alerts).flatMap((byKey) => Object.values(byKey).map(stateOf));
  });
  expect(states.flat().toSorted()).toEqual([
    'confirmed',
    'confirmed',
    'confirmed',
    'confirmed',
    'dropped',
    'firing',
    'firing',
    'firing',
    'firing',
    'observed',
    'observed',
    'observed',
    'open',
    'retracted',
    'suspect',
  ]);
});

test('what was told and is gone is retracted under the key and the title under which it was told', async () => {
  const { watch, memory: from } = await leftBy('txs');
  let memory = from;
  const said: Message[] = [];
  for (let minute = 1; minute <= 6; minute += 1) {
    const decision = step(watch, memory, listing([], from, minute));
    memory = stored(decision.memory);
    said.push(...decision.transitions.map(({ message }) => message));
  }
  const before = await told();
  expect(said.map(wordsOf)).toEqual(Array(said.length).fill('large retracted'));
  expect(said.map(({ title }) => title).toSorted()).toEqual(['Large transfer of 101', 'Large transfer of 104']);
  for (const { key, seq, title, fields, links, since } of said)
    expect({ ...before.get(key), seq }).toMatchObject({ seq: 2, title, fields, links, since });
});

test('what was told and is read again is no correction', async () => {
  const { watch, memory } = await leftBy('txs');
  const rows = [...(await told()).values()].filter(({ kind }) => kind === 'transactions').map(rowOf);
  expect(rows).toHaveLength(4);
  const { transitions } = step(watch, memory, listing(rows, memory, 1));
  expect(transitions).toEqual([]);
});

/** The row that the message was told of. */
function rowOf({ fields }: Message): View<typeof Transaction.fields> {
  const text = (path: string): string => textAt(fields, path.split('.'));
  const row = Transaction.read(
    {
      hash: text('hash'),
      ...(fields['block_number'] === undefined
        ? {}
        : { block_number: Number(fields['block_number']), status: text('status') }),
      value: `${text('value')}${'0'.repeat(18)}`,
      from: { hash: text('from.hash') },
      to: { hash: text('to.hash') },
    },
    { coin: 18 },
  );
  if (row === undefined) throw new Error('not a transaction');
  return row;
}

function textAt(facts: Message['fields'], [name = '', ...rest]: readonly string[]): string {
  const fact = facts[name];
  if (typeof fact !== 'object') throw new Error(`no ${name}`);
  if ('record' in fact) return textAt(fact.record, rest);
  return 'text' in fact ? fact.text : '';
}

function missedAfter({ coveredUntil }: Memory): Observation {
  return { type: 'missed', at: (coveredUntil ?? 0) + 60_000, reason: 'timeout', detail: 'no answer' };
}

function stateOf(alert: Alert): string {
  return 'state' in alert ? alert.state : alert.type;
}
