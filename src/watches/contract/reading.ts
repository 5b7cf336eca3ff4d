// The fields of a contract, and the set of contracts behind a proxy.
import { Address } from '../../core/values/address.ts';
import { address, bool } from '../../core/values/field-declarations.ts';
import type { View } from '../../core/values/fields.ts';
import { RecordType } from '../../core/values/record-type.ts';
import type { AnyView } from '../../core/values/fields.ts';
import { AddressDetails } from '../../explorer/reading/resources/address.ts';
import { SmartContract } from '../../explorer/reading/resources/smart-contract.ts';

const {
  implementations,
  proxy_type,
  is_verified,
  is_contract,
  name,
  creation_status,
  creator_address_hash,
  reputation,
} = AddressDetails.fields;

/** The fields that come from the explorer. */
export const ContractDetails = new RecordType('ContractDetails', {
  ...SmartContract.fields,
  implementations,
  proxy_type,
  is_verified,
  is_contract,
  name,
  creation_status,
  creator_address_hash,
  reputation,
});
export type ContractDetailsView = View<typeof ContractDetails.fields>;

export interface ContractReading {
  readonly view: ContractDetailsView;
  /** The answers from which the reading was made. */
  readonly rows: readonly AnyView[];
  /** The reason why the code and its source were not read; null if they were, or no rule reads them. */
  readonly unread: string | null;
}

/** Joins the answer about the address with the answer about its code, which is null if there is none. */
export function withSource(
  details: View<typeof AddressDetails.fields>,
  source: View<typeof SmartContract.fields> | null,
): ContractDetailsView {
  if (source === null) return ContractDetails.over(details, {});
  const { code_hash, conflicting, is_changed_bytecode, verified_at, compiler_version } = source;
  return ContractDetails.over(details, { code_hash, conflicting, is_changed_bytecode, verified_at, compiler_version });
}

/** True for a path that only the answer about the code has. */
export function isOfSource(path: string): boolean {
  return Object.hasOwn(SmartContract.fields, path);
}

export const Contract = new RecordType('Contract', {
  implementation: address('the contract behind a proxy; unknown if there are several'),
  ...ContractDetails.fields,
  is_expected: bool('whether every implementation is one of `expected`'),
});
export type ContractView = View<typeof Contract.fields>;

export type ImplementationView = NonNullable<ContractDetailsView['implementations']>[number];

/** An implementation whose address is known. */
export interface Listed {
  readonly view: ImplementationView;
  readonly address: Address;
}

/**
 * The contracts behind a proxy, by rising address. Null if the list is unknown or empty: explorers show an empty list
 * when they fail to detect the implementation.
 */
export function listedIn({ implementations: shown = [] }: Pick<ContractDetailsView, 'implementations'>) {
  const byKey = new Map<string, Listed>();
  for (const view of shown) {
    const { address_hash } = view;
    if (address_hash === undefined) return null;
    byKey.set(address_hash.key, { view, address: address_hash });
  }
  return byKey.size === 0 ? null : [...byKey.values()].toSorted((a, b) => (a.address.key < b.address.key ? -1 : 1));
}

export function keysOf(listed: readonly Listed[]): readonly string[] {
  return listed.map(({ address: { key } }) => key);
}

/** Whether two sets have the same addresses. Their names do not count. */
export function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, i) => key === other[i]);
}
