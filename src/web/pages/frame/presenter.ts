// Puts pages into their frame and sends them. A page is made at most once a second for all who see the same, and is not
// made at all for whoever has it already.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BadCursor } from '../../../query/cursor.ts';
import { errorPage } from './errors.ts';
import { filled } from './fill.ts';
import type { PageContext } from '../entry/gates.ts';
import { layout, type Frame, type Page } from './layout.ts';
import { moodOf } from '../now/banner.ts';
import type { DaemonFacts, PageQueries } from '../queries.ts';
import { createRendering, type Periods } from './rendering.ts';
import type { Visitor } from '../../guard/visitors.ts';
import type { Download, PageRequest, PageRoute } from '../route.ts';

export interface PresenterOptions {
  readonly now: () => number;
  readonly timeZone: string;
  readonly daemon: () => DaemonFacts;
  readonly queries: PageQueries;
  readonly pages: readonly PageRoute[];
  readonly periods: Pick<Periods, 'current'>;
}

export interface Presenter {
  show(c: PageContext, route: PageRoute): Promise<Response>;
  /** A page that is made for one answer, such as an error. */
  send(c: PageContext, page: Page): Promise<Response>;
}

type Made = Download | MadePage;

interface MadePage {
  readonly status: 200;
  readonly text: string;
}

// Of a text of some hundred kilobytes a higher level takes three times as long, and saves a tenth.
const LEVEL = 3;
const gzipped = promisify<string, { readonly level: number }, Buffer>(gzip);

export function createPresenter(options: PresenterOptions): Presenter {
  const { queries, pages, now, timeZone: zone, daemon } = options;
  const rendering = createRendering<Made>(options.periods);
  const bodies = createRendering<Buffer>(options.periods);
  const links = pages.flatMap(({ path, nav }) => (nav === null ? [] : [{ path, name: nav }]));

  async function framed(page: Page, here: Frame['here'], edition: string): Promise<string> {
    const { verdict, unhandled, given_up: givenUp } = await queries.summary();
    const facts = { unhandled, givenUp, mood: moodOf(verdict) };
    return layout(page, { ...daemon(), ...facts, now: now(), zone, here, links, edition }).toString();
  }

  async function make(c: PageContext, route: PageRoute, edition: string): Promise<Made> {
    const page = await pageOf(route, requestOf(c));
    if ('body' in page) return page;
    return { status: (page.status ?? 200) as 200, text: await framed(page, placeOf(route), edition) };
  }

  /** Pages of nobody in particular are all the same: they are compressed once. */
  async function sendMade(c: PageContext, key: string, { status, text }: MadePage, etag: string): Promise<Response> {
    const visitor = c.get('visitor');
    const whole = (): string => filled(text, visitor, now());
    if (!takesGzip(c)) return c.html(whole(), status, { ETag: etag });
    const compress = (): Promise<Buffer> => gzipped(whole(), { level: LEVEL });
    const body = isAnonymous(visitor) ? await bodies.of(key, compress) : await compress();
    return c.body(new Uint8Array(body), status, {
      ETag: etag,
      'Content-Type': 'text/html; charset=UTF-8',
      'Content-Encoding': 'gzip',
      Vary: 'Accept-Encoding',
    });
  }

  function requestOf(c: PageContext): PageRequest {
    const { role } = c.get('visitor');
    const parameter = (name: string): string => c.req.param(name) ?? '';
    return { now: now(), zone, role, parameter, query: (name) => c.req.query(name) ?? '' };
  }

  return {
    async show(c, route) {
      const visitor = c.get('visitor');
      // Before the page is made: what changes meanwhile is news to whoever gets it.
      const edition = await queries.edition();
      const etag = `"${edition}-${visitor.role}"`;
      if (c.req.header('if-none-match') === etag) return c.body(null, 304, { ETag: etag });
      const key = `${visitor.role} ${c.req.url}`;
      const made = await rendering.of(key, () => make(c, route, edition));
      return 'body' in made ? download(c, made, etag) : sendMade(c, key, made, etag);
    },
    async send(c, page) {
      return c.html(
        filled(await framed(page, null, await queries.edition()), c.get('visitor'), now()),
        page.status ?? 200,
      );
    },
  };
}

function takesGzip(c: PageContext): boolean {
  return /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
}

function isAnonymous({ name, forms, hasEntered }: Visitor): boolean {
  return name === null && forms === null && !hasEntered;
}

function placeOf({ path, under }: PageRoute): Frame['here'] {
  return under === undefined ? { path, isItself: true } : { path: under, isItself: false };
}

/** A cursor in an address may be of a former release, or made up. */
async function pageOf(route: PageRoute, request: PageRequest): Promise<Page | Download> {
  try {
    return await route.show(request);
  } catch (error) {
    if (error instanceof BadCursor) return errorPage(400, 'The list has no such page. Begin with its first one.');
    throw error;
  }
}

function download(c: PageContext, { file, type, body }: Download, etag: string): Response {
  if (file !== null) c.header('Content-Disposition', `attachment; filename="${file}"`);
  return c.body(body, 200, { 'Content-Type': type, ETag: etag });
}
