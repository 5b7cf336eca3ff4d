// The web server without a daemon behind it.
import type { z } from 'zod';
import type { PerformAction } from '../../../src/operators/action.ts';
import { ACTIONS } from '../../../src/operators/actions.ts';
import { PreviewBody } from '../../../src/operators/shapes.ts';
import { createQueries, type Queries } from '../../../src/query/queries.ts';
import type { IdentityOptions } from '../../../src/web/guard/identity.ts';
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

/** Every action fails. */
export function failingActions(error: Error): PerformAction {
  return () => Promise.reject(error);
}

/** These, and others that fail. */
export function someQueries(some: Partial<Queries>): Queries {
  const failing = createQueries(unseen, unseen);
  return { ...failing, ...some };
}

function unseen(): Promise<never> {
  return Promise.reject(new Error('nothing can be looked at here'));
}

export const NO_CALLERS: IdentityOptions = { operators: [], localToken: null, proxy: null, isOpen: false };

/** On a free port of the loopback, ready and alive. */
export function serveTestWeb(options: Partial<WebOptions>): Promise<Web> {
  return serveWeb(testWebOptions(options));
}

export function testWebOptions(options: Partial<WebOptions>): WebOptions {
  const perform = failingActions(new Error('nothing can be changed here'));
  return {
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    metricsText: () => Promise.resolve(Buffer.from('')),
    isAlive: () => true,
    readiness: () => ({ isReady: true, lines: [] }),
    links: { isOn: () => false, secrets: () => Promise.resolve([]), now: () => 0, timeZone: 'UTC' },
    pages: null,
    api: { perform, callers: () => NO_CALLERS, monotonic: () => 0 },
    version: '0.1.0',
    queries: someQueries({}),
    ...options,
  };
}

const BODY: Readonly<Record<string, unknown>> = {
  until: '2026-01-01T12:00:00Z',
  matchers: { watch: 'coins' },
  comment: 'the vault is moved',
  seq: 3,
  watch: 'coins',
  alert: 'low',
  up_to: '2026-01-01T12:00:00Z',
};

/** A body that the call of the API takes, with a value for each key that has one here. */
export function bodyFor(path: string): object {
  const action = ACTIONS.find((one) => patternOf(one.path).test(path));
  return pickKeys(BODY, action?.body ?? PreviewBody);
}

/** Keeps the members that the shape has. */
export function pickKeys(all: Readonly<Record<string, unknown>>, shape: z.ZodType): object {
  const issues = shape.safeParse(all).error?.issues ?? [];
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  return Object.fromEntries(Object.entries(all).filter(([key]) => !unknown.includes(key)));
}

function patternOf(path: string): RegExp {
  return new RegExp(`${path.replaceAll(/:\w+/g, '[^/]+')}$`);
}
