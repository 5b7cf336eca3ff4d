// What `status` says of lists that were not read to their end.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadSetup } from '../../src/app/setup.ts';
import { readFileSync } from 'node:fs';
import { blankMemory, step } from '../../src/core/step.ts';
import { AddressRef } from '../../src/explorer/reading/resources/address.ts';
import { InternalTransaction } from '../../src/explorer/reading/resources/internal-transaction.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { ListReading } from '../../src/watches/lists/list-reading.ts';
import { prepareState } from '../support/prepared-state.ts';
import { commit } from '../support/store-calls.ts';

const RULES = `
watches: [{ id: calls, kind: internal-transactions, of: vault, notify: screen, every: 1m, alerts: [{ id: failed, on: new }] }]
`;

type Reading = ListReading<typeof InternalTransaction.fields>;

function reading(blocks: readonly number[], stopped: Reading['stopped'] = null): Reading {
  const rows = blocks.map((block) =>
    InternalTransaction.make({
      transaction_hash: `0x${block}`,
      index: 0n,
      block_number: BigInt(block),
      from: AddressRef.make({}),
    }),
  );
  return { rows, stopped, reachedEnd: stopped === null, older: null };
}

test('status names the blocks that were not read, why and since when, and when the list was last read as a whole', async () => {
  using prepared = prepareState(RULES);
  const { setup } = loadSetup(prepared.config, { env: {}, readFile: (path) => readFileSync(path, 'utf8') });
  const [watch] = setup?.watches ?? [];
  if (watch === undefined) throw new Error('the rules do not load');
  const at = prepared.clock.now();
  let memory = blankMemory(watch);
  const readings: [Reading, string | null][] = [
    [reading([10]), null],
    [reading([12, 11, 10]), null],
    [
      reading([99, 60], { why: '20 pages read', lowest: 60, resume: { block_number: '60' } }),
      'blocks 13-60 not examined: 20 pages read',
    ],
  ];
  await using store = await openSqliteStore({ file: join(prepared.folder.path, 'state.db') });
  for (const [i, [seen, partial]] of readings.entries()) {
    const decision = step(watch, memory, {
      type: 'seen',
      at: at + i * 60_000,
      head: null,
      chain: 'not-asked',
      seen,
      partial,
    });
    await commit(store, [decision], at);
    memory = { ...decision.memory, version: memory.version + 1 };
  }
  const { out } = await prepared.run('status', '-c', prepared.config);
  expect(out).toContain('  calls: blocks 13-60 not read yet since 2026-01-01T00:02:00Z: 20 pages read\n');
  expect(out).toContain('  calls: last read again as a whole 2026-01-01T00:00:00Z\n');
});
