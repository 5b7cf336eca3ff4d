/** Removes the prefix `::ffff:` that a dual-stack socket puts before an IPv4 address. */
export function plainAddress(address = ''): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/, '');
}
