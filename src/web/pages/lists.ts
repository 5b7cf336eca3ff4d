// Shared code of pages with lists: search, filters and paging.
import type { z } from 'zod';
import { counted } from '../parts/amount.ts';
import { html, NOTHING, trusted, type HtmlContent, type Html } from '../parts/html.ts';
import { errorPage } from './frame/errors.ts';
import type { HtmlPage } from './frame/layout.ts';
import type { Parameters } from '../parameters.ts';
import type { PageRequest } from './route.ts';

export interface Asked<T> {
  readonly filter: T;
  /** The parameters in the address, for links that change some of them; without the cursor of the page. */
  readonly written: Parameters;
}

/** The filter in a page's address; null if the address contains an invalid one. */
export function askedIn<T extends z.ZodObject>(
  shape: T,
  { parameters }: Pick<PageRequest, 'parameters'>,
): Asked<z.output<T>> | null {
  const known = Object.entries(parameters).filter(([name]) => Object.hasOwn(shape.shape, name));
  const filter = shape.safeParse(Object.fromEntries(known)).data;
  if (filter === undefined) return null;
  return { filter, written: Object.fromEntries(known.filter(([name]) => name !== 'after')) };
}

export const NO_SUCH_FILTER: HtmlPage = errorPage(
  400,
  'The address asks for what this page does not know. A label is written as team=treasury.',
);

/** Null: the parameter is left out. */
type Change = Parameters[string] | null;

export function linkTo(path: string, parameters: Readonly<Record<string, Change>>): string {
  const said = new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) =>
      [value ?? ''].flat().flatMap((one): [string, string][] => (one === '' ? [] : [[name, one]])),
    ),
  );
  return said.size === 0 ? path : `${path}?${said.toString()}`;
}

export interface Pill {
  readonly name: string;
  readonly count: number | null;
  readonly href: string;
  readonly isCurrent: boolean;
}

export function pills(all: readonly Pill[], label: string): Html {
  return html`<ul class="pills" aria-label="${label}">
    ${all.map(onePill)}
  </ul>`;
}

function onePill({ name, count, href, isCurrent }: Pill): Html {
  const current = isCurrent ? trusted(' aria-current="true"') : NOTHING;
  const number = count === null ? NOTHING : html` <b>${counted(count)}</b>`;
  return html`<li><a href="${href}" ${current}>${name}${number}</a></li>`;
}

export interface Search {
  readonly path: string;
  /** The hint in the search field: the texts that are searched. */
  readonly placeholder: string;
  /** The parameters in the address. The form keeps those for which it has no field. */
  readonly written: Parameters;
  readonly more?: HtmlContent;
  /** Names of the fields in `more`. */
  readonly fields?: readonly string[];
}

export function searchForm({ path, placeholder, written, more = null, fields = [] }: Search): Html {
  const { q, ...kept } = written;
  const hidden = Object.entries(kept).flatMap(([name, value]) =>
    fields.includes(name)
      ? []
      : [value].flat().map((one) => html`<input type="hidden" name="${name}" value="${one}" />`),
  );
  return html`<form class="bar" method="get" action="${path}" role="search">
    <label class="skip" for="q">Search</label
    ><input
      id="q"
      type="search"
      name="q"
      value="${q ?? ''}"
      maxlength="100"
      placeholder="${placeholder}"
    />${hidden}${more}<button type="submit">Search</button>
  </form>`;
}

/** The line with a link to the next page of the list. */
export function pager(words: HtmlContent, next: string | null): Html {
  return html`<div class="pages">
    <span>${words}</span>${next === null ? NOTHING : html`<a class="button small" href="${next}">Next</a>`}
  </div>`;
}

/** Shown in place of a table without rows. */
export function nothingFound(words: string, clear: string | null): Html {
  return html`<div class="card">
    <p>${words}${clear === null ? NOTHING : html` <a href="${clear}">Clear filters</a>`}</p>
  </div>`;
}

export interface Column {
  readonly name: HtmlContent;
  readonly class?: string;
}

/** The last cell of a row. On a narrow screen a row has two lines, and this cell opens the other ones. */
export const FOLD = html`<td class="fold">
  <details>
    <summary><span class="skip">More of this row</span></summary>
  </details>
</td>`;

/** The heading of the column of `FOLD`. Only screen readers read its word. */
export const FOLD_HEAD = html`<th class="fold"><span class="skip">More</span></th>`;

/**
 * Below 720 pixels a row becomes a card with labelled cells. In a row that ends with `FOLD`, cells of the class `brief`
 * are always shown, one line each: `second` in the second line, `side` at its right.
 */
export function sheet(caption: string, columns: readonly Column[], rows: readonly Html[]): Html {
  const heads = columns.map(({ name, class: cls = '' }) => html`<th class="${cls}" scope="col">${name}</th>`);
  return html`<div class="sheet folds">
    <table>
      <caption class="skip">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads}${rows.some((row) => row.toString().includes('class="fold"')) ? FOLD_HEAD : NOTHING}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
