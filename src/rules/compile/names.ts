// The names that the config gives addresses and tokens, whichever rule uses them.
import type { Name } from '../../config/model.ts';
import type { Address } from '../../core/values/address.ts';

/** The name of an address or a token on one explorer; null = it has none. */
export type NameOf = (address: Address) => string | null;

export interface Names {
  readonly ofAddress: NameOf;
  ofToken(address: Address, explorer: string): string | null;
  /** One function for all watches of an explorer, since it lives as long as they do. It holds nothing else of a load. */
  on(explorer: string): NameOf;
}

export function createNames(meanings: ReadonlyMap<string, Name>): Names {
  const addressNames = new Map<string, string>();
  const tokenNames = new Map<string, string>();
  const nameOfByExplorer = new Map<string, NameOf>();

  const ofAddress: NameOf = ({ key }) => addressNames.get(key) ?? null;
  const ofToken = ({ key }: Address, explorer: string): string | null =>
    tokenNames.get(`${explorer} ${key}`) ?? tokenNames.get(key) ?? null;

  for (const [name, meaning] of meanings) {
    if (meaning.type === 'address' && !addressNames.has(meaning.address.key))
      addressNames.set(meaning.address.key, name);
    if (meaning.type !== 'token') continue;
    if (meaning.everywhere !== null) tokenNames.set(meaning.everywhere.key, name);
    for (const [explorer, address] of meaning.byExplorer) tokenNames.set(`${explorer} ${address.key}`, name);
  }

  return {
    ofAddress,
    ofToken,
    on(explorer) {
      const known = nameOfByExplorer.get(explorer);
      if (known !== undefined) return known;
      const nameOf: NameOf = (address) => ofAddress(address) ?? ofToken(address, explorer);
      nameOfByExplorer.set(explorer, nameOf);
      return nameOf;
    },
  };
}
