import type { Gauge } from 'prom-client';
import type { MissReason } from '../core/model/observation.ts';
import type { PlanRest } from '../core/model/quality/plan-rest.ts';
import type { OperationName } from '../core/model/watch/question.ts';
import type { Instant } from '../lib/clock.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** The plan headers of an answer; null = missing, or sent as "unknown". */
interface HeaderFacts {
  readonly explorer: string;
  /** Negative if the plan is overdrawn. */
  readonly credits: number | null;
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly resetSeconds: number | null;
}

interface RequestFacts {
  readonly explorer: string;
  readonly operation: OperationName;
  readonly outcome: 'ok' | MissReason;
  readonly seconds: number;
}

export interface ExplorerMetrics {
  explorerHeaders(headers: HeaderFacts): void;
  request(request: RequestFacts): void;
  /**
   * `record` is the name of the record type, such as `Token`. Names of fields come from the explorer and are not
   * exported.
   */
  unknownFields(found: { readonly explorer: string; readonly record: string; readonly count: number }): void;
  head(head: { readonly explorer: string; readonly height: bigint; readonly timestamp: Instant }): void;
  /**
   * Sets the function that is called on each scrape; it replaces an earlier one. It returns the pauses of explorers.
   * Only pauses after a refusal are exported, with their reason.
   */
  mirrorRests(read: () => Iterable<readonly [explorer: string, rest: PlanRest]>): void;
  otherChain(found: { readonly explorer: string; readonly isOther: boolean }): void;
  forks(found: { readonly explorer: string; readonly areForked: boolean }): void;
  /** Removes the gauges of an explorer that this process no longer polls. Its counters stay. */
  forgetExplorer(explorer: string): void;
}

export function createExplorerMetrics(registry: MetricRegistry): ExplorerMetrics {
  const credits = createOptional(registry.gauge('chainwarden_explorer_credits_remaining'));
  const limit = createOptional(registry.gauge('chainwarden_explorer_ratelimit_limit'));
  const remaining = createOptional(registry.gauge('chainwarden_explorer_ratelimit_remaining'));
  const reset = createOptional(registry.gauge('chainwarden_explorer_ratelimit_reset_seconds'));
  const requests = registry.counter('chainwarden_explorer_requests_total');
  const duration = registry.histogram('chainwarden_explorer_request_duration_seconds');
  const unknown = registry.counter('chainwarden_explorer_unknown_fields_total');
  const height = registry.gauge('chainwarden_explorer_head_height');
  const timestamp = registry.gauge('chainwarden_explorer_head_timestamp_seconds');
  const others = registry.gauge('chainwarden_explorer_other_chain');
  const forks = registry.gauge('chainwarden_explorer_forks');
  let readRests: () => Iterable<readonly [explorer: string, rest: PlanRest]> = () => [];
  registry.mirror('chainwarden_explorer_refused_until_timestamp_seconds', () => refusalsOf(readRests()));

  return {
    explorerHeaders(headers) {
      const { explorer } = headers;
      credits.set(explorer, headers.credits);
      limit.set(explorer, notNegative(headers.limit));
      remaining.set(explorer, notNegative(headers.remaining));
      reset.set(explorer, notNegative(headers.resetSeconds));
    },
    request({ explorer, operation, outcome, seconds }) {
      requests.inc({ explorer, operation, outcome });
      // The duration is negative if the clock was set back.
      duration.observe({ explorer, operation }, Math.max(0, seconds));
    },
    unknownFields({ explorer, record, count }) {
      unknown.inc({ explorer, record }, count);
    },
    head(head) {
      height.set({ explorer: head.explorer }, Number(head.height));
      timestamp.set({ explorer: head.explorer }, head.timestamp / 1000);
    },
    mirrorRests(read) {
      readRests = read;
    },
    otherChain({ explorer, isOther }) {
      others.set({ explorer }, isOther ? 1 : 0);
    },
    forks({ explorer, areForked }) {
      forks.set({ explorer }, areForked ? 1 : 0);
    },
    forgetExplorer(explorer) {
      for (const said of [credits, limit, remaining, reset]) said.set(explorer, null);
      for (const seen of [height, timestamp, forks, others]) seen.remove({ explorer });
    },
  };
}

function* refusalsOf(rests: Iterable<readonly [explorer: string, rest: PlanRest]>): Generator<[Refused, number]> {
  for (const [explorer, { reason, doubt, nextAt }] of rests)
    if (reason !== 'rate-limited') yield [{ explorer, reason, doubted: doubt === null ? 'no' : 'yes' }, nextAt / 1000];
}

interface Refused {
  readonly explorer: string;
  readonly reason: string;
  readonly doubted: 'yes' | 'no';
}

/** A gauge of a header that not every explorer sends; null: the last answer did not have it. */
interface OptionalGauge {
  set(explorer: string, value: number | null): void;
}

/**
 * Only an existing series is removed. To remove a missing one takes prom-client as long as to set it, and most answers
 * lack the header.
 */
function createOptional(gauge: Gauge<'explorer'>): OptionalGauge {
  const shown = new Set<string>();
  return {
    set(explorer, value) {
      if (value !== null && Number.isFinite(value)) {
        gauge.set({ explorer }, value);
        shown.add(explorer);
      } else if (shown.delete(explorer)) gauge.remove({ explorer });
    },
  };
}

// The API sends -1 if its limiter does not have the number.
function notNegative(value: number | null): number | null {
  return value !== null && value >= 0 ? value : null;
}
