// The result of a request, shown above the content.
import { html, type Html } from './html.ts';

export function note(text: string): Html {
  return html`<div class="note" role="status"><div>${text}</div></div>`;
}

export function alarm(text: Html | string): Html {
  return html`<div class="note alarm" role="alert"><div>${text}</div></div>`;
}
