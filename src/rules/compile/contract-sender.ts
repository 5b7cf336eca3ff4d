// Finds comparisons with the sender of a transaction, and warns where the config says that they never hold: a contract
// signs no transaction, so it is never the sender of one.
import type { Name } from '../../config/model.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { Clause, Condition, Equality } from '../../core/model/watch/condition.ts';
import { neverWords, type WantedSender } from '../../core/model/quality/sightings.ts';
import { Address } from '../../core/values/address.ts';
import { typeAt, type AnyRecord } from '../../core/values/fields.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Compiling } from './model.ts';

type Comparison = Omit<WantedSender, 'alert'>;

export function warnOfContractSender(compiling: Compiling, path: Path, condition: Condition): void {
  const { warn, catalogue } = compiling;
  const { contracts } = describedIn(catalogue.config.names);
  // Most configs name no contract; then no condition is analysed.
  if (contracts.size === 0) return;
  for (const wanted of comparisonsIn(compiling, condition)) {
    const { text, members, hint } = wanted;
    if (!members.every((key) => contracts.has(key))) continue;
    const start = Math.max(0, condition.text.indexOf(text));
    warn(path, { message: neverWords(wanted), hint, within: { start, end: start + text.length } });
  }
}

/** The comparisons that these conditions need to be true. An answer may show that one of them is never true. */
export function sendersOf(compiling: Compiling, conditions: readonly Condition[]): readonly Comparison[] {
  const { wallets } = describedIn(compiling.catalogue.config.names);
  return conditions
    .flatMap((condition) => (readsSender(compiling, condition) ? neededIn(compiling, condition.clause()) : []))
    .filter(({ members }) => !members.some((key) => wallets.has(key)));
}

function comparisonsIn(compiling: Compiling, condition: Condition): readonly Comparison[] {
  if (!readsSender(compiling, condition)) return [];
  return asked(condition.clause()).flatMap((clause) => comparisonOf(compiling, clause));
}

/** Most conditions do not read the sender, and are not analysed. */
function readsSender({ kind }: Compiling, { reads }: Condition): boolean {
  const signed = signedIn(kind.fields);
  return reads.some((path) => signed.has(firstOf(path)));
}

function comparisonOf({ kind, catalogue }: Compiling, { text, equals }: Clause): Comparison[] {
  if (equals === null || equals.isNegated || typeAt(kind.fields, equals.path)?.type !== 'address') return [];
  const hint = signedIn(kind.fields).get(firstOf(equals.path));
  const who = hint === undefined ? null : whoIn(catalogue.config.names, equals.value);
  return hint === undefined || who === null ? [] : [{ text, hint, ...who }];
}

/** The parts that can make the condition true. */
function asked(clause: Clause): readonly Clause[] {
  return clause.joins === null ? [clause] : clause.joins === 'not' ? [] : clause.parts.flatMap(asked);
}

/** Alternatives are needed only together: one of them is enough for the condition to hold. */
function neededIn(compiling: Compiling, clause: Clause): readonly Comparison[] {
  if (clause.joins === null) return comparisonOf(compiling, clause);
  if (clause.joins === 'not') return [];
  const needed = clause.parts.map((part) => neededIn(compiling, part));
  return clause.joins === 'all'
    ? needed.flat()
    : togetherOf(
        clause.text,
        needed.map(([first]) => first),
      );
}

function togetherOf(text: string, alternatives: readonly (Comparison | undefined)[]): readonly Comparison[] {
  const all = alternatives.filter((one) => one !== undefined);
  const [first] = all;
  if (first === undefined || all.length < alternatives.length) return [];
  const written = [...new Set(all.map((one) => one.written))].join(', ');
  const members = [...new Set(all.flatMap((one) => one.members))];
  return [{ text, hint: first.hint, written, isGroup: members.length > 1 || first.isGroup, members }];
}

function firstOf(path: string): string {
  return path.split('.')[0] ?? '';
}

/** The fields with the signer of a row, each with a hint at the field that shows calls by contracts. */
const signedIn = remembered(
  ({ fields }: AnyRecord): ReadonlyMap<string, string> =>
    new Map(Object.entries(fields).flatMap(([name, { signs }]) => (signs === undefined ? [] : [[name, signs]]))),
);

/** Keys of the addresses with `is` in the config. An address with two names counts as a wallet if one says so. */
const describedIn = remembered((names: ReadonlyMap<string, Name>) => {
  const described = [...names.values()].flatMap((name) => (name.type === 'address' && name.is !== null ? [name] : []));
  const wallets = new Set(described.filter(({ is }) => is === 'wallet').map(({ address }) => address.key));
  const contracts = new Set(described.map(({ address }) => address.key).filter((key) => !wallets.has(key)));
  return { wallets, contracts };
});

/** Null if the value is no address. */
function whoIn(
  names: ReadonlyMap<string, Name>,
  value: Equality['value'],
): Pick<WantedSender, 'written' | 'isGroup' | 'members'> | null {
  if ('is' in value) return null;
  const written = 'name' in value ? value.name : value.text;
  const name = names.get(written);
  const address = name?.type === 'address' ? name.address : Address.parse(written);
  if (address !== undefined) return { written, isGroup: false, members: [address.key] };
  const members = name?.type === 'group' ? name.addresses.map(({ key }) => key) : [];
  return members.length === 0 ? null : { written, isGroup: true, members };
}
