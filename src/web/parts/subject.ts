// An address: by its name, with the page of the explorer that shows it.
import type { Subject } from '../../query/shapes/common.ts';
import { html, type Html } from './html.ts';

/** `0xa14C…0db0` */
export function shortAddress(address: string): string {
  return address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** `treasury 0xa14C…0db0 ↗` */
export function subjectTag(subject: Subject): Html {
  const { name, address } = subject;
  return html`${name === null ? null : html`${name} `}${explorerLink(subject, shortAddress(address))}`;
}

/** Out of here: the explorer is not told which page led to it. Plain text where the config names no page. */
export function explorerLink({ page_url: url }: Subject, words: string): Html {
  if (url === null || !/^https?:\/\//.test(url)) return html`<span class="nowrap">${words}</span>`;
  return html`<a class="nowrap" href="${url}" rel="noreferrer">${words}<span class="quiet"> ↗</span></a>`;
}
