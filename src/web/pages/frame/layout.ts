// The frame of every page: head, navigation, server time, footer. Data of one visitor are filled in later: see fill.ts.
import { assetPath } from '../../assets.ts';
import { counted } from '../../parts/amount.ts';
import { html, NOTHING, trusted, type Html } from '../../parts/html.ts';
import { HATCH, LOGO } from '../../parts/icons.ts';
import { ageTag, clockTime, timeOfDay, type Moment } from '../../parts/time.ts';
import { onlyWhole, part } from './parts.ts';
import { LEAVE_SLOT, NAME_SLOT, TAG_SLOT } from './fill.ts';

export type Mood = 'firing' | 'blind' | 'ok';

/** A page without its frame. */
export interface HtmlPage {
  readonly title: string;
  /** Shown between navigation and content. */
  readonly banner?: Html;
  readonly main: Html;
  /** Seconds after which a browser without scripts loads the page again. */
  readonly refreshS?: number;
  readonly status?: 200 | 400 | 401 | 403 | 404 | 405 | 409 | 410 | 503;
  /** Scripts in addition to those of every page. */
  readonly scripts?: Html;
}

/** Values that all pages show, as of one moment. */
export interface Frame extends Moment {
  /**
   * The path of the navigation entry that the page belongs to; null: none. `isItself`: the entry leads to this page.
   */
  readonly here: { readonly path: string; readonly isItself: boolean } | null;
  readonly links: readonly NavLink[];
  /** Alerts that nobody has acknowledged. */
  readonly unhandled: number;
  /** Messages that were given up and not dismissed. */
  readonly givenUp: number;
  readonly mood: Mood;
  /** True if metrics need no token. Otherwise there is no link to them, since a browser cannot send a token. */
  readonly areMetricsOpen: boolean;
  readonly version: string;
  readonly startedAt: number;
  readonly loadedAt: number | null;
  /** The edition of the data on the page. */
  readonly edition: string;
  /** The time at which the receiver of heartbeats accepted the last one; null: there was none. */
  readonly heartbeatAt: number | null;
}

export interface NavLink {
  readonly path: string;
  readonly name: string;
}

export function layout(page: HtmlPage, frame: Frame): Html {
  const count = frame.unhandled === 0 ? '' : `(${frame.unhandled}) `;
  const body = html`${part('first', FIRST)}${part('top', header(frame))}${part('lost', lost(frame))}${page.banner ?? NOTHING}
    <main id="main">${page.main}</main>
    ${part('foot', footer(frame))}
    <p id="said" class="skip" role="status"></p>`;
  return documentOf(page, {
    title: `${count}${page.title}`,
    mood: frame.mood,
    edition: frame.edition,
    body,
    scripts: html`${LIVE}${page.scripts ?? NOTHING}`,
  });
}

/** A page without navigation, for unknown visitors. */
export function bare(page: HtmlPage): Html {
  const head = html`${FIRST}
    <header class="top">
      <div class="top-in"><a class="brand" href="/">${LOGO}Chainwarden</a></div>
    </header>`;
  const body = html`${head}
    <main id="main">${page.main}</main>`;
  return documentOf(page, { title: page.title, mood: 'ok', edition: null, body, scripts: NOTHING });
}

const LIVE = html`<script type="module" src="${assetPath('app.js')}"></script>`;

interface Document {
  readonly title: string;
  readonly mood: Mood;
  /** Null: the page does not update itself. */
  readonly edition: string | null;
  readonly body: Html;
  readonly scripts: Html;
}

function documentOf(page: HtmlPage, { title, mood, edition, body, scripts }: Document): Html {
  return html`${DOCTYPE}
    <html lang="en" ${edition === null ? NOTHING : html`data-edition="${edition}" data-tag="${TAG_SLOT}"`}>
      <head>
        <title>${title} · Chainwarden</title>
        <link rel="icon" href="${assetPath(`icon-${mood}.svg`)}" data-lost="${assetPath('icon-blind.svg')}" />
        ${onlyWhole(
          html`<meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <link rel="stylesheet" href="${assetPath('page.css')}" />
            ${refresh(page)}${scripts}`,
        )}
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

const FIRST = html`${HATCH}<a class="skip" href="#main">Skip to content</a>`;
const DOCTYPE = trusted('<!doctype html>');

function refresh({ refreshS }: HtmlPage): Html {
  if (refreshS === undefined) return NOTHING;
  return html`<noscript><meta http-equiv="refresh" content="${refreshS}" /></noscript>`;
}

function header(frame: Frame): Html {
  return html`<header class="top">
    <div class="top-in">
      <a class="brand" href="/">${LOGO}Chainwarden</a>
      <nav aria-label="Pages">
        <ul>
          ${frame.links.map((link) => navItem(link, frame))}
        </ul>
      </nav>
      <p class="live">
        <span class="dot"></span
        ><span
          ><time datetime="${new Date(frame.now).toISOString()}" data-clock="${frame.zone}"
            >${timeOfDay(frame.now, frame.zone)}</time
          >
          ${frame.zone}</span
        >${NAME_SLOT}
      </p>
    </div>
  </header>`;
}

/** The section that a script shows when the daemon does not answer any more. */
function lost({ now, zone }: Frame): Html {
  return html`<section id="lost" class="banner blind" aria-label="No answer" hidden>
    <div class="banner-in">
      <h1></h1>
      <p>
        The page shows the state at <time data-clock="${zone}">${timeOfDay(now, zone)}</time>; it may have changed. The
        network or the daemon is down. The page asks again every three seconds.
      </p>
    </div>
  </section>`;
}

function navItem({ path, name }: NavLink, { here, unhandled, givenUp }: Frame): Html {
  const current = path === here?.path ? trusted(` aria-current="${here.isItself ? 'page' : 'true'}"`) : NOTHING;
  const count = path === '/' ? unhandled : path === '/deliveries' ? givenUp : 0;
  const badge = count === 0 ? NOTHING : html` <span class="count">${counted(count)}</span>`;
  return html`<li><a href="${path}" ${current}>${name}${badge}</a></li>`;
}

function footer({ areMetricsOpen, version, startedAt, loadedAt, heartbeatAt, now, zone }: Frame): Html {
  const moment = { now, zone };
  const loaded = loadedAt === null ? null : clockTime(new Date(loadedAt).toISOString(), moment);
  const beat =
    heartbeatAt === null
      ? NOTHING
      : html` · heartbeat accepted ${ageTag(new Date(heartbeatAt).toISOString(), moment)} ago`;
  return html`<footer class="foot">
    <span>Chainwarden ${version}</span
    ><a href="/about#api">API</a>${areMetricsOpen ? html`<a href="/metrics">Metrics</a>` : NOTHING}<a href="/about"
      >About this daemon</a
    >${LEAVE_SLOT}<span class="end"
      >Up
      ${ageTag(new Date(startedAt).toISOString(), moment)}${loaded === null ? null : ` · rules loaded ${loaded}`}${beat}</span
    >
  </footer>`;
}
