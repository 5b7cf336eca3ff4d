import type { KnownBlock } from '../../core/chain/chain-record.ts';
import type { KeptHeights } from '../memories.ts';
import { columns, type Sql } from './sql.ts';

/** The blocks that each of these explorers is known to have shown. */
export async function chainBlocks(sql: Sql, explorers: readonly string[]): Promise<Map<string, KnownBlock[]>> {
  const rows = await sql.all(
    'SELECT explorer, height, hash, first_seen, last_seen FROM chain_blocks WHERE explorer = ANY($1::text[])',
    [explorers],
  );
  const blocks = new Map(explorers.map((explorer): [string, KnownBlock[]] => [explorer, []]));
  for (const row of rows)
    blocks.get(String(row['explorer']))?.push({
      height: Number(row['height']),
      hash: String(row['hash']),
      firstSeen: Number(row['first_seen']),
      lastSeen: Number(row['last_seen']),
    });
  return blocks;
}

export async function keepChainBlocks(
  sql: Sql,
  explorer: string,
  blocks: readonly KnownBlock[],
  { from, anchor }: KeptHeights,
): Promise<void> {
  await sql.run(
    `INSERT INTO chain_blocks (explorer, height, hash, first_seen, last_seen)
    SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
    ON CONFLICT (explorer, height, hash) DO UPDATE SET
      first_seen = excluded.first_seen, last_seen = excluded.last_seen`,
    [
      explorer,
      ...columns(blocks, [
        ({ height }) => height,
        ({ hash }) => hash,
        ({ firstSeen }) => firstSeen,
        ({ lastSeen }) => lastSeen,
      ]),
    ],
  );
  await sql.run('DELETE FROM chain_blocks WHERE explorer = $1 AND height < $2 AND height IS DISTINCT FROM $3::bigint', [
    explorer,
    from,
    anchor,
  ]);
}
