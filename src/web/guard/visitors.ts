// Who looks at a page: whoever entered with a token and has its cookie, whoever the proxy names, or nobody in particular.
import { randomUUID } from 'node:crypto';
import { isLoopback } from '../../lib/network/loopback.ts';
import { createProxyUsers, createTokens, LOCAL, type Caller, type IdentityOptions, type Role } from './identity.ts';
import { readPass, signPass, type Pass, type Purpose } from './signed.ts';

export interface Visitor {
  /** Null: nobody in particular. */
  readonly name: string | null;
  readonly role: Role;
  /** With a token; it may leave. */
  readonly hasEntered: boolean;
  /** What forms of this visitor are signed with; null: there are none for it. */
  readonly forms: FormKey | null;
}

export interface FormKey {
  readonly secret: string;
  readonly holder: string;
}

export interface PageCaller extends Caller {
  readonly cookie: string | undefined;
  readonly now: number;
}

export interface Visitors {
  /** Null: nobody who may look. */
  of(caller: PageCaller): Visitor | null;
  /** The cookie of whoever has this token. Null: nobody has it. */
  enter(token: string, caller: Pick<PageCaller, 'peer' | 'now'>): string | null;
  /** The same for a code that was made with a token. It works once. */
  enterByCode(code: string, caller: Pick<PageCaller, 'peer' | 'now'>): string | null;
}

export const COOKIE = 'chainwarden';
export const COOKIE_MS = 12 * 3_600_000;

const ANONYMOUS: Visitor = { name: null, role: 'viewer', hasEntered: false, forms: null };

export function createVisitors(options: IdentityOptions): Visitors {
  const byProxy = createProxyUsers(options);
  const byToken = createTokens(options);
  const operators = new Map(options.operators.map((operator) => [operator.name, operator]));
  const spent = new Map<string, number>();
  const tokenOf = (name: string): string | null =>
    name === LOCAL ? options.localToken : (operators.get(name)?.token ?? null);

  /** The token file is for this machine, and so is what was made with it. */
  function passOf(text: string, purpose: Purpose, { peer, now }: Pick<PageCaller, 'peer' | 'now'>): Pass | null {
    const pass = readPass(text, { purpose, now, tokenOf });
    return pass?.name === LOCAL && !isLoopback(peer) ? null : pass;
  }

  function byCookie(caller: PageCaller): Visitor | null {
    const { cookie } = caller;
    const pass = cookie === undefined ? null : passOf(cookie, 'cookie', caller);
    const secret = pass === null ? null : tokenOf(pass.name);
    if (cookie === undefined || pass === null || secret === null) return null;
    const { name } = pass;
    return { name, role: operators.get(name)?.role ?? 'operator', hasEntered: true, forms: { secret, holder: cookie } };
  }

  function ofProxy(caller: PageCaller): Visitor | null {
    const user = byProxy(caller);
    if (user === null || options.proxy === null) return null;
    return { ...user, hasEntered: false, forms: { secret: options.proxy.secret, holder: user.name } };
  }

  function cookieOf(name: string, now: number): string | null {
    const token = tokenOf(name);
    return token === null ? null : signPass({ name, until: now + COOKIE_MS, nonce: randomUUID() }, 'cookie', token);
  }

  return {
    of: (caller) => ofProxy(caller) ?? byCookie(caller) ?? (options.isOpen ? ANONYMOUS : null),
    enter(token, { peer, now }) {
      const found = byToken(token, peer);
      return found === null ? null : cookieOf(found.name, now);
    },
    enterByCode(code, caller) {
      const pass = passOf(code, 'code', caller);
      if (pass === null || spent.has(pass.nonce)) return null;
      for (const [nonce, until] of spent) if (until <= caller.now) spent.delete(nonce);
      spent.set(pass.nonce, pass.until);
      return cookieOf(pass.name, caller.now);
    },
  };
}
