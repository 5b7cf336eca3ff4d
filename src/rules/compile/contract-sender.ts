// Warns about a comparison that never holds: a contract signs no transaction, so it is never the sender of one.
import type { Name } from '../../config/model.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { Clause, Condition, Equality } from '../../core/model/watch/condition.ts';
import { Address } from '../../core/values/address.ts';
import { typeAt } from '../../core/values/fields.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Compiling } from './model.ts';

export function warnOfContractSender({ kind, warn, catalogue }: Compiling, path: Path, condition: Condition): void {
  const contracts = contractsIn(catalogue.config.names);
  // Most configs name none; then no condition is taken apart.
  if (contracts.size === 0 || !hasSigner(kind)) return;
  for (const { text, equals } of asked(condition.clause())) {
    if (equals === null || equals.isNegated || typeAt(kind.fields, equals.path)?.type !== 'address') continue;
    const signs = kind.fields.fields[equals.path.split('.')[0] ?? '']?.signs;
    const who = signs === undefined ? null : whoIn(catalogue.config.names, contracts, equals.value);
    if (signs === undefined || who === null) continue;
    const start = Math.max(0, condition.text.indexOf(text));
    const message = `${who}, so "${text}" is never true`;
    warn(path, { message, hint: signs, within: { start, end: start + text.length } });
  }
}

/** The parts that have to be true, or may be, for the condition to be true. */
function asked(clause: Clause): readonly Clause[] {
  return clause.joins === null ? [clause] : clause.joins === 'not' ? [] : clause.parts.flatMap(asked);
}

function hasSigner({ fields }: Compiling['kind']): boolean {
  return Object.values(fields.fields).some(({ signs }) => signs !== undefined);
}

/** Keys of the addresses that are contracts. An address that has another name with `is: wallet` signs. */
const contractsIn = remembered((names: ReadonlyMap<string, Name>): ReadonlySet<string> => {
  const described = [...names.values()].flatMap((name) => (name.type === 'address' && name.is !== null ? [name] : []));
  const wallets = new Set(described.filter(({ is }) => is === 'wallet').map(({ address }) => address.key));
  return new Set(described.map(({ address }) => address.key).filter((key) => !wallets.has(key)));
});

/** `treasury is a contract: it signs no transaction`; null if the config does not say that of all of them. */
function whoIn(
  names: ReadonlyMap<string, Name>,
  contracts: ReadonlySet<string>,
  value: Equality['value'],
): string | null {
  if ('is' in value) return null;
  const written = 'name' in value ? value.name : value.text;
  const name = names.get(written);
  const address = name?.type === 'address' ? name.address : Address.parse(written);
  if (address !== undefined)
    return contracts.has(address.key) ? `${written} is a contract: it signs no transaction` : null;
  const members = name?.type === 'group' ? name.addresses : [];
  const areContracts = members.length > 0 && members.every(({ key }) => contracts.has(key));
  return areContracts ? `${written} are contracts: they sign no transactions` : null;
}
