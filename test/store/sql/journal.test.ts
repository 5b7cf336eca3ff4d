import { expect, test } from '@jest/globals';
import { showAnchor } from '../../../src/core/journal/chain.ts';
import type { JournalEntry } from '../../../src/core/journal/entry.ts';
import type { SqlDatabase } from '../../../src/store/sql/database.ts';
import {
  append,
  chain,
  countJournal,
  hasUnchained,
  journalHead,
  pruneJournal,
} from '../../../src/store/tables/journal/journal.ts';
import { onEachEngine } from './engines.ts';

const line = (at: number): JournalEntry => ({
  at,
  kind: 'observed',
  subject: 'daemon',
  actor: 'daemon',
  data: { at },
});

const anchorIn = async ({ sql }: SqlDatabase): Promise<string> => {
  const head = await journalHead(sql);
  return head === null ? 'none' : showAnchor(head);
};

onEachEngine((open) => {
  test('lines are chained in the order in which they were appended', async () => {
    await using opened = await open();
    const { database } = opened;
    const { sql } = database;
    expect([await hasUnchained(sql), await anchorIn(database)]).toEqual([false, 'none']);
    await database.write('record', (on) => append(on, [line(1), line(2), line(3)]));
    await database.write('chain-journal', (on) => chain(on, 2));
    expect([await hasUnchained(sql), (await journalHead(sql))?.position]).toEqual([true, 2]);
    await database.write('chain-journal', (on) => chain(on, 2));
    expect(await hasUnchained(sql)).toBe(false);
    expect(await sql.all('SELECT at, position FROM journal ORDER BY position')).toEqual([
      { at: 1, position: 1 },
      { at: 2, position: 2 },
      { at: 3, position: 3 },
    ]);
    // Of the same lines, whichever engine keeps them.
    expect(await anchorIn(database)).toBe(CHAINED);
  });

  test('what is older is dropped behind a checkpoint, and the chain goes on', async () => {
    await using opened = await open();
    const { database } = opened;
    await database.write('record', (on) => append(on, [line(1), line(2), line(3), line(4)]));
    await database.write('chain-journal', (on) => chain(on, 9));
    await database.write('prune', (on) => pruneJournal(on, 9, { before: 3, limit: 9 }));
    expect(await database.sql.all('SELECT at FROM journal ORDER BY number')).toEqual([{ at: 3 }, { at: 4 }, { at: 9 }]);
    await database.write('chain-journal', (on) => chain(on, 9));
    expect((await journalHead(database.sql))?.position).toBe(5);
    expect(await countJournal(database.sql, 3)).toEqual({ line: 5, lines: { checkpoint: 1, observed: 1 } });
  });

  test('lines that are too many are dropped, up to the limit of one call', async () => {
    await using opened = await open();
    const { database } = opened;
    await database.write('record', (on) => append(on, [line(1), line(2), line(3), line(4)]));
    await database.write('chain-journal', (on) => chain(on, 9));
    await database.write('prune', (on) => pruneJournal(on, 9, { before: 0, limit: 2, mostLines: 1 }));
    expect(await countJournal(database.sql, 0)).toEqual({ line: 4, lines: { observed: 2 } });
    expect(await countJournal(database.sql, null)).toEqual({ line: 4, lines: {} });
  });
});

const CHAINED = '3:b3fdccbd1f48e9b459ecd35059eb8052e4e6c854451d13e143b8179f811d309f';
