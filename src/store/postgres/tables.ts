// The tables that hold the state, for who goes through all of them.

export interface Table {
  readonly name: string;
  /** Its rows are numbered by the database, from the highest number on that is there. */
  readonly isNumbered?: true;
}

/** Each after those that it refers to. */
export const TABLES: readonly Table[] = [
  { name: 'memory' },
  { name: 'coverage' },
  { name: 'channels' },
  { name: 'chain_blocks' },
  { name: 'samples' },
  { name: 'sample_buckets' },
  { name: 'unknown_spans' },
  { name: 'notifications', isNumbered: true },
  { name: 'alerts' },
  { name: 'recipient_state' },
  { name: 'dispatch_group' },
  { name: 'deliveries', isNumbered: true },
  { name: 'group_member' },
  { name: 'delivery_order' },
  { name: 'mirrored' },
  { name: 'silences' },
  { name: 'acks' },
  { name: 'operator_requests' },
  { name: 'journal', isNumbered: true },
  { name: 'checkpoints' },
];
