import { singleLine } from '../../lib/untrusted.ts';

export interface MailAddress {
  /** Empty if the address has no name. */
  readonly name: string;
  /** `local@domain`, ASCII: nothing in it needs quoting in a header or in an SMTP command. */
  readonly address: string;
}

const ADDRESS =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const NAMED = /^([^<>"@,;:\\()[\]]{1,100}) <([^<> ]+)>$/;

/** Plain `local@domain` and nothing else: no quotes, comments, groups or lists (RFC 5322 3.4 allows far too much). */
export function isPlainAddress(text: string): boolean {
  return text.length <= 254 && ADDRESS.test(text);
}

/** `ops@example.com` or `Chainwarden <ops@example.com>`; undefined for anything else, controls in the name included. */
export function parseMailAddress(text: string): MailAddress | undefined {
  if (isPlainAddress(text)) return { name: '', address: text };
  const [, name = '', address = ''] = NAMED.exec(text) ?? [];
  const isVisible = name !== '' && singleLine(name) === name;
  return isVisible && isPlainAddress(address) ? { name, address } : undefined;
}

export function domainOf({ address }: MailAddress): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
