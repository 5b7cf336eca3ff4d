// Requests as browsers send them: a browser that keeps one cookie, and says where a form comes from.
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import type { Web } from '../../../src/web/server.ts';

export interface Browsed {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Headers = Readonly<Record<string, string>>;

/** Node's own `fetch` sends neither a Host nor an Origin of the caller's choice. */
export async function browse(
  web: Pick<Web, 'url'>,
  path: string,
  { headers = {}, form }: { readonly headers?: Headers; readonly form?: Readonly<Record<string, string>> } = {},
): Promise<Browsed> {
  const { host } = new URL(web.url);
  const own = {
    'sec-fetch-site': 'same-origin',
    origin: `http://${host}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const method = form === undefined ? 'GET' : 'POST';
  const all = Object.entries({ ...(form && own), ...headers }).filter(([, value]) => value !== '');
  const sent = request(`${web.url}${path}`, { method, headers: Object.fromEntries(all), agent: false });
  sent.end(form && new URLSearchParams(form).toString());
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of answer.setEncoding('utf8')) body += String(chunk);
  return { status: answer.statusCode, headers: answer.headers, body };
}

/** What a reader sees of a page. */
export function textOf(body: string): string {
  const texts: string[] = [];
  const read = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName === '#text' && 'value' in node) texts.push(node.value);
    if ('childNodes' in node) node.childNodes.forEach(read);
  };
  read(parse(body));
  return texts.join('').replace(/\s+/g, ' ');
}

/** Elements with the names of their attributes, and without texts: what nobody who writes a text may change. */
export function shapeOf(body: string): string {
  const lines: string[] = [];
  const read = (node: DefaultTreeAdapterTypes.Node, depth: number): void => {
    const attributes = 'attrs' in node ? node.attrs.map(({ name }) => name) : [];
    // That a name looks like another one is said in an element of its own.
    const isWarning = 'attrs' in node && node.attrs.some(({ name, value }) => name === 'class' && value === 'warn');
    if (isWarning || node.nodeName === '#text') return;
    lines.push(`${'.'.repeat(depth)}${node.nodeName} ${attributes.join(' ')}`);
    if ('childNodes' in node) for (const child of node.childNodes) read(child, depth + 1);
  };
  read(parse(body), 0);
  return lines.join('\n');
}

/** The `Cookie` header after an answer that set one. */
export function cookieOf({ headers }: Browsed): string {
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

/** The proof in the form that is sent to this path. */
export function proofIn({ body }: Browsed, action: string): string {
  const form =
    body.split('<form ').find((one) => one.includes(`action="${action}"`) && one.includes('name="proof"')) ?? '';
  return /name="proof" value="([^"]*)"/.exec(form)?.[1] ?? '';
}
