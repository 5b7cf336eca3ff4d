// Makes pages in their frame. A page is made at most once in a period for all visitors who get the same one.
import { BadCursor } from '../../../query/cursor.ts';
import type { Role } from '../../guard/identity.ts';
import { parametersOf, textIn } from '../../parameters.ts';
import { linkTo } from '../lists.ts';
import { moodOf } from '../now/banner.ts';
import type { PageFacts, PageQueries } from '../queries.ts';
import type { Download, PageRequest, PageRoute } from '../route.ts';
import { errorPage } from './errors.ts';
import { tagged } from './fill.ts';
import { layout, type Frame, type HtmlPage } from './layout.ts';
import { newsOf, partTags, tagOf, withNews, withoutParts, type PartTags } from './parts.ts';
import { createRendering, keepRecent, type Periods } from './rendering.ts';

export interface MakingOptions {
  readonly now: () => number;
  readonly timeZone: string;
  readonly daemon: () => PageFacts;
  readonly areMetricsOpen: () => boolean;
  readonly queries: PageQueries;
  readonly pages: readonly PageRoute[];
  readonly periods: Pick<Periods, 'current'>;
}

/** `edition`: read before the page was made, so that its reader is notified of a change during that time. */
export type MadePage = (Download | FramedPage) & { readonly edition: string; readonly tag: string };

export interface FramedPage {
  readonly status: 200;
  readonly text: string;
  readonly parts: PartTags;
}

/** A page at an address, for visitors of one role. */
export interface SeenPage extends Omit<PageRequest, 'now' | 'zone' | 'query'> {
  readonly route: PageRoute;
  /** The path with its parameters. */
  readonly address: string;
}

export interface Making {
  readonly made: (seen: SeenPage) => Promise<MadePage>;
  /** True if it is known, without making the page, that `made` would return the page with this tag. */
  isCurrent(seen: Pick<SeenPage, 'role' | 'address'>, tag: string): Promise<boolean>;
  /**
   * The page without the parts that are equal in the page with the tag `known`, which the reader has. If `parts` is
   * `news`, the reader keeps all parts that are no news. Null: the whole page is needed, because `parts` is null, or
   * because the parts of `known` are no longer kept.
   */
  patched(page: FramedPage, known: string, parts: string | null): Pick<MadePage & FramedPage, 'text' | 'tag'> | null;
  readonly framed: (page: HtmlPage, here: Frame['here'], edition: string) => Promise<string>;
  /** A value that changes with every part of the first page that is shown at once, for this role and these labels. */
  readonly news: (role: Role, label: readonly string[]) => Promise<string>;
}

/** The number of pages whose tags are kept, since readers may still have them. */
const MOST_KEPT = 256;
const DAY_MS = 86_400_000;

export function createMaking(options: MakingOptions): Making {
  const { queries, pages, now, timeZone: zone, daemon, areMetricsOpen, periods } = options;
  const rendering = createRendering<MadePage>(periods);
  const kept = new Map<string, PartTags>();
  const latest = new Map<string, Pick<MadePage, 'edition' | 'tag'>>();
  const first = pages.find(({ path }) => path === '/');
  const links = pages.flatMap(({ path, nav }) => (nav === null ? [] : [{ path, name: nav }]));

  async function framed(page: HtmlPage, here: Frame['here'], edition: string): Promise<string> {
    const { verdict, unhandled, given_up: givenUp } = await queries.summary();
    const facts = { unhandled, givenUp, mood: moodOf(verdict), areMetricsOpen: areMetricsOpen() };
    return layout(page, { ...daemon(), ...facts, now: now(), zone, here, links, edition }).toString();
  }

  async function make({ route, ...seen }: SeenPage, edition: string): Promise<MadePage> {
    const { role } = seen;
    const query = (name: string): string => textIn(seen.parameters, name);
    const request = { ...seen, query, now: now(), zone };
    const page = await pageOf(route, request);
    if ('body' in page) return { ...page, edition, tag: `${tagOf(page.body)}-${role}` };
    const text = await framed(page, placeOf(route), edition);
    // The proofs in forms depend on the day, so the tag is another one on each day.
    const tag = `${tagOf(text)}-${Math.floor(request.now / DAY_MS)}-${role}`;
    const parts = partTags(text);
    keepRecent(kept, tag, parts, MOST_KEPT);
    return { status: (page.status ?? 200) as 200, text: tagged(text, tag), parts, edition, tag };
  }

  async function made(seen: SeenPage): Promise<MadePage> {
    const edition = await queries.edition();
    const key = `${seen.role} ${seen.address}`;
    const page = await rendering.of(key, () => make(seen, edition));
    keepRecent(latest, key, { edition: page.edition, tag: page.tag }, MOST_KEPT);
    return page;
  }

  async function news(role: Role, label: readonly string[]): Promise<string> {
    if (first === undefined) return '';
    const parameters = parametersOf({ label });
    const address = linkTo(first.path, parameters);
    const page = await made({ role, route: first, address, parameter: () => '', parameters });
    return 'body' in page ? '' : newsOf(page.parts);
  }

  return {
    made,
    framed,
    news,
    patched(page, tag, asked) {
      const known = asked === null ? undefined : kept.get(tag);
      if (known === undefined) return null;
      const parts = asked === 'news' ? withNews(known, page.parts) : page.parts;
      const partsTag = tagOf(JSON.stringify([...parts]));
      keepRecent(kept, partsTag, parts, MOST_KEPT);
      return { tag: partsTag, text: withoutParts(page.text, (name) => known.get(name) === parts.get(name)) };
    },
    async isCurrent({ role, address }, tag) {
      const last = latest.get(`${role} ${address}`);
      return last?.tag === tag && last.edition === (await queries.edition());
    },
  };
}

function placeOf({ path, under }: PageRoute): Frame['here'] {
  return under === undefined ? { path, isItself: true } : { path: under, isItself: false };
}

/** A cursor in an address may be of an earlier release or made up, so a wrong one is answered with 400. */
async function pageOf(route: PageRoute, request: PageRequest): Promise<HtmlPage | Download> {
  try {
    return await route.show(request);
  } catch (error) {
    if (error instanceof BadCursor) return errorPage(400, 'The list has no such page. Begin with its first one.');
    throw error;
  }
}
