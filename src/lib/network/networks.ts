// Networks as people write them: `10.0.0.0/8`, or a bare address.
import { isIP, type BlockList } from 'node:net';

export function isNetwork(text: string): boolean {
  const [address = '', prefix, more] = text.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
  return version !== 0 && isPrefix && more === undefined;
}

/** `network`: a text that `isNetwork` accepts. */
export function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
}

export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
