// The functions and events of an ABI file, each as a text that the parser of signatures reads.

export interface AbiEntry {
  readonly name: string;
  /** `Deposit(address,uint256)` */
  readonly canonical: string;
  /** `Deposit(address indexed owner, uint256 arg1)` */
  readonly text: string;
  /** `totalAssets() view returns (uint256)`; null for events, and for functions that change something. */
  readonly view: string | null;
  /** Whether each argument is indexed. */
  readonly layout: readonly boolean[];
}

export interface Abi {
  readonly functions: readonly AbiEntry[];
  readonly events: readonly AbiEntry[];
}

export const EMPTY_ABI: Abi = { functions: [], events: [] };

/** The entries of all, equal ones once: the first of them. */
export function joinAbis(abis: readonly Abi[]): Abi {
  return {
    functions: onceEach(
      abis.flatMap(({ functions }) => functions),
      ({ canonical }) => canonical,
    ),
    events: onceEach(
      abis.flatMap(({ events }) => events),
      ({ canonical, layout }) => `${canonical} ${layout.join()}`,
    ),
  };
}

function onceEach(entries: readonly AbiEntry[], idOf: (entry: AbiEntry) => string): readonly AbiEntry[] {
  return [...new Map(entries.map((entry) => [idOf(entry), entry] as const).toReversed()).values()].toReversed();
}
