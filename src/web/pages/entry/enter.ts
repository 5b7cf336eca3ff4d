// The page to enter, with a token or with a link that works once. `chainwarden open` prints such a link.
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { alarm } from '../../parts/note.ts';
import type { HtmlPage } from '../frame/layout.ts';

interface EnterPage {
  /** The code of a link that works once; empty: the page asks for a token. */
  readonly code?: string;
  /** The path of this site to go to afterwards. */
  readonly to?: string;
  readonly wrong: Html | string | null;
}

export function enterPage({ code = '', to = '/', wrong }: EnterPage): HtmlPage {
  return {
    title: 'Enter',
    status: wrong === null ? 200 : 401,
    main: html`<div class="centre stack">
      <div>
        <h1>Enter</h1>
        <p class="lead">Operators may acknowledge, silence and pause. Viewers may look.</p>
      </div>
      ${wrong === null ? NOTHING : alarm(wrong)}
      <form class="card form" method="post" action="/enter">
        ${code === '' ? tokenField() : codeField(code)}<input type="hidden" name="to" value="${to}" />
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
  return html`<label
    >Token<input type="password" name="token" autocomplete="current-password" required autofocus
  /></label>`;
}

function codeField(code: string): Html {
  return html`<input type="hidden" name="code" value="${code}" />
    <p>The link works once, for one minute after it was printed.</p>`;
}

/** For a visitor who has not entered. */
export const NOT_ENTERED = 'You have to enter before you can see this page.';

/** For a visitor who pressed a button after the session ended. */
export const NOT_DONE =
  'Your session is over, and what you pressed was not done. Enter, and press it again on the page where you were.';

/** The path to go to after entering. Any text that is no path of this site leads to the first page. */
export function ownPath(written: string): string {
  if (!/^\/(?![/\\])[\u0021-\u007e]*$/.test(written) || !URL.canParse(written, HERE)) return '/';
  const { origin, pathname, search } = new URL(written, HERE);
  return origin === HERE && pathname !== '/enter' ? pathname + search : '/';
}

const HERE = 'http://here.invalid';
