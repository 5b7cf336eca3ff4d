// Names in conditions and templates, resolved against the table of the kind's record.
import { identityOf } from '../cel/environment.ts';
import { typeAt, type AnyRecord, type FieldType } from '../../../core/values/fields.ts';
import { isNotYet } from '../../../config/issues.ts';
import { hintFor, nearest } from '../../../config/nearest.ts';
import { quote } from '../../../config/scalars.ts';
import type { Window } from '../../../core/model/condition.ts';
import type { ConditionUse, Language } from '../model.ts';
import type { Mistake } from '../mistake.ts';
import { isAccess, isName, type Node } from '../syntax.ts';
import { BEFORE, RESERVED_NAMES, WINDOW_NAME } from '../words.ts';

/** A field that was named: its full path in the table, and whether the value before is meant. */
export interface Resolved {
  /** Empty for the record itself. */
  readonly path: string;
  readonly before: boolean;
  readonly type: FieldType;
}

export type Resolution = Resolved | { readonly constant: true } | { readonly failed: Failure };

/** Which of the names is wrong, counted from the left. */
interface Failure {
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
    return follow(kind.fields, names, { skipped: 0, isBefore: false });
  if (first === kind.noun) return follow(kind.fields, rest, { skipped: 1, isBefore: false });
  if (first === BEFORE) {
    if (before) return follow(kind.fields, rest, { skipped: 1, isBefore: true });
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
  if (meaning === undefined) return failed(0, unknownName(first, kind.name), hintForName(language, first, rest));
  return rest.length === 0
    ? { constant: true }
    : failed(1, `${quote(first)} is an address: it has no ${quote(rest[0] ?? '')}`);
}

function unknownName(name: string, kind: string): string {
  return isNotYet(name) ? `${name} is not supported yet` : `${kind} has no field ${quote(name)}`;
}

function hintForName({ kind, names }: Language, name: string, rest: readonly string[]): string | undefined {
  const window = WINDOW_NAME.exec(name);
  if (window !== null) return `In a condition it is ${window[1] ?? ''}("${window[2] ?? ''}").`;
  // `tx.value` where the record is called otherwise.
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

// Behind free-form JSON the table says nothing more.
function follow(table: AnyRecord, names: readonly string[], { skipped, isBefore }: LookBehind): Resolution {
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
        hintFor(name, Object.keys(type.record.fields)),
      );
    }
    path.push(name);
    type = next;
  }
  return { path: path.join('.'), before: isBefore, type };
}

export interface Paths {
  /** Full paths that were read so far. */
  readonly reads: ReadonlySet<string>;
  /** Those of them that were read of the last known values. */
  readonly readsBefore: ReadonlySet<string>;
  /** Windows of the watch's history that are asked. */
  readonly windows: readonly Window[];
  /** The node at the left end of a chain of dots. */
  baseOf(node: Node): Node;
  /** Whether it is a name of the config. */
  isConstant(node: Node, locals: ReadonlySet<string>): boolean;
  /** Notes that the path is read, or says what is wrong with it. */
  read(node: Node, locals: ReadonlySet<string>): Mistake | undefined;
  /** Notes that the history of a path is read; the path that the rule named, or the kind's own. */
  lookBack(window: Omit<Window, 'path'>, named: Node | undefined): Window | Complaint;
}

/** Says what is wrong, for whoever knows the place. */
export interface Complaint {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** For one condition: it gathers what is read. */
export function createPaths(language: Language, { before, windows: canLook }: ConditionUse): Paths {
  const windows: Window[] = [];
  const reads = new Set<string>();
  const readsBefore = new Set<string>();
  const resolve = (
    node: Node,
    locals: ReadonlySet<string>,
  ): { chain: readonly Node[]; found: Resolution } | undefined => {
    const chain = chainOf(node);
    const names = chain.map(nameOf);
    return locals.has(names[0] ?? '') ? undefined : { chain, found: resolveNames(language, names, before) };
  };
  return {
    reads,
    readsBefore,
    windows,
    lookBack(asked, named) {
      const path = historyPath(language, { canLook, names: named && chainOf(named).map(nameOf) });
      if (typeof path !== 'string') return path;
      const window = { ...asked, path };
      reads.add(path);
      windows.push(window);
      return window;
    },
    baseOf: (node) => chainOf(node)[0] ?? node,
    isConstant(node, locals) {
      const found = resolve(node, locals)?.found;
      return found !== undefined && 'constant' in found;
    },
    read(node, locals) {
      const resolved = resolve(node, locals);
      if (resolved === undefined) return undefined;
      const { chain, found } = resolved;
      if ('failed' in found) {
        const hint =
          found.failed.hint ?? (chain.length === 1 ? `A text is written in quotes: "${nameOf(node)}".` : undefined);
        return mistakeAt(chain[found.failed.at] ?? node, { ...found.failed, hint });
      }
      if ('constant' in found) return undefined;
      if (found.path === '')
        return mistakeAt(node, {
          at: 0,
          message: `${nameOf(node)} is the whole record`,
          hint: 'Name one of its fields.',
        });
      reads.add(readPath(found));
      if (found.before) readsBefore.add(readPath(found));
      return undefined;
    },
  };
}

/** The path whose history is meant; without names, the one that the kind measures. */
export function historyPath(
  language: Language,
  { canLook, names }: { canLook: boolean; names: readonly string[] | undefined },
): string | Complaint {
  const { kind } = language;
  if (!canLook || kind.while === null)
    return { message: 'there is no history here', hint: 'Windows belong to while and until.' };
  if (names === undefined)
    return kind.while.measured ?? { message: 'say whose history is meant', hint: 'Write change(price, "1h").' };
  const found = resolveNames(language, names, false);
  if ('failed' in found) return found.failed;
  const isNumber = 'path' in found && ['amount', 'int', 'double'].includes(found.type.type);
  return isNumber ? found.path : { message: `${quote(names.join('.'))} is no number: it has no history` };
}

/** A record that is looked at as a whole is looked at for the address that it is. */
export function readPath({ path, type }: Resolved): string {
  const identity = type.type === 'record' ? identityOf(type.record) : undefined;
  return identity === undefined ? path : `${path}.${identity}`;
}

/** The names of a path; undefined when it does not start with one. */
export function namesOf(node: Node): readonly string[] | undefined {
  const chain = chainOf(node);
  return chain[0] !== undefined && isName(chain[0]) ? chain.map(nameOf) : undefined;
}

/** `a`, `a.b`, `a.b.c` for `a.b.c`; starts with what is no dot. */
function chainOf(node: Node): readonly Node[] {
  return isAccess(node) ? [...chainOf(node.args[0]), node] : [node];
}

function nameOf(node: Node): string {
  return isAccess(node) ? node.args[1] : isName(node) ? node.args : '';
}

function mistakeAt(node: Node, { message, hint }: Failure): Mistake {
  return { message, hint, start: node.pos, end: node.end };
}
