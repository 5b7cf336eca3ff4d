// Own keys of a kind that are lists of addresses: their names and groups become addresses.
import type { ExplorerSettings } from '../../config/model.ts';
import { addressesNamed } from './expand.ts';
import type { Compiling } from './model.ts';

/** The options of a watch on one explorer, with addresses in lower case. A name without an address is reported. */
export function addressOptions(compiling: Compiling, options: unknown, explorer: ExplorerSettings): unknown {
  const { kind } = compiling;
  if (kind.addressOptions === undefined) return options;
  const resolved = Object.entries(options ?? {}).map(([key, value]: [string, unknown]) => {
    const isNamed = kind.addressOptions?.includes(key) === true && Array.isArray(value);
    return [key, isNamed ? keysOf(compiling, { key, written: value.map(String), explorer }) : value] as const;
  });
  return Object.fromEntries(resolved);
}

interface WrittenAddresses {
  readonly key: string;
  readonly written: readonly string[];
  readonly explorer: ExplorerSettings;
}

function keysOf(compiling: Compiling, { key, written, explorer }: WrittenAddresses): readonly string[] {
  const addresses = addressesNamed(compiling, { key, written }, explorer);
  return [...new Set(addresses.map(({ key: address }) => address))].toSorted();
}
