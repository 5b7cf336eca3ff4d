import type { DatabaseSync } from 'node:sqlite';
import type { KnownBlock } from '../../core/chain/chain-record.ts';
import type { KeptHeights } from '../memories.ts';

/** The statements on `chain_blocks`. None of them opens a transaction. */
interface ChainTable {
  blocks(explorer: string): KnownBlock[];
  keep(explorer: string, blocks: readonly KnownBlock[], kept: KeptHeights): void;
}

export function createChainTable(db: DatabaseSync): ChainTable {
  const select = db.prepare('SELECT height, hash, first_seen, last_seen FROM chain_blocks WHERE explorer = ?');
  const write = db.prepare(`
    INSERT INTO chain_blocks (explorer, height, hash, first_seen, last_seen) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (explorer, height, hash) DO UPDATE SET
      first_seen = excluded.first_seen, last_seen = excluded.last_seen`);
  const drop = db.prepare('DELETE FROM chain_blocks WHERE explorer = ? AND height < ? AND height IS NOT ?');
  return {
    blocks: (explorer) =>
      select.all(explorer).map((row) => ({
        height: Number(row['height']),
        hash: String(row['hash']),
        firstSeen: Number(row['first_seen']),
        lastSeen: Number(row['last_seen']),
      })),
    keep(explorer, blocks, { from, anchor }) {
      for (const { height, hash, firstSeen, lastSeen } of blocks)
        write.run(explorer, height, hash, firstSeen, lastSeen);
      drop.run(explorer, from, anchor);
    },
  };
}
