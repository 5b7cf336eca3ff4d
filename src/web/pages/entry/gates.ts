// The gates of pages: middleware that refuses requests.
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { plainAddress } from '../../guard/addresses.ts';
import { onlyShortBodies } from '../../guard/bodies.ts';
import { foreignForm, isFormProof } from '../../guard/forms.ts';
import type { Hosts } from '../../guard/hosts.ts';
import type { Role } from '../../guard/identity.ts';
import { COOKIE, type PageCaller, type Visitor, type Visitors } from '../../guard/visitors.ts';

export type PageEnv = { Bindings: HttpBindings; Variables: { visitor: Visitor } };
export type PageContext = Context<PageEnv>;
type Gate = MiddlewareHandler<PageEnv>;
/** Answers a request that a gate stops. */
export type Refuse = (c: PageContext, status: 400 | 403, why: string) => Promise<Response> | Response;

const LONGEST_URL = 2048;

export function onlyOwnHosts(
  hosts: Hosts,
  onRejected: (reason: 'host') => void,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    if (hosts.isOurs(c.req.header('host'), plainAddress(c.env.incoming.socket.localAddress))) return next();
    onRejected('host');
    return c.text('misdirected request', 421);
  };
}

export const onlyShortUrls: Gate = async (c, next) =>
  c.req.url.length > LONGEST_URL ? c.text('the address is too long', 414) : next();

export const onlyShortForms = onlyShortBodies((c) => c.text('too large', 413));

export function callerOf(c: PageContext, now: number): PageCaller {
  const peer = plainAddress(c.env.incoming.socket.remoteAddress);
  return { peer, now, cookie: getCookie(c, COOKIE), header: (name) => c.req.header(name) };
}

export function onlyVisitors(visitors: Visitors, now: () => number, enter: (c: PageContext) => Response): Gate {
  return async (c, next) => {
    const visitor = await visitors.of(callerOf(c, now()));
    if (visitor === null) return enter(c);
    c.set('visitor', visitor);
    return next();
  };
}

export function onlyRole(role: Role, refuse: Refuse): Gate {
  return async (c, next) => {
    const visitor = c.get('visitor');
    if (role === 'viewer' || visitor.role === 'operator') return next();
    return refuse(c, 403, 'This takes the role operator (http.operators).');
  };
}

export function onlyOwnForms(publicUrl: string | null, refuse: Refuse): Gate {
  return async (c, next) => {
    const why = foreignForm({ host: c.req.header('host'), publicUrl, header: (name) => c.req.header(name) });
    return why === null ? next() : refuse(c, 403, why);
  };
}

/** Accepts only a form that was made for this visitor and this path, today or yesterday in UTC. */
export function onlyProvenForms(now: () => number, refuse: Refuse): Gate {
  return async (c, next) => {
    const { forms } = c.get('visitor');
    const [proof = ''] = (await fieldOf(c, 'proof')).split('.');
    if (forms !== null && isFormProof(proof, forms, new URL(c.req.url).pathname, now())) return next();
    return refuse(c, 403, 'The form is too old, or was made for somebody else. Load the page again, then repeat it.');
  };
}

/** Empty if the form has no such field. */
export async function fieldOf(c: PageContext, name: string): Promise<string> {
  const { [name]: value } = await c.req.parseBody();
  return typeof value === 'string' ? value : '';
}
