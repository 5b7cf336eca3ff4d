// Metrics of the web server.
import type { MetricRow } from './row.ts';

export const HTTP_METRICS = {
  chainwarden_http_requests_total: {
    type: 'counter',
    help: 'Requests that the web server answered, by the pattern of their path and by status.',
    labels: ['route', 'status'],
  },
  chainwarden_http_render_seconds: {
    type: 'histogram',
    help: 'Time to build a page or an answer of the API; answers that say that nothing has changed are left out.',
    labels: ['route'],
    // A page takes 50 ms at most, from the cache 2 ms; a quarter of a second keeps polls waiting.
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1],
  },
  chainwarden_http_streams: {
    type: 'gauge',
    help: 'Open pages that receive changes as they happen, 24 at most; absent where there are no pages.',
    labels: [],
  },
  chainwarden_http_rejected_total: {
    type: 'counter',
    help: 'Connections and requests that the web server refused: too many sockets, a foreign host name, or a wrong token.',
    labels: ['reason'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
