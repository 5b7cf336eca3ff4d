import { expect, test } from '@jest/globals';
import { countRows, findDamage, type OnUnreadable } from '../../../src/store/sql/check.ts';
import { TABLES } from '../../../src/store/sql/table-order.ts';
import { onEachEngine } from './engines.ts';

const never: OnUnreadable = (table, error) => {
  throw new Error(`${table} is unreadable`, { cause: error });
};

onEachEngine((open) => {
  test('counts the rows of every table, and names each row that cannot be read, with what to do', async () => {
    await using opened = await open();
    const { database } = opened;
    await database.write('commit', async (sql) => {
      for (let n = 0; n < 30; n += 1)
        await sql.run('INSERT INTO memory (watch, version, checksum, state, alerts) VALUES ($1, 1, $2, $2, $2)', [
          `w${n}`,
          '{',
        ]);
      await sql.run(`INSERT INTO acks VALUES ('k', 1, 'a', 1, 'none', 'me', NULL, 1, 2)`);
    });
    const names = TABLES.map(({ name }) => name);
    const { rows, findings } = await database.snapshot((sql) => countRows(sql, names, never));
    expect([rows.size, rows.get('memory'), rows.get('journal'), findings]).toEqual([TABLES.length, 30, 0, []]);
    const found = await database.snapshot((sql) => findDamage(sql, never));
    expect(found).toHaveLength(22);
    expect(found[0]?.what).toMatch(/^the stored memory of watch w0 is damaged/);
    expect(found[20]).toEqual({ what: '10 further rows of memory are damaged', advice: '' });
    expect(`${found[21]?.what} ${found[21]?.advice}`).toMatch(/alert k is damaged: .* Acknowledge the alert again\.$/);
  });
});
