// The web server without a daemon behind it.
import type { Interventions } from '../../src/web/api/operation.ts';
import { serveWeb, type Web, type WebOptions } from '../../src/web/server.ts';

const refuse = (): Promise<never> => Promise.reject(new Error('nothing can be changed here'));
const NOTHING_TO_CHANGE: Interventions = { pause: refuse, endPause: refuse };

/** On a free port of the loopback, ready and alive. */
export function serveTestWeb(options: Partial<WebOptions>): Promise<Web> {
  return serveWeb({
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    metricsText: () => Promise.resolve(''),
    isAlive: () => true,
    readiness: () => ({ isReady: true, lines: [] }),
    api: { interventions: NOTHING_TO_CHANGE, operators: [], localToken: null, proxy: null, monotonic: () => 0 },
    ...options,
  });
}
