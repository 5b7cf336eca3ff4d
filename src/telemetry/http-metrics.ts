import type { MetricRegistry } from './metric-registry.ts';

interface Answered {
  /** The pattern of the path, such as `/api/v1/watches/:name`. Paths contain names and tokens, and are not exported. */
  readonly route: string;
  readonly status: number;
  /** The time to build the answer; null if none was built, or if the request also changed something. */
  readonly renderSeconds: number | null;
}

export interface HttpMetrics {
  httpAnswered(answered: Answered): void;
  /** Called with the number of open pages that are kept current. */
  httpStreams(open: number): void;
  httpRejected(reason: 'sockets' | 'host' | 'token'): void;
}

export function createHttpMetrics(registry: MetricRegistry): HttpMetrics {
  const requests = registry.counter('chainwarden_http_requests_total');
  const render = registry.histogram('chainwarden_http_render_seconds');
  const streams = registry.gauge('chainwarden_http_streams');
  const rejected = registry.counter('chainwarden_http_rejected_total');
  return {
    httpAnswered({ route, status, renderSeconds }) {
      requests.inc({ route, status: String(status) });
      if (renderSeconds !== null) render.observe({ route }, renderSeconds);
    },
    httpStreams(open) {
      streams.set(open);
    },
    httpRejected(reason) {
      rejected.inc({ reason });
    },
  };
}
