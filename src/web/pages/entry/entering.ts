// Lets people in, who show a token or a link that works once, and out again.
import { deleteCookie, setCookie } from 'hono/cookie';
import { createAttempts } from '../../guard/attempts.ts';
import { SESSION_MS } from '../../../operators/sessions.ts';
import { COOKIE, type Visitors } from '../../guard/visitors.ts';
import { enterPage } from './enter.ts';
import { callerOf, fieldOf, type PageContext } from './gates.ts';
import { bare } from '../frame/layout.ts';

/** Somebody entered, or left. */
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
  // Tokens are too long to be guessed. The limit keeps wrong ones cheap; a right one is never made to wait for them.
  const attempts = createAttempts(monotonic);
  const secure = publicUrl?.startsWith('https:') ?? false;
  const ours = { path: '/', httpOnly: true, sameSite: 'Strict', secure } as const;
  const asked = (c: PageContext, why: string, status: 401 | 429): Response =>
    c.html(bare(enterPage('', why)).toString(), status);

  return {
    ask: (c) => c.html(bare(enterPage(c.req.query('code') ?? '', null)).toString()),
    async enter(c) {
      const caller = callerOf(c, now());
      const code = await fieldOf(c, 'code');
      const token = await fieldOf(c, 'token');
      const entered = code === '' ? visitors.enter(token, caller) : await visitors.enterByCode(code, caller);
      if (entered !== null) {
        onEntry?.('entered', entered.name, caller.peer);
        setCookie(c, COOKIE, entered.cookie, { ...ours, maxAge: SESSION_MS / 1000 });
        return c.redirect('/', 303);
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

const WRONG_TOKEN =
  'Nobody has this token. On the machine of the daemon, `chainwarden open` prints a link that enters.';
const WRONG_CODE = 'This link was used before, or is too old. `chainwarden open` prints a new one.';
