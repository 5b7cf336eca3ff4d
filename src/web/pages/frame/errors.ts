// The pages that are shown in place of a page that is refused or fails.
import { html, type Html } from '../../parts/html.ts';
import type { HtmlPage } from './layout.ts';

type Status = Exclude<HtmlPage['status'], undefined>;

const TITLES: Readonly<Record<Exclude<Status, 200>, string>> = {
  400: 'This cannot be understood',
  401: 'Enter first',
  403: 'Not allowed',
  404: 'There is no such page',
  405: 'This address takes another method',
  409: 'Nothing was changed',
  410: 'It is no longer there',
  503: 'Nothing new can be stored',
};

export function errorPage(status: Exclude<Status, 200>, detail: Html | string): HtmlPage {
  const title = TITLES[status];
  return {
    title,
    status,
    main: html`<div class="centre stack">
      <h1>${title}</h1>
      <div class="lead stack tight">${detail}</div>
      <p><a href="/">See what fires now</a></p>
    </div>`,
  };
}

/** Made without the frame, because rendering the frame may be what failed. */
export function failurePage(instance: string): HtmlPage {
  return {
    title: 'The daemon failed',
    main: html`<div class="centre stack">
      <h1>This page could not be made</h1>
      <p class="lead">The log has the details, under ${instance}. The daemon goes on.</p>
      <p><a href="/">See what fires now</a></p>
    </div>`,
  };
}
