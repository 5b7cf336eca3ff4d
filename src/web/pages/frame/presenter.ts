// Sends pages. A client that has the same page gets 304; the script of a page gets only the parts that changed.
import { parametersOf } from '../../parameters.ts';
import type { PageContext } from '../entry/gates.ts';
import type { Download, PageRoute } from '../route.ts';
import { filled } from './fill.ts';
import type { HtmlPage } from './layout.ts';
import { createMaking, type FramedPage, type MadePage, type Making, type MakingOptions } from './making.ts';

export interface Presenter extends Pick<Making, 'news'> {
  show(c: PageContext, route: PageRoute): Promise<Response>;
  /** Sends a page that is made for one answer, such as an error. */
  send(c: PageContext, page: HtmlPage): Promise<Response>;
}

export function createPresenter(options: MakingOptions): Presenter {
  const { queries, now } = options;
  const making = createMaking(options);

  function sendHtml(c: PageContext, made: FramedPage, tag: string): Response {
    return c.html(filled(made.text, c.get('visitor'), now()), made.status, { ETag: quoted(tag) });
  }

  function sendMade(c: PageContext, made: MadePage & FramedPage, known: string): Response {
    const patched = making.patched(made, known, c.req.header('x-parts') ?? null);
    return patched === null ? sendHtml(c, made, made.tag) : sendHtml(c, { ...made, ...patched }, patched.tag);
  }

  return {
    news: making.news,
    async show(c, route) {
      const { role } = c.get('visitor');
      const address = addressOf(c);
      const known = unquoted(c.req.header('if-none-match'));
      if (await making.isCurrent({ role, address }, known)) return unchanged(c, known);
      const parameter = (name: string): string => c.req.param(name) ?? '';
      const parameters = parametersOf(c.req.queries());
      const made = await making.made({ role, route, address, parameter, parameters });
      if (made.tag === known) return unchanged(c, known);
      return 'body' in made ? download(c, made) : sendMade(c, made, known);
    },
    async send(c, page) {
      return c.html(
        filled(await making.framed(page, null, await queries.edition()), c.get('visitor'), now()),
        page.status ?? 200,
      );
    },
  };
}

/** A path with its parameters, without the host name. */
function addressOf({ req }: PageContext): string {
  const { pathname, search } = new URL(req.url);
  return `${pathname}${search}`;
}

function quoted(tag: string): string {
  return `"${tag}"`;
}

function unquoted(tag = ''): string {
  return tag.replace(/^W\//, '').replaceAll('"', '');
}

function unchanged(c: PageContext, tag: string): Response {
  return c.body(null, 304, { ETag: quoted(tag) });
}

function download(c: PageContext, { file, type, body, tag }: Download & Pick<MadePage, 'tag'>): Response {
  if (file !== null) c.header('Content-Disposition', `attachment; filename="${file}"`);
  return c.body(body, 200, { 'Content-Type': type, ETag: quoted(tag) });
}
