// A database that runs each list from its end. No row of a list may change what another one changes, or read what another
// one writes: a store over this database keeps the same promise. A list keeps its order where the statement asks for an
// order, as one does whose rows are numbered.
import type { ListColumns } from '../../../src/store/sql/dialect.ts';
import type { SqlDatabase, SqlReads } from '../../../src/store/sql/database.ts';
import type { ListRow, ListStatement, Sql } from '../../../src/store/sql/sql.ts';
import { POSTGRES } from '../../../src/store/postgres/dialect.ts';

export function withReversedLists(database: SqlDatabase): SqlDatabase {
  return {
    ...database,
    ...readsOf(database),
    view: readsOf(database.view),
    write: (step, work, sync) => database.write(step, (sql) => work(reversing(sql)), sync),
  };
}

function readsOf({ sql, snapshot }: SqlReads): SqlReads {
  return { sql: reversing(sql), snapshot: (work) => snapshot((within) => work(reversing(within))) };
}

function reversing(sql: Sql): Sql {
  return {
    ...sql,
    each: (statement, rows) => sql.each(statement, ordered(statement, rows)),
    allOf: (statement, rows) => sql.allOf(statement, ordered(statement, rows)),
  };
}

function ordered<C extends ListColumns>(
  statement: ListStatement<C>,
  rows: readonly ListRow<C>[],
): readonly ListRow<C>[] {
  return statement.text(POSTGRES).includes('ORDER BY') ? rows : rows.toReversed();
}
