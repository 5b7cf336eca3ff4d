import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { parseRoute } from '../../src/sandbox/routes.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';

export type Json = Record<string, unknown>;

/** Ten million blocks after genesis at two seconds each, and a bit. */
export const LATE = Date.UTC(2026, 0, 1) + 10_000_007 * 2000;

export const FORMS = ['multichain', 'instance'] as const;
export type Form = (typeof FORMS)[number];

export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

export interface Running extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  readonly url: string;
  /** `path` behind `/api/v2/`; a path that begins with a slash is taken as it is. */
  readonly get: (path: string, options?: { form?: Form; headers?: Record<string, string> }) => Promise<Got>;
  readonly items: (path: string, options?: { form?: Form }) => Promise<Json[]>;
  /** Follows the cursor, to the end or for so many pages. */
  readonly pages: (path: string, most?: number) => Promise<Json[][]>;
  readonly close: () => Promise<void>;
}

interface RunOptions extends Partial<SandboxOptions> {
  readonly clock?: FakeClock;
}

export async function runSandbox({ clock = createFakeClock(LATE), ...options }: RunOptions = {}): Promise<Running> {
  const limits = { requestsPerSecond: 1_000_000 };
  const sandbox = createSandbox({ seed: 7, blockTimeMs: 2000, limits, clock, ...options });
  const served = await serveSandbox(sandbox);
  const get: Running['get'] = async (path, { form = 'instance', headers = {} } = {}) => {
    const base = form === 'instance' ? '/api/v2/' : `/${sandbox.chainId}/api/v2/`;
    const key = form === 'instance' ? {} : { authorization: `Bearer ${sandbox.apiKey}` };
    const target = path.startsWith('/') ? path : base + path;
    const response = await fetch(served.url + target, { headers: { ...key, ...headers }, redirect: 'manual' });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  };
  const items: Running['items'] = async (path, given = {}) =>
    itemsOf(await get(path, { ...given, headers: SHOW_SCAM }));
  return {
    sandbox,
    clock,
    url: served.url,
    get,
    items,
    async pages(path, most = Infinity) {
      const pages: Json[][] = [];
      let query: string | null = '';
      while (query !== null && pages.length < most) {
        const page: Got = await get(join(path, query), { headers: SHOW_SCAM });
        pages.push(itemsOf(page));
        query = cursorOf(page);
      }
      return pages;
    },
    close: () => served.close(),
    [Symbol.asyncDispose]: () => served.close(),
  };
}

export const SHOW_SCAM = { 'show-scam-tokens': 'true' };

/** The same question without a socket, for tests that ask hundreds of times. */
export function askDirectly({ sandbox }: Running, path: string): Json {
  const route = parseRoute(`/api/v2/${path}`);
  if (route === undefined) throw new Error(`no path of the API: ${path}`);
  return parse(sandbox.ask({ route, authorization: undefined, showScam: true }).text);
}

function itemsOf({ status, body }: Got): Json[] {
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
  return body['items'] as Json[];
}

/** As a query; integers beyond 2^53 stay exact. */
export function cursorOf({ body }: Got): string | null {
  const keys = (body['next_page_params'] ?? null) as Json | null;
  if (keys === null) return null;
  return new URLSearchParams(
    Object.entries(keys).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString();
}

export function join(path: string, query: string): string {
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Integers of a cursor stay exact beyond 2^53. An empty object for what is no JSON. */
function parse(text: string): Json {
  try {
    const isInexact = INEXACT.test(text.slice(text.lastIndexOf('"next_page_params"')));
    return (isInexact ? JSON.parse(text, exact) : JSON.parse(text)) as Json;
  } catch {
    return {};
  }
}

// Looking at every value costs as much as everything else, and cursors alone need it.
const INEXACT = /[:,[]\d{16}/;

function exact(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(source ?? '')
    ? BigInt(source ?? 0)
    : value;
}
