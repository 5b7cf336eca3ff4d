// The blocks that each explorer is known to have shown.
import type { KnownBlock } from '../../../core/chain/chain-record.ts';
import type { KeptHeights } from '../../contract/memories.ts';
import { ints, text } from '../../sql/rows.ts';
import { columns, upsert, type Sql } from '../../sql/sql.ts';

const OF_EXPLORER = 'SELECT height, hash, first_seen, last_seen FROM chain_blocks WHERE explorer = $1';

export async function chainBlocks(sql: Sql, explorers: readonly string[]): Promise<Map<string, KnownBlock[]>> {
  const blocks = new Map<string, KnownBlock[]>();
  for (const explorer of explorers) {
    const rows = await sql.all(OF_EXPLORER, [explorer]);
    const known = rows.map((row) => ({ hash: text(row, 'hash'), ...ints(row, 'height', 'first_seen', 'last_seen') }));
    blocks.set(explorer, known);
  }
  return blocks;
}

const KEEP = upsert('chain_blocks', ['explorer', 'height', 'hash'], {
  ...columns('text', 'explorer', 'hash'),
  ...columns('int', 'height', 'first_seen', 'last_seen'),
});

const DROP = `
  DELETE FROM chain_blocks WHERE explorer = $1 AND height < $2 AND height IS DISTINCT FROM $3::bigint`;

export async function keepChainBlocks(
  sql: Sql,
  explorer: string,
  blocks: readonly KnownBlock[],
  { from, anchor }: KeptHeights,
): Promise<void> {
  const rows = blocks.map((block) => ({ explorer, ...block }));
  await sql.each(KEEP, rows);
  await sql.run(DROP, [explorer, from, anchor]);
}
