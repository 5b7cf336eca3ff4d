// Rows of rule tests that say which function was called.
import { CATALOGUE, signatureOf, type NamedFunction } from '../../core/calls/catalogue.ts';
import type { ReadCalls } from '../../core/calls/call-fields.ts';
import type { SyntheticRow } from '../../core/model/watch/script.ts';
import { isView, recordTypeOf, valueAt, type AnyRecord, type AnyView, type RawRow } from '../../core/values/fields.ts';
import { selectorOf } from '../../lib/abi/signature.ts';
import { rawText, type Untrusted } from '../../lib/untrusted.ts';

const PATHS = ['selector', 'called', 'args', 'raw'];

/** The row with what follows from its call data, or from the name of the function and the names of the arguments. */
export function withCall({ view, says }: SyntheticRow, record: AnyRecord, calls: ReadCalls | null): AnyView {
  const follows = says.has('raw_input') ? valuesOf(inputOf(view, record, says)) : namedCall(view, calls);
  const missing = Object.entries(follows).filter(([path]) => !says.has(path));
  return missing.length === 0 ? view : record.over(view, Object.fromEntries(missing));
}

function inputOf(view: AnyView, record: AnyRecord, says: ReadonlySet<string>): AnyView {
  const input = valueAt(view, 'raw_input');
  const row = { raw_input: input === undefined ? null : rawText(input as Untrusted) };
  return record.read({ ...row, to: says.has('created_contract') ? null : {} }, { coin: 0 }) ?? view;
}

function valuesOf(view: AnyView): RawRow {
  const paths = PATHS.filter((path) => Object.hasOwn(recordTypeOf(view).fields, path));
  return Object.fromEntries(paths.map((path) => [path, valueAt(view, path)]));
}

function namedCall(view: AnyView, calls: ReadCalls | null): RawRow {
  const [name, args] = [valueAt(view, 'called'), valueAt(view, 'args')];
  if (name === undefined && args === undefined) return {};
  const written = isView(args) ? namesIn(args) : [];
  const fitting = (calls?.functions ?? []).filter(
    ({ name: own, signature }) =>
      (name === undefined || own === name) && written.every((one) => signature.args.some((arg) => arg.name === one)),
  );
  const isClear = name !== undefined || fitting.length === 1;
  const found = isClear ? (fitting[0] ?? catalogued(name)) : undefined;
  return found === undefined ? {} : { selector: selectorOf(found.signature), called: found.name };
}

function namesIn(args: AnyView): readonly string[] {
  return Object.keys(recordTypeOf(args).fields).filter((name) => valueAt(args, name) !== undefined);
}

function catalogued(name: unknown): NamedFunction | undefined {
  const text = CATALOGUE.find((one) => one.startsWith(`${String(name)}(`));
  return text === undefined ? undefined : { name: String(name), signature: signatureOf(text) };
}
