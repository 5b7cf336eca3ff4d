// The tables of the state, in an order for code that goes through all of them.

export interface StateTable {
  readonly name: string;
  /** The columns of its primary key. */
  readonly keys: readonly string[];
}

/**
 * Each table comes after the tables that it refers to. `facts` is left out, since most facts are about the process that
 * wrote them.
 */
export const TABLES: readonly StateTable[] = [
  { name: 'memory', keys: ['watch'] },
  { name: 'covered', keys: ['watch'] },
  { name: 'coverage', keys: ['watch'] },
  { name: 'channels', keys: ['name'] },
  { name: 'plans', keys: ['plan'] },
  { name: 'chain_blocks', keys: ['explorer', 'height', 'hash'] },
  { name: 'samples', keys: ['number'] },
  { name: 'sample_buckets', keys: ['number'] },
  { name: 'unknown_spans', keys: ['number'] },
  { name: 'notifications', keys: ['number'] },
  { name: 'alerts', keys: ['key'] },
  { name: 'recipient_state', keys: ['key', 'channel', 'recipient'] },
  { name: 'dispatch_group', keys: ['id'] },
  { name: 'deliveries', keys: ['number'] },
  { name: 'group_member', keys: ['delivery', 'key', 'seq'] },
  { name: 'delivery_order', keys: ['delivery', 'earlier'] },
  { name: 'mirrored', keys: ['channel', 'key'] },
  { name: 'silences', keys: ['id'] },
  { name: 'acks', keys: ['key', 'episode'] },
  { name: 'operator_requests', keys: ['key'] },
  { name: 'journal', keys: ['number'] },
  { name: 'checkpoints', keys: ['position'] },
];

/** True if the database numbers the rows of the table, after the highest existing number. */
export function isNumbered({ keys }: StateTable): boolean {
  return keys[0] === 'number';
}
