// Logs visitors in and out. A visitor enters with a token, or with a link that works once.
import { deleteCookie, setCookie } from 'hono/cookie';
import { createAttempts } from '../../guard/attempts.ts';
import { SESSION_MS } from '../../../operators/sessions.ts';
import { COOKIE, type Visitors } from '../../guard/visitors.ts';
import { html, type Html } from '../../parts/html.ts';
import { enterPage, ownPath } from './enter.ts';
import { callerOf, fieldOf, type PageContext } from './gates.ts';
import { bare } from '../frame/layout.ts';

/** Called when a visitor entered or left. */
export type OnEntry = (type: 'entered' | 'left', name: string, peer: string) => void;

export interface EnteringOptions {
  readonly visitors: Visitors;
  readonly publicUrl: string | null;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly onRejected: (reason: 'token') => void;
  readonly onEntry?: OnEntry;
}

export interface Entering {
  ask(c: PageContext): Response;
  enter(c: PageContext): Promise<Response>;
  leave(c: PageContext): Promise<Response>;
}

export function createEntering(options: EnteringOptions): Entering {
  const { visitors, publicUrl, now, monotonic, onRejected, onEntry } = options;
  // Tokens are too long to guess. The token is always checked first, so a visitor with a valid token never waits. After
  // more than ten wrong tokens from one address within a minute, the answer is 429 with Retry-After.
  const attempts = createAttempts(monotonic);
  const secure = publicUrl?.startsWith('https:') ?? false;
  const ours = { path: '/', httpOnly: true, sameSite: 'Strict', secure } as const;
  const asked = async (c: PageContext, wrong: Html | string, status: 401 | 429): Promise<Response> =>
    c.html(bare(enterPage({ to: ownPath(await fieldOf(c, 'to')), wrong })).toString(), status);

  return {
    ask(c) {
      const to = ownPath(c.req.query('to') ?? '/');
      return c.html(bare(enterPage({ code: c.req.query('code') ?? '', to, wrong: null })).toString());
    },
    async enter(c) {
      const caller = callerOf(c, now());
      const code = await fieldOf(c, 'code');
      const token = await fieldOf(c, 'token');
      const entered = code === '' ? visitors.enter(token, caller) : await visitors.enterByCode(code, caller);
      if (entered !== null) {
        onEntry?.('entered', entered.name, caller.peer);
        setCookie(c, COOKIE, entered.cookie, { ...ours, maxAge: SESSION_MS / 1000 });
        return c.redirect(ownPath(await fieldOf(c, 'to')), 303);
      }
      onRejected('token');
      const { waitMs } = attempts.failed(caller.peer);
      if (waitMs === null) return asked(c, code === '' ? WRONG_TOKEN : WRONG_CODE, 401);
      c.header('Retry-After', String(Math.ceil(waitMs / 1000)));
      return asked(c, 'There were too many wrong tokens. Wait a minute.', 429);
    },
    async leave(c) {
      const caller = callerOf(c, now());
      await visitors.leave(caller);
      const { name } = c.get('visitor');
      if (name !== null) onEntry?.('left', name, caller.peer);
      deleteCookie(c, COOKIE, ours);
      return c.redirect('/enter', 303);
    },
  };
}

const WRONG_TOKEN = html`Nobody has this token. On the machine of the daemon, <code>chainwarden open</code> prints a
  link that enters.`;
const WRONG_CODE = html`This link was used before, or is too old. <code>chainwarden open</code> prints a new one.`;
