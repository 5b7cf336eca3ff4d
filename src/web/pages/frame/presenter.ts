// Puts pages into their frame and sends them. A page is made at most once in a period for all who see the same, and is
// not made at all for whoever has it already.
import { BadCursor } from '../../../query/cursor.ts';
import { errorPage } from './errors.ts';
import { filled } from './fill.ts';
import type { PageContext } from '../entry/gates.ts';
import { layout, type Frame, type HtmlPage } from './layout.ts';
import { moodOf } from '../now/banner.ts';
import type { PageFacts, PageQueries } from '../queries.ts';
import { createRendering, type Periods } from './rendering.ts';
import type { Visitor } from '../../guard/visitors.ts';
import { GZIP_HEADERS, gzipped, takesGzip } from '../../gzip.ts';
import type { Download, PageRequest, PageRoute } from '../route.ts';

export interface PresenterOptions {
  readonly now: () => number;
  readonly timeZone: string;
  readonly daemon: () => PageFacts;
  readonly queries: PageQueries;
  readonly pages: readonly PageRoute[];
  readonly periods: Pick<Periods, 'current'>;
}

export interface Presenter {
  show(c: PageContext, route: PageRoute): Promise<Response>;
  /** A page that is made for one answer, such as an error. */
  send(c: PageContext, page: HtmlPage): Promise<Response>;
}

/** `edition`: of before it was made. What changes meanwhile is news to whoever gets it. */
type Made = (Download | MadePage) & { readonly edition: string };

interface MadePage {
  readonly status: 200;
  readonly text: string;
}

export function createPresenter(options: PresenterOptions): Presenter {
  const { queries, pages, now, timeZone: zone, daemon } = options;
  const rendering = createRendering<Made>(options.periods);
  const bodies = new WeakMap<MadePage, Promise<Buffer>>();
  const links = pages.flatMap(({ path, nav }) => (nav === null ? [] : [{ path, name: nav }]));

  async function framed(page: HtmlPage, here: Frame['here'], edition: string): Promise<string> {
    const { verdict, unhandled, given_up: givenUp } = await queries.summary();
    const facts = { unhandled, givenUp, mood: moodOf(verdict) };
    return layout(page, { ...daemon(), ...facts, now: now(), zone, here, links, edition }).toString();
  }

  async function make(c: PageContext, route: PageRoute, edition: string): Promise<Made> {
    const page = await pageOf(route, requestOf(c));
    if ('body' in page) return { ...page, edition };
    return { status: (page.status ?? 200) as 200, text: await framed(page, placeOf(route), edition), edition };
  }

  /** A page as nobody in particular sees it is compressed once. */
  function compressed(made: MadePage, visitor: Visitor): Promise<Buffer> {
    const compress = (): Promise<Buffer> => gzipped(filled(made.text, visitor, now()));
    if (!isAnonymous(visitor)) return compress();
    const body = bodies.get(made) ?? compress();
    bodies.set(made, body);
    return body;
  }

  async function sendMade(c: PageContext, made: MadePage, etag: string): Promise<Response> {
    const visitor = c.get('visitor');
    if (!takesGzip(c)) return c.html(filled(made.text, visitor, now()), made.status, { ETag: etag });
    const body = await compressed(made, visitor);
    return c.body(new Uint8Array(body), made.status, {
      ETag: etag,
      'Content-Type': 'text/html; charset=UTF-8',
      ...GZIP_HEADERS,
    });
  }

  function requestOf(c: PageContext): PageRequest {
    const { role } = c.get('visitor');
    const parameter = (name: string): string => c.req.param(name) ?? '';
    return { now: now(), zone, role, parameter, query: (name) => c.req.query(name) ?? '' };
  }

  return {
    async show(c, route) {
      const { role } = c.get('visitor');
      const etagOf = (edition: string): string => `"${edition}-${role}"`;
      const known = c.req.header('if-none-match');
      const edition = await queries.edition();
      if (known === etagOf(edition)) return c.body(null, 304, { ETag: known });
      const made = await rendering.of(`${role} ${c.req.url}`, () => make(c, route, edition));
      const etag = etagOf(made.edition);
      return 'body' in made ? download(c, made, etag) : sendMade(c, made, etag);
    },
    async send(c, page) {
      return c.html(
        filled(await framed(page, null, await queries.edition()), c.get('visitor'), now()),
        page.status ?? 200,
      );
    },
  };
}

function isAnonymous({ name, forms, hasEntered }: Visitor): boolean {
  return name === null && forms === null && !hasEntered;
}

function placeOf({ path, under }: PageRoute): Frame['here'] {
  return under === undefined ? { path, isItself: true } : { path: under, isItself: false };
}

/** A cursor in an address may be of a former release, or made up. */
async function pageOf(route: PageRoute, request: PageRequest): Promise<HtmlPage | Download> {
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
