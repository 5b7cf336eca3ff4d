// Finds the names that the config gives to addresses and tokens.
import type { Name } from '../../config/model.ts';
import { shortHex, type Address } from '../../core/values/address.ts';

/** The name of an address or a token on one explorer; null = it has none. */
export type NameOfAddress = (address: Address) => string | null;

export interface ConfigNames {
  readonly ofAddress: NameOfAddress;
  ofToken(address: Address, explorer: string): string | null;
  /** The keys of the tokens with a name on an explorer. All its watches share one set. */
  tokensOn(explorer: string): ReadonlySet<string>;
  /** The keys of the same tokens, and of the addresses that the config describes as contracts. */
  contractsOn(explorer: string): ReadonlySet<string>;
  /**
   * Returns one function for all watches of an explorer. The watches keep it in memory, so it refers to no other data
   * of the load.
   */
  on(explorer: string): NameOfAddress;
  /** The name that an address only seems to have: another address has this name, and both have the same short form. */
  readonly ofLookAlike: NameOfAddress;
}

export function createNames(meanings: ReadonlyMap<string, Name>): ConfigNames {
  const addressNames = new Map<string, string>();
  const tokenNames = new Map<string, string>();
  const nameOfByExplorer = new Map<string, NameOfAddress>();

  const nameByShort = new Map<string, string>();
  const ofLookAlike: NameOfAddress = (address) =>
    ofAddress(address) === null ? (nameByShort.get(shortHex(address.key)) ?? null) : null;
  const ofAddress: NameOfAddress = ({ key }) => addressNames.get(key) ?? null;
  const ofToken = ({ key }: Address, explorer: string): string | null =>
    tokenNames.get(`${explorer} ${key}`) ?? tokenNames.get(key) ?? null;

  for (const [name, meaning] of meanings) {
    if (meaning.type === 'address' && !addressNames.has(meaning.address.key))
      addressNames.set(meaning.address.key, name);
    if (meaning.type === 'address') nameByShort.set(shortHex(meaning.address.key), name);
    if (meaning.type !== 'token') continue;
    if (meaning.everywhere !== null) tokenNames.set(meaning.everywhere.key, name);
    for (const [explorer, address] of meaning.byExplorer) tokenNames.set(`${explorer} ${address.key}`, name);
  }

  const contracts = [...meanings.values()].flatMap((one) =>
    one.type === 'address' && one.is !== null && one.is !== 'wallet' ? [one.address.key] : [],
  );
  const contractsByExplorer = new Map<string, ReadonlySet<string>>();
  const tokensByExplorer = new Map<string, ReadonlySet<string>>();

  function tokensOn(explorer: string): ReadonlySet<string> {
    const known = tokensByExplorer.get(explorer);
    if (known !== undefined) return known;
    const keys = [...tokenNames.keys()].map((key) => key.replace(`${explorer} `, ''));
    const tokens = new Set(keys.filter((key) => !key.includes(' ')));
    tokensByExplorer.set(explorer, tokens);
    return tokens;
  }

  return {
    ofAddress,
    ofToken,
    ofLookAlike,
    tokensOn,
    contractsOn(explorer) {
      const found = contractsByExplorer.get(explorer) ?? new Set([...tokensOn(explorer), ...contracts]);
      contractsByExplorer.set(explorer, found);
      return found;
    },
    on(explorer) {
      const known = nameOfByExplorer.get(explorer);
      if (known !== undefined) return known;
      const nameOf: NameOfAddress = (address) => ofAddress(address) ?? ofToken(address, explorer);
      nameOfByExplorer.set(explorer, nameOf);
      return nameOf;
    },
  };
}
