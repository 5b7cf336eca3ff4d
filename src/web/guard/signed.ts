// Signed texts that a browser sends back: a name and an end time, signed with the token of that operator. The daemon
// stores nothing for them, so they stay valid after a restart. A change of the token invalidates all of them at once.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** The use of a pass. A pass for one use is not valid for the other. */
export type Purpose = 'cookie' | 'code';

export interface Pass {
  readonly name: string;
  readonly until: number;
  /** Makes each pass unique. */
  readonly nonce: string;
}

export function signPass({ name, until, nonce }: Pass, purpose: Purpose, token: string): string {
  const payload = Buffer.from(JSON.stringify([name, until, nonce])).toString('base64url');
  return `${payload}.${signatureOf(payload, purpose, token).toString('base64url')}`;
}

/**
 * Null: the pass was not signed by this daemon, has another purpose, or has ended. `tokenOf`: null for an unknown name.
 */
export function readPass(
  text: string,
  { purpose, now, tokenOf }: { purpose: Purpose; now: number; tokenOf: (name: string) => string | null },
): Pass | null {
  const [payload = '', signature = '', ...more] = text.split('.');
  const pass = more.length === 0 ? passIn(payload) : null;
  const token = pass === null ? null : tokenOf(pass.name);
  if (pass === null || token === null || pass.until <= now) return null;
  const shown = Buffer.from(signature, 'base64url');
  const right = signatureOf(payload, purpose, token);
  return shown.length === right.length && timingSafeEqual(shown, right) ? pass : null;
}

function signatureOf(payload: string, purpose: Purpose, token: string): Buffer {
  return createHmac('sha256', token).update(`${purpose}\n${payload}`).digest();
}

const Payload = z.tuple([z.string(), z.number(), z.string()]);

function passIn(payload: string): Pass | null {
  const [name, until, nonce] = Payload.safeParse(jsonOf(Buffer.from(payload, 'base64url').toString())).data ?? [];
  return name === undefined || until === undefined || nonce === undefined ? null : { name, until, nonce };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
