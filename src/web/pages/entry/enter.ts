// How people come in: with a token, or with a link that works once, which the daemon's own command prints.
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { alarm } from '../../parts/note.ts';
import type { HtmlPage } from '../frame/layout.ts';

/** `code`: of a link that works once; empty: a token is asked for. */
export function enterPage(code: string, wrong: string | null): HtmlPage {
  return {
    title: 'Enter',
    status: wrong === null ? 200 : 401,
    main: html`<div class="centre stack">
      <div>
        <h1>Enter</h1>
        <p class="lead">Whoever enters as an operator may acknowledge, silence and pause. Viewers may look.</p>
      </div>
      ${wrong === null ? NOTHING : alarm(wrong)}
      <form class="card form" method="post" action="/enter">
        ${code === '' ? tokenField() : codeField(code)}
        <div class="acts"><button type="submit" class="main">Enter</button></div>
      </form>
      <p class="small quiet">
        On the machine of the daemon, <code>chainwarden open</code> prints a link that enters. Elsewhere it takes the
        token of an operator (<code>http.operators</code>).
      </p>
    </div>`,
  };
}

function tokenField(): Html {
  return html`<label>Token<input type="password" name="token" autocomplete="current-password" required /></label>`;
}

function codeField(code: string): Html {
  return html`<input type="hidden" name="code" value="${code}" />
    <p>The link works once, for one minute after it was printed.</p>`;
}

/** Of somebody whom the page does not know yet. */
export const NOT_ENTERED = 'You have to enter before you can see this page.';
