/** Removes the form that a socket for both families gives to an address of version 4. */
export function plainAddress(address = ''): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/, '');
}
