// Reports each answer for the metrics.
import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';

/** One request that was answered. */
export interface Answered {
  /** The pattern of the path, such as `/api/v1/watches/:name`; `*` if none fits. */
  readonly route: string;
  readonly status: number;
  /** The time for building a page or an answer of the API; null for other answers and for changes. */
  readonly renderSeconds: number | null;
}

export interface MeteringOptions {
  readonly monotonic: () => number;
  readonly onAnswered: (answered: Answered) => void;
}

export function metering({ monotonic, onAnswered }: MeteringOptions): MiddlewareHandler {
  return async (c, next) => {
    const beganAt = monotonic();
    await next();
    const { status, headers } = c.res;
    const isRendered = c.req.method === 'GET' && status === 200 && RENDERED.test(headers.get('content-type') ?? '');
    // Middleware matches by a star and may be registered after the route, so the last other pattern is the route.
    const route = matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? '*';
    onAnswered({ route, status, renderSeconds: isRendered ? (monotonic() - beganAt) / 1000 : null });
  };
}

const RENDERED = /^(?:text\/html|application\/json)\b/;
