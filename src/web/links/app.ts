// Links in messages. A link acknowledges the message's alert and does nothing else. A request passes these gates in
// turn:
//
//   host    the request names one of the daemon's own host names; else 421
//   on      links are turned on in the config; else 410
//   rate    at most ten requests a minute for each valid link, and for each caller with invalid ones; else 429
//   link    this daemon signed the link less than a day ago; else 410
//   form    a page of ours sent the form, or no page at all; else 403
import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { callOf, type ActionRefusal, type OperatorRequest, type PerformAction } from '../../operators/action.ts';
import { ack } from '../../operators/acks.ts';
import type { Queries } from '../../query/queries.ts';
import type { LinkedMessage } from '../../query/shapes/operators.ts';
import { readAckToken } from '../guard/ack-links.ts';
import { plainAddress } from '../guard/addresses.ts';
import { createAttempts } from '../guard/attempts.ts';
import { requestDigest } from '../guard/digest.ts';
import type { Hosts } from '../guard/hosts.ts';
import { onlyOwnHosts, onlyShortForms } from '../pages/entry/gates.ts';
import { bare, type HtmlPage } from '../pages/frame/layout.ts';
import { SNOOZE_MS } from '../pages/paths.ts';
import { html, type Html } from '../parts/html.ts';
import { alarm, note } from '../parts/note.ts';
import type { Moment } from '../parts/time.ts';
import { DEAD_LINK, isWaiting, linkPage, shownName } from './page.ts';

export interface LinksOptions {
  /** True if messages contain links, by the config in force. */
  readonly isOn: () => boolean;
  /** All valid secrets for signing links. Rejects with a `StorageError`. */
  readonly secrets: () => Promise<readonly string[]>;
  readonly now: () => number;
  readonly timeZone: string;
}

interface Tools extends LinksOptions {
  readonly hosts: Hosts;
  readonly queries: Pick<Queries, 'linkedMessage'>;
  readonly perform: PerformAction;
  readonly monotonic: () => number;
  readonly onRejected: (reason: 'host' | 'token') => void;
}

type LinkEnv = { Bindings: HttpBindings; Variables: { delivery: string } };
type LinkContext = Context<LinkEnv, '/:token'>;

export function createLinksApp(tools: Tools): Hono<LinkEnv> {
  const { now, timeZone: zone, queries, perform } = tools;
  const moment = (): Moment => ({ now: now(), zone });

  async function show(c: LinkContext): Promise<Response> {
    const message = await queries.linkedMessage(c.get('delivery'));
    return send(c, message === null ? DEAD_LINK : linkPage(message, moment()));
  }

  async function act(c: LinkContext): Promise<Response> {
    const before = await queries.linkedMessage(c.get('delivery'));
    if (before === null) return send(c, DEAD_LINK);
    const fields = new URLSearchParams(await c.req.text());
    const until = fields.get('do') === 'snooze' ? now() + SNOOZE_MS : null;
    const refusals: ActionRefusal[] = [];
    for (const { alert, seq } of seenIn(before, fields.getAll('seen'))) {
      const request = requestOf(c, before, [alert.key, alert.episode, seq, fields.get('do'), fields.get('form')]);
      const body = { seq, until, comment: null, replace: false };
      const done = await perform(ack, { call: callOf(alert), body, request });
      if (done.type === 'refused') refusals.push(done.why);
    }
    const after = (await queries.linkedMessage(c.get('delivery'))) ?? before;
    const { status, said } = answerTo({ before, after, refusals });
    return send(c, { ...linkPage(after, moment(), said), status });
  }

  const app = new Hono<LinkEnv>();
  const gates = [onlyOwnHosts(tools.hosts, tools.onRejected), onlyLinks(tools)] as const;
  app.get('/:token', ...gates, show);
  app.post('/:token', ...gates, onlyShortForms, onlyOwnForms, act);
  return app;
}

function send(c: LinkContext, page: HtmlPage): Response {
  // Search engines must not list a link that someone published.
  c.header('X-Robots-Tag', 'noindex');
  return c.html(bare(page).toString(), page.status ?? 200);
}

type Gate = MiddlewareHandler<LinkEnv, '/:token'>;

function onlyLinks({ isOn, secrets, now, monotonic, onRejected }: Tools): Gate {
  const attempts = createAttempts(monotonic);
  return async (c, next) => {
    if (!isOn()) return send(c, DEAD_LINK);
    const token = c.req.param('token');
    const link = readAckToken(token, await secrets(), now());
    const caller = plainAddress(c.env.incoming.socket.remoteAddress);
    const { waitMs } = attempts.failed(link === null ? caller : token);
    if (waitMs !== null) {
      c.header('Retry-After', String(Math.ceil(waitMs / 1000)));
      return c.text('too many requests: wait a minute', 429);
    }
    if (link === null) {
      onRejected('token');
      return send(c, DEAD_LINK);
    }
    c.set('delivery', link.delivery);
    return next();
  };
}

/** Current browsers state where a form comes from, so a request without that header is refused. */
const onlyOwnForms: Gate = async (c, next) =>
  ['same-origin', 'none'].includes(c.req.header('sec-fetch-site') ?? '') ? next() : send(c, FOREIGN);

function answerTo({ before, after, refusals }: Acted): { readonly status: 200 | 409 | 503; readonly said: Html } {
  for (const why of refusals) if (why.type === 'not-storable') return { status: 503, said: alarm(why.detail) };
  if (after.alerts.some(isWaiting)) return { status: 409, said: alarm(CHANGED) };
  return {
    status: 200,
    said: note(before.alerts.some(isWaiting) ? 'Done: it is acknowledged.' : 'Nothing was left to do.'),
  };
}

const CHANGED = 'The alert has changed since you looked at it. Read what it says now, then acknowledge that.';

const FOREIGN: HtmlPage = {
  title: 'Not from here',
  status: 403,
  main: html`<div class="centre stack">
    <h1>Not from here</h1>
    <p>The form comes from another site. Open the link of the message.</p>
  </div>`,
};

interface Acted {
  readonly before: LinkedMessage;
  readonly after: LinkedMessage;
  readonly refusals: readonly ActionRefusal[];
}

interface Seen {
  readonly alert: { readonly key: string; readonly episode: number };
  readonly seq: number;
}

/** The alerts of this message that the page showed and that wait for an acknowledgement. */
function seenIn({ alerts }: LinkedMessage, shown: readonly string[]): Seen[] {
  const seqs = new Map(
    shown.map((one) => /^(\d{1,15}\..+)\.(\d{1,15})$/.exec(one)).map((parts) => [parts?.[1] ?? '', Number(parts?.[2])]),
  );
  return alerts.filter(isWaiting).flatMap((alert) => {
    const seq = seqs.get(shownName(alert));
    return seq === undefined ? [] : [{ alert: { key: alert.key, episode: alert.episode }, seq }];
  });
}

/** A form that is sent twice has the same key, so it acts once. */
function requestOf(
  c: LinkContext,
  { recipient }: LinkedMessage,
  said: readonly (string | number | null)[],
): OperatorRequest {
  const actor = `link:${recipient}`;
  const asked = requestDigest(c.req.param('token'), actor, ...said);
  return { key: `link-${asked}`, asked, actor };
}
