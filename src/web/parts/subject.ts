// An address: its name, linked to its page at the explorer.
import type { Subject } from '../../query/shapes/common.ts';
import type { AlertCard } from '../../query/shapes/alerts.ts';
import { html, joined, NOTHING, type HtmlContent, type Html } from './html.ts';

/** `0xa14C…0db0` */
export function shortAddress(address: string): string {
  return address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** `treasury 0xa14C…0db0 ↗` */
export function subjectTag(subject: Subject): Html {
  const { name, address } = subject;
  return html`${name === null ? null : html`${name} `}${explorerLink(subject, shortAddress(address))}`;
}

/** A link to the explorer, without a referrer; plain text if the config names no page. */
export function explorerLink({ page_url: url }: Subject, words: string): Html {
  return url === null ? html`<span class="nowrap">${words}</span>` : outLink(url, words, 'nowrap');
}

/** A link to another site, without a referrer. */
export function outLink(url: string, words: HtmlContent, name = ''): Html {
  if (!/^https?:\/\//.test(url)) return html`<span class="${name}">${words}</span>`;
  return html`<a class="${name}" href="${url}" rel="noreferrer">${words}<span class="quiet"> ↗</span></a>`;
}

/** The runbook first, then the transactions and blocks; empty if there are none. */
export function pageLinks({ runbook, links }: Pick<AlertCard, 'runbook' | 'links'>): Html {
  const all = [
    ...(runbook === null ? [] : [outLink(runbook, html`<b>Runbook</b>`)]),
    ...links.map(({ label, url }) => outLink(url, label)),
  ];
  return all.length === 0 ? NOTHING : html`<p class="small">${joined(all, ' · ')}</p>`;
}
