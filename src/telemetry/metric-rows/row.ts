export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
  /** A state set: one series for each of these values of the label `state`, 1 or 0. */
  readonly states?: readonly string[];
}
