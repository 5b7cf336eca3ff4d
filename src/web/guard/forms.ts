// Forms that change something must come from our own pages. The browser states the origin in two headers, and the form
// contains a proof that no other site can know.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FormKey } from './visitors.ts';

const DAY_MS = 86_400_000;

/** The proof in a form that this visitor sends to `path`. It is valid until the end of the next UTC day. */
export function formProof({ secret, holder }: FormKey, path: string, now: number): string {
  const day = Math.floor(now / DAY_MS);
  return createHmac('sha256', secret)
    .update(JSON.stringify(['form', holder, path, day]))
    .digest('base64url');
}

export function isFormProof(shown: string, key: FormKey, path: string, now: number): boolean {
  const given = Buffer.from(shown);
  return [now, now - DAY_MS].some((at) => {
    const right = Buffer.from(formProof(key, path, at));
    return given.length === right.length && timingSafeEqual(given, right);
  });
}

export interface FormHeaders {
  readonly host: string | undefined;
  readonly publicUrl: string | null;
  readonly header: (name: string) => string | undefined;
}

/** The reason why this form cannot come from a page of ours; null: it can. */
export function foreignForm({ host, publicUrl, header }: FormHeaders): string | null {
  const type = (header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return 'It is not sent as a form of this page.';
  if (header('sec-fetch-site') !== 'same-origin')
    return 'It does not come from this page. Browsers say where a form comes from only on this machine and in https.';
  return isOwnOrigin(header('origin'), host, publicUrl) ? null : 'It comes from another site.';
}

function isOwnOrigin(origin: string | undefined, host: string | undefined, publicUrl: string | null): boolean {
  if (origin === undefined || !URL.canParse(origin) || host === undefined) return false;
  return origin === publicUrl || new URL(origin).host === host.toLowerCase();
}
