// The web server without a daemon behind it.
import type { Interventions } from '../../../src/web/api/operation.ts';
import { createQueries, type Queries } from '../../../src/query/queries.ts';
import { serveWeb, type Web, type WebOptions } from '../../../src/web/server.ts';

/** What an answer may load and run: files of ours, and nothing that stands in a page. */
export const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Whatever is asked for, it fails. */
export function failingInterventions(error: Error): Interventions {
  const fail = (): Promise<never> => Promise.reject(error);
  return {
    pause: fail,
    endPause: fail,
    silence: fail,
    extendSilence: fail,
    endSilence: fail,
    ack: fail,
    endAck: fail,
    retryDelivery: fail,
    dismissDelivery: fail,
    retryChannel: fail,
    sampleChannel: fail,
  };
}

/** These, and others that fail. */
export function someQueries(some: Partial<Queries>): Queries {
  const failing = createQueries(unseen, unseen);
  return { ...failing, ...some };
}

function unseen(): Promise<never> {
  return Promise.reject(new Error('nothing can be looked at here'));
}

/** On a free port of the loopback, ready and alive. */
export function serveTestWeb(options: Partial<WebOptions>): Promise<Web> {
  return serveWeb(testWebOptions(options));
}

export function testWebOptions(options: Partial<WebOptions>): WebOptions {
  const interventions = failingInterventions(new Error('nothing can be changed here'));
  return {
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    metricsText: () => Promise.resolve(Buffer.from('')),
    isAlive: () => true,
    readiness: () => ({ isReady: true, lines: [] }),
    links: { isOn: () => false, secrets: () => Promise.resolve([]), now: () => 0, timeZone: 'UTC' },
    pages: null,
    api: { interventions, operators: [], localToken: null, proxy: null, isOpen: false, monotonic: () => 0 },
    version: '0.1.0',
    queries: someQueries({}),
    ...options,
  };
}

/** A body that the call of the API takes. */
export function bodyFor(path: string): object {
  const until = '2026-01-01T12:00:00Z';
  const matchers = { watch: 'coins' };
  if (path.endsWith('/pauses')) return { until, comment: 'the vault is moved' };
  if (path.endsWith('/preview')) return { matchers };
  if (path.endsWith('/silences')) return { matchers, until, comment: 'why' };
  if (path.endsWith('/extend')) return { until };
  return path.endsWith('/acks') ? { seq: 3 } : {};
}
