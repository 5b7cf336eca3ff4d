/** An address in lower case, as a key of maps: servers and people differ in the case of the digits. */
export type AddressKey = string;

export function keyOf(address: string): AddressKey {
  return address.toLowerCase();
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** RFC 3339 with microseconds and Z, as explorers write it. */
export function showTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, -1)}000Z`;
}
