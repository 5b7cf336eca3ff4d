// The fields of a transaction that are read from its call data.
import { canonicalSignature, selectorOf } from '../../lib/abi/signature.ts';
import { hash, oneOf } from '../values/field-declarations.ts';
import { isView, valueAt, type AnyView, type Field, type Fields, type Lacking, type RawRow } from '../values/fields.ts';
import { argumentRecords, argumentValues, unreadList, type DecimalsOf } from './argument-fields.ts';
import { argumentsIn, NO_SELECTOR, selectorIn } from './call-data.ts';
import { CATALOGUE_NAMES, knownFunction, type NamedFunction } from './catalogue.ts';

/** The functions whose arguments a watch reads, and the decimals of arguments that are amounts. */
export interface ReadCalls {
  readonly functions: readonly NamedFunction[];
  /** By the name of the argument. */
  readonly decimals: Readonly<Record<string, number>>;
}

type FindFunction = (selector: string) => NamedFunction | undefined;

const ADVICE = 'Name the function in calls: with its signature, such as sweep(address to).';

/** The fields of every transaction: `called` is a name of the catalogue. */
export const KNOWN_CALL_FIELDS = {
  selector: { ...selectorField(), type: { type: 'hash', mayBeEmpty: true } },
  called: calledField(CATALOGUE_NAMES, knownFunction),
} as const satisfies Fields;

export const KNOWN_CALL_LACKING = lackingOf(knownFunction, () => undefined);

function selectorField(): Field<string> {
  return hash('first four bytes of the call data; none for creations and plain transfers', { fromRow: selectorIn });
}

function calledField(names: readonly string[], find: FindFunction): Field<string> {
  const field = oneOf('function called, by the signatures that are known here', names, {
    fromRow: (row) => find(selectorIn(row) ?? '')?.name,
  });
  return { ...field, type: { type: 'word', values: names, isClosed: true, advice: ADVICE } };
}

/** The fields of a watch with `calls:`, and a function that finds the fields that a row does not have. */
export function callFieldsOf({ functions, decimals }: ReadCalls): {
  readonly fields: Fields;
  readonly lacking: Lacking;
} {
  const bySelector = new Map(functions.map((named) => [selectorOf(named.signature), named]));
  const own: FindFunction = (selector) => bySelector.get(selector);
  const find: FindFunction = (selector) => own(selector) ?? knownFunction(selector);
  const names = [...new Set([...functions.map(({ name }) => name), ...CATALOGUE_NAMES])];
  const readBy = (decimalsOf: DecimalsOf) => (row: RawRow) => argumentRow(row, own(selectorIn(row) ?? ''), decimalsOf);
  return {
    fields: {
      called: calledField(names, find),
      ...argumentRecords(functions, { decimals, readBy, doc: 'arguments of the functions in calls:' }),
    },
    lacking: lackingOf(find, own),
  };
}

/**
 * A row without a function, or with another one, has no value at these paths. Such a value is absent, not unknown, so a
 * condition on it is decided.
 */
function lackingOf(find: FindFunction, withArguments: FindFunction): Lacking {
  return {
    by: 'selector',
    covers: (path) => ['selector', 'called'].includes(path) || /^(?:args|raw)\./.test(path),
    lacks(view, path) {
      const selector = valueAt(view, 'selector');
      if (typeof selector !== 'string') return false;
      if (selector === NO_SELECTOR) return true;
      const [first, argument] = path.split('.');
      if (first === 'called') return find(selector) === undefined;
      if (first === 'selector') return false;
      return withArguments(selector)?.signature.args.every(({ name }) => name !== argument) ?? true;
    },
    misfitOf(view, path) {
      const selector = valueAt(view, 'selector');
      const called = typeof selector === 'string' && path.includes('.') ? withArguments(selector) : undefined;
      if (called === undefined || !hasData(view) || valueAt(view, path) !== undefined) return null;
      const [first = ''] = path.split('.');
      return isView(valueAt(view, first))
        ? unreadList(path)
        : `the call data does not fit ${canonicalSignature(called.signature)}`;
    },
  };
}

/** False for a row of a rule test that names the function: an argument that it leaves out is unknown. */
function hasData(view: AnyView): boolean {
  return ['raw_input', 'decoded_input'].some((path) => valueAt(view, path) !== undefined);
}

function argumentRow(row: RawRow, called: NamedFunction | undefined, decimalsOf: DecimalsOf): RawRow | undefined {
  if (called === undefined) return undefined;
  const { args } = called.signature;
  const values = argumentsIn(row, args);
  return values === null ? undefined : argumentValues(args, values, decimalsOf);
}
