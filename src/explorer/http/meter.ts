import type { MissReason } from '../../core/model/observation.ts';
import type { OperationName } from '../../core/model/watch/question.ts';
import type { Instant } from '../../lib/clock.ts';

/** The counters of requests; `telemetry/explorer-metrics.ts` implements them. */
export interface ExplorerMeter {
  /** Called after every request that was sent, retries included. */
  request(facts: {
    readonly explorer: string;
    readonly operation: OperationName;
    readonly outcome: 'ok' | MissReason;
    /** The credits of the request, if the explorer counts credits. */
    readonly credits: number;
    readonly seconds: number;
  }): void;
  /** Called after every answer. Null = the answer has no such header, or its limiter sent -1 for "unknown". */
  explorerHeaders(headers: {
    readonly explorer: string;
    readonly credits: number | null;
    readonly limit: number | null;
    readonly remaining: number | null;
    readonly resetSeconds: number | null;
  }): void;
  /** Called with the number of fields that the tables do not have, for all rows of a page together. */
  unknownFields(found: { readonly explorer: string; readonly record: string; readonly count: number }): void;
  /** Called after each first page of blocks. */
  head(head: { readonly explorer: string; readonly height: bigint; readonly timestamp: Instant }): void;
}
