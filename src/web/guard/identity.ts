// Who asks, told by a bearer token.
import { createHash, timingSafeEqual } from 'node:crypto';

/** `operator` changes things, `viewer` only reads. */
export type Role = 'viewer' | 'operator';

/** Somebody who was recognised. */
export interface Identity {
  readonly name: string;
  readonly role: Role;
}

export interface TokenHolder extends Identity {
  readonly token: string;
}

export interface IdentityOptions {
  readonly operators: readonly TokenHolder[];
  /** The token of the file beside the state file: whoever may read that file is an operator, from this machine only. */
  readonly localToken: string | null;
}

/** Who calls with this `Authorization` header; null: nobody who is known. */
export type Identify = (authorization: string | undefined, isLocalPeer: boolean) => Identity | null;

/** The name of whoever uses the token file. */
const LOCAL = 'local';

export function createIdentify({ operators, localToken }: IdentityOptions): Identify {
  const known = operators.map(({ name, role, token }) => ({ name, role, digest: digestOf(token), isLocalOnly: false }));
  if (localToken !== null)
    known.push({ name: LOCAL, role: 'operator', digest: digestOf(localToken), isLocalOnly: true });
  return (authorization, isLocalPeer) => {
    const token = /^Bearer ([!-~]{1,4096})$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return null;
    const digest = digestOf(token);
    // All are compared, and digests have one length: the time taken says nothing about any token.
    const [found] = known.filter((one) => timingSafeEqual(one.digest, digest));
    if (found === undefined || (found.isLocalOnly && !isLocalPeer)) return null;
    return { name: found.name, role: found.role };
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
