// Warns about a comparison that never holds: a contract signs no transaction, so it is never the sender of one.
import type { Name } from '../../config/model.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { Clause, Condition, Equality } from '../../core/model/watch/condition.ts';
import { Address } from '../../core/values/address.ts';
import { typeAt } from '../../core/values/fields.ts';
import type { Compiling } from './model.ts';

export function warnOfContractSender({ kind, warn, catalogue }: Compiling, path: Path, condition: Condition): void {
  for (const { text, equals } of asked(condition.clause())) {
    if (equals === null || equals.isNegated || typeAt(kind.fields, equals.path)?.type !== 'address') continue;
    const signs = kind.fields.fields[equals.path.split('.')[0] ?? '']?.signs;
    const who = signs === undefined ? null : contractsIn(catalogue.config.names, equals.value);
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

/** `treasury is a contract: it signs no transaction`; null if the config does not say that of all of them. */
function contractsIn(names: ReadonlyMap<string, Name>, value: Equality['value']): string | null {
  if ('is' in value) return null;
  const written = 'name' in value ? value.name : value.text;
  const name = names.get(written);
  const address = name?.type === 'address' ? name.address : Address.parse(written);
  if (address !== undefined)
    return isContract(names, address) ? `${written} is a contract: it signs no transaction` : null;
  const members = name?.type === 'group' ? name.addresses : [];
  const areContracts = members.length > 0 && members.every((member) => isContract(names, member));
  return areContracts ? `${written} are contracts: they sign no transactions` : null;
}

/** An address that has another name with `is: wallet` signs. */
function isContract(names: ReadonlyMap<string, Name>, { key }: Address): boolean {
  const forms = [...names.values()].flatMap((one) =>
    one.type === 'address' && one.address.key === key && one.is !== null ? [one.is] : [],
  );
  return forms.length > 0 && !forms.includes('wallet');
}
