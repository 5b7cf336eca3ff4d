// Names in conditions and templates, resolved against the table of the kind's record and the names of the config.
import { isNotYet } from '../../../config/unknown-keys.ts';
import { hintFor, nearest } from '../../../config/values/nearest.ts';
import { quote } from '../../../config/values/scalars.ts';
import { typeAt, type FieldType } from '../../../core/values/fields.ts';
import { identityOf } from '../cel/environment.ts';
import type { Language } from '../model.ts';
import { ALL_TOKENS, BEFORE, RESERVED_NAMES, WINDOW_NAME, WINDOWS } from '../words.ts';

/** A resolved field: its full path in the table, and whether the value before is meant. */
export interface Resolved {
  /** Empty for the record itself. */
  readonly path: string;
  readonly before: boolean;
  readonly type: FieldType;
}

export type Resolution = Resolved | { readonly constant: true } | { readonly failed: Failure };

/** The mistake in the name at position `at`, counted from the left. */
export interface Failure {
  readonly at: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Resolves `before.token.reputation`, `tx.type` or `vault`, given as its parts. */
export function resolveNames(language: Language, names: readonly string[], before: boolean): Resolution {
  const { kind, names: config, explorer } = language;
  const [first = '', ...rest] = names;
  const { fields } = kind.fields;
  if (Object.hasOwn(fields, first) && !RESERVED_NAMES.includes(first))
    return follow(kind, names, { skipped: 0, isBefore: false });
  if (first === kind.noun) return follow(kind, rest, { skipped: 1, isBefore: false });
  if (first === BEFORE) {
    if (before) return follow(kind, rest, { skipped: 1, isBefore: true });
    return failed(
      0,
      'there is no before here',
      'It exists for `on: changed`, and for `while` of kinds that notice changes.',
    );
  }
  if (Object.hasOwn(fields, first))
    return failed(0, `bare ${first} is a function of CEL`, `Write ${kind.noun}.${first}.`);
  const meaning = config.get(first);
  if (meaning === 'absent')
    return failed(
      0,
      `${quote(first)} has no address on ${explorer}`,
      `Add one in the config: tokens: ${first}: ${explorer}.`,
    );
  if (meaning === undefined && first === ALL_TOKENS)
    return failed(
      0,
      `no token is named on ${explorer}: this never holds`,
      `Name the tokens in the config under ${ALL_TOKENS}:.`,
    );
  if (meaning === undefined) return failed(0, unknownName(first, kind.name), hintForName(language, first, rest));
  return rest.length === 0
    ? { constant: true }
    : failed(1, `${quote(first)} is an address: it has no ${quote(rest[0] ?? '')}`);
}

function unknownName(name: string, kind: string): string {
  return isNotYet(name) ? `${name} is not supported yet` : `${kind} has no field ${quote(name)}`;
}

function hintForName({ kind, names }: Language, name: string, rest: readonly string[]): string | undefined {
  const { fields: elsewhere = {} } = kind.advice ?? {};
  if (Object.hasOwn(elsewhere, name)) return elsewhere[name];
  const window = WINDOW_NAME.exec(name);
  if (window !== null) return `In a condition it is ${window[1] ?? ''}("${window[2] ?? ''}").`;
  if (WINDOWS.includes(name)) return `Write ${name}("1h").`;
  if (/^(?:true|yes)$/i.test(name)) return 'Write true.';
  if (/^(?:false|no)$/i.test(name)) return 'Write false.';
  if (/^(?:none|nil)$/i.test(name)) return 'Ask with has(x), or !has(x).';
  // For `tx.value` in a kind with another noun.
  if (rest.length > 0 && typeAt(kind.fields, rest.join('.')) !== undefined)
    return `Here it is ${kind.noun}.${rest.join('.')}.`;
  const direct = nearest(name, [...Object.keys(kind.fields.fields), ...names.keys(), kind.noun, BEFORE]);
  if (direct !== undefined) return `Did you mean ${direct}?`;
  const deeper = Object.entries(kind.fields.fields).find(
    ([, { type }]) => type.type === 'record' && Object.hasOwn(type.record.fields, name),
  );
  if (deeper !== undefined) return `Did you mean ${deeper[0]}.${name}?`;
  return hintFor(name, Object.keys(kind.fields.fields));
}

function failed(at: number, message: string, hint?: string): { failed: Failure } {
  return { failed: { at, message, hint } };
}

interface LookBehind {
  /** Names in front of the path: the noun, or `before`. */
  readonly skipped: number;
  readonly isBefore: boolean;
}

// Paths into free-form JSON are not checked: the table does not describe them.
function follow(
  { fields: table, advice }: Pick<Language['kind'], 'fields' | 'advice'>,
  names: readonly string[],
  { skipped, isBefore }: LookBehind,
): Resolution {
  let type: FieldType = { type: 'record', record: table };
  const path: string[] = [];
  for (const [i, name] of names.entries()) {
    if (type.type === 'json') break;
    if (type.type === 'list')
      return failed(i + skipped, `${path.join('.')} is a list`, `Write ${path.join('.')}.exists(x, ...).`);
    if (type.type !== 'record') return failed(i + skipped, `${path.join('.')} has no parts`, undefined);
    const next = typeAt(type.record, name);
    if (next === undefined) {
      const owner = path.length === 0 ? table.name : path.join('.');
      return failed(
        i + skipped,
        `${owner} has no field ${quote(name)}`,
        advice?.parts?.[owner] ?? hintFor(name, Object.keys(type.record.fields)),
      );
    }
    path.push(name);
    type = next;
  }
  return { path: path.join('.'), before: isBefore, type };
}

/** The path that is read. For a record it is the path of its address field. */
export function readPath({ path, type }: Resolved): string {
  const identity = type.type === 'record' ? identityOf(type.record) : undefined;
  return identity === undefined ? path : `${path}.${identity}`;
}
