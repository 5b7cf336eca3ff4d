// Replaces names and groups by addresses in those keys of a kind that are lists of addresses.
import type { ExplorerSettings, Name } from '../../config/model.ts';
import { hintFor } from '../../config/values/nearest.ts';
import { Address } from '../../core/values/address.ts';
import { meaningOn } from './catalogue.ts';
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

/** The options, with addresses for the names that only the kind can find in them. Null after mistakes were reported. */
export function resolvedOptions(
  { kind, catalogue, hasAddress, complain }: Compiling,
  value: unknown,
  explorer: ExplorerSettings,
): { readonly value: unknown } | null {
  if (kind.resolve === undefined) return { value };
  const { names } = catalogue.config;
  const addressesOf = (name: string): readonly Address[] | undefined => addressesOn(names.get(name), explorer.name);
  const { options, mistakes } = kind.resolve(value, addressesOf, { rpc: explorer.rpc, hasAddress });
  for (const { path, message, hint, written } of mistakes)
    complain(path, { message, hint: hint ?? (written === undefined ? undefined : hintFor(written, names.keys())) });
  return mistakes.length > 0 ? null : { value: options };
}

function addressesOn(name: Name | undefined, explorer: string): readonly Address[] | undefined {
  const meaning = name === undefined ? undefined : meaningOn(name, explorer);
  if (meaning === undefined || meaning === 'absent') return undefined;
  return meaning instanceof Address ? [meaning] : meaning;
}
