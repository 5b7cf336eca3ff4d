// What the daemon calls events and transfers. The key of an alert is a hash of it, and says nothing of the item.
import { parseEvent } from '../../../src/lib/abi/signature.ts';
import { Log } from '../../../src/explorer/reading/resources/log.ts';
import { emitted } from '../../../src/sandbox/render/logs.ts';
import { identityOf } from '../../../src/watches/logs/own-rows.ts';
import { EVENTS, type PlaceEvent, type PlaceTransfer } from '../commands.ts';
import { contractOf } from './chain.ts';

/** Of the n-th of equal ones. */
export function keyOfEvent({ of, event, args }: PlaceEvent, hash: string, nth: number): string {
  const parsed = parseEvent(EVENTS[event]);
  if ('mistake' in parsed) throw new TypeError(parsed.mistake.message);
  const log = emitted(contractOf(of), parsed.signature, args);
  const raw = { ...log, address: log.address.toLowerCase(), transactionHash: hash, blockNumber: '0x1', nth };
  const row = Log.read(raw, { coin: 0 });
  return (row && identityOf(row)) ?? '';
}

export function keyOfTransfer({ token, from, to, value }: PlaceTransfer, hash: string): string {
  const ends = [token, from, to].map((name) => contractOf(name).toLowerCase());
  return `${hash}:${[...ends, '', value].join(' ')}:1`;
}
