// Identifies visitors of pages: by the cookie that is set when they enter with a token, by the proxy, or as anonymous.
import { randomUUID } from 'node:crypto';
import { SESSION_MS } from '../../operators/sessions.ts';
import { isLoopback } from '../../lib/network.ts';
import type { EndedPasses } from './ended-passes.ts';
import {
  createProxyUsers,
  createTokens,
  followCallers,
  LOCAL,
  type Caller,
  type Callers,
  type IdentityOptions,
  type Role,
} from './identity.ts';
import { readPass, signPass, type Pass, type Purpose } from './signed.ts';

export interface Visitor {
  /** Null: an anonymous visitor. */
  readonly name: string | null;
  readonly role: Role;
  /** True if the visitor entered with a token, and so may leave. */
  readonly hasEntered: boolean;
  /** The key that signs this visitor's forms; null if the visitor gets no forms. */
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

/** A visitor who signed in, with the cookie. */
export interface Entered {
  readonly name: string;
  readonly cookie: string;
}

export interface Visitors {
  /** Null: the caller may not read pages. */
  of(caller: PageCaller): Promise<Visitor | null>;
  /** Null: the token is unknown. */
  enter(token: string, caller: Pick<PageCaller, 'peer' | 'now'>): Entered | null;
  /** Enters with a code that was made with a token. A code works once. Null: the code is not valid, or was used. */
  enterByCode(code: string, caller: Pick<PageCaller, 'peer' | 'now'>): Promise<Entered | null>;
  /** Ends the session of the cookie, also for copies of the cookie. */
  leave(caller: PageCaller): Promise<void>;
}

export interface VisitorsOptions {
  readonly callers: Callers;
  readonly endedPasses: EndedPasses;
}

export const COOKIE = 'chainwarden';

const ANONYMOUS: Visitor = { name: null, role: 'viewer', hasEntered: false, forms: null };

export function createVisitors({ callers, endedPasses }: VisitorsOptions): Visitors {
  const inForce = followCallers(callers, visitorsIn);
  return {
    of: async (caller) => {
      const { ofProxy, byCookie, isOpen } = inForce();
      const anybody = isOpen ? ANONYMOUS : null;
      const user = ofProxy(caller);
      if (user !== null) return user;
      const found = byCookie(caller);
      return found === null || (await endedPasses.has(found.pass)) ? anybody : found.visitor;
    },
    enter(token, { peer, now }) {
      const { byToken, enteredAs } = inForce();
      const found = byToken(token, peer);
      return found === null ? null : enteredAs(found.name, now);
    },
    async enterByCode(code, caller) {
      const { passOf, enteredAs } = inForce();
      const pass = passOf(code, 'code', caller);
      const isFirst = pass !== null && (await endedPasses.add(pass, caller.now));
      return isFirst ? enteredAs(pass.name, caller.now) : null;
    },
    async leave(caller) {
      const pass = inForce().byCookie(caller)?.pass;
      if (pass !== undefined) await endedPasses.add(pass, caller.now);
    },
  };
}

/** Identifies visitors by the callers of one config. */
function visitorsIn(options: IdentityOptions) {
  const byProxy = createProxyUsers(options);
  const byToken = createTokens(options);
  const operators = new Map(options.operators.map((operator) => [operator.name, operator]));
  const tokenOf = (name: string): string | null =>
    name === LOCAL ? options.localToken : (operators.get(name)?.token ?? null);

  /** The token of the file is valid on this machine only, and so are cookies and codes made with it. */
  function passOf(text: string, purpose: Purpose, { peer, now }: Pick<PageCaller, 'peer' | 'now'>): Pass | null {
    const pass = readPass(text, { purpose, now, tokenOf });
    return pass?.name === LOCAL && !isLoopback(peer) ? null : pass;
  }

  function byCookie(caller: PageCaller): { readonly pass: Pass; readonly visitor: Visitor } | null {
    const { cookie } = caller;
    const pass = cookie === undefined ? null : passOf(cookie, 'cookie', caller);
    const secret = pass === null ? null : tokenOf(pass.name);
    if (cookie === undefined || pass === null || secret === null) return null;
    const { name } = pass;
    const role = operators.get(name)?.role ?? 'operator';
    return { pass, visitor: { name, role, hasEntered: true, forms: { secret, holder: cookie } } };
  }

  function ofProxy(caller: PageCaller): Visitor | null {
    const user = byProxy(caller);
    if (user === null || options.proxy === null) return null;
    return { ...user, hasEntered: false, forms: { secret: options.proxy.secret, holder: user.name } };
  }

  function enteredAs(name: string, now: number): Entered | null {
    const token = tokenOf(name);
    if (token === null) return null;
    return { name, cookie: signPass({ name, until: now + SESSION_MS, nonce: randomUUID() }, 'cookie', token) };
  }

  return { passOf, byToken, byCookie, ofProxy, enteredAs, isOpen: options.isOpen };
}
