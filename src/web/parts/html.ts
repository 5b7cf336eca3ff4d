// HTML that escapes inserted values. Its types do not accept text from the chain: see chain-text.ts.
import { html as tagged, raw } from 'hono/html';

/** Markup that is safe to print unchanged. */
export type Html = ReturnType<typeof raw>;

export type HtmlContent = Html | string | number | null | false | readonly HtmlContent[];

export function html(strings: TemplateStringsArray, ...values: readonly HtmlContent[]): Html {
  const made = tagged(strings, ...values);
  if (made instanceof Promise) throw new TypeError('a part of a page is not ready');
  return made;
}

export const NOTHING = raw('');

/** Markup of this program, such as a drawing. It must not contain text of others. */
export const trusted = raw;

/** `joined([a, b], ' · ')` */
export function joined(parts: readonly HtmlContent[], between: string): Html {
  return html`${parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]))}`;
}
