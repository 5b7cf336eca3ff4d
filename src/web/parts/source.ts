// Where a rule is written, with a link to its lines.
import { singleLine } from '../../lib/untrusted.ts';
import type { SourcePlace } from '../../query/shapes/common.ts';
import { html, type Html } from './html.ts';

/** `rules/treasury.yaml:17`: a link to the site in the config, else to a page of ours. */
export function sourceLink({ file, line, url }: SourcePlace): Html {
  const words = `${singleLine(file)}:${line}`;
  if (url !== null) return html`<a class="mono" href="${url}" rel="noreferrer">${words}</a>`;
  const query = new URLSearchParams({ file, line: String(line) });
  return html`<a class="mono" href="/rules/source?${query.toString()}#line">${words}</a>`;
}
