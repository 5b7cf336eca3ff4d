// Detects the types of the addresses that `init` was given, by asking the explorer.
import type { AddressForm } from '../../config/model.ts';
import { Missed, type Read } from '../../core/model/watch/question.ts';
import type { Address } from '../../core/values/address.ts';
import type { Amount } from '../../core/values/amount.ts';
import { addressDetails, addressTokens, tokenDetails } from '../../explorer/operations.ts';
import { listedIn } from '../../watches/contract/reading.ts';
import type { ExplorerSet } from '../runtime/explorers.ts';

export interface NamedAddress {
  readonly name: string;
  readonly address: Address;
}

export interface DetectedAddress extends NamedAddress {
  readonly what: 'token' | 'contract' | 'account';
  /**
   * The value of `is` for the config; null if none is written. A contract by EIP-7702 is an account that signs
   * transactions, so its value is null too.
   */
  readonly is: AddressForm | null;
  /** The contracts behind it, if it is a proxy; else empty. */
  readonly implementations: readonly Address[];
  /** The coins of the address; null if unknown. */
  readonly coins: Amount | null;
  /** The number of tokens on the first page of its holdings. */
  readonly tokens: number;
}

/**
 * Sends up to three requests for each address. Throws `Missed`, which names the address, if the explorer does not
 * answer.
 */
export async function detectAddresses(
  explorers: ExplorerSet,
  explorer: string,
  addresses: readonly NamedAddress[],
): Promise<DetectedAddress[]> {
  const read = explorers.get(explorer)?.tickReader();
  if (read === undefined) throw new TypeError(`the explorer ${explorer} was not opened`);
  const found: DetectedAddress[] = [];
  // The addresses are read one after the other, since a plan may allow only one request at a time.
  for (const one of addresses) found.push(await detectOne(read, explorer, one));
  return found;
}

async function detectOne(read: Read, explorer: string, { name, address }: NamedAddress): Promise<DetectedAddress> {
  try {
    const details = await read.one(addressDetails(explorer, address));
    const { coin_balance, is_contract, proxy_type } = details;
    const isToken = is_contract === true && (await isKnown(read.one(tokenDetails(explorer, address))));
    const { rows } = await read.page(addressTokens(explorer, address), null);
    const what = isToken ? 'token' : is_contract === true ? 'contract' : 'account';
    const is = what === 'account' || proxy_type === 'eip7702' ? null : what;
    const behind = is === null ? [] : (listedIn(details) ?? []);
    const implementations = behind.map((one) => one.address);
    return { name, address, what, is, implementations, coins: coin_balance ?? null, tokens: rows.length };
  } catch (error) {
    if (!(error instanceof Missed)) throw error;
    throw new Missed(error.reason, `no answer about ${name}: ${error.message}`);
  }
}

/** False if the explorer answers 404, as for a contract that is no token. */
async function isKnown(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof Missed && error.reason === 'not-found') return false;
    throw error;
  }
}
