// The paths that one condition reads: of the record, of its last known values, and of the watch's history.
import { quote } from '../../../config/values/scalars.ts';
import type { Window } from '../../../core/model/watch/condition.ts';
import type { ConditionMistake } from '../mistake.ts';
import type { ConditionUse, Language } from '../model.ts';
import { isAccess, isName, type Node } from '../syntax.ts';
import { readPath, resolveNames, type Failure, type Resolution } from './names.ts';

export interface Paths {
  /** Full paths that were read so far. */
  readonly reads: ReadonlySet<string>;
  /** The subset of `reads` that is read from the last known values. */
  readonly readsBefore: ReadonlySet<string>;
  /** The windows of the watch's history that the condition reads. */
  readonly windows: readonly Window[];
  /** The node at the left end of a chain of dots. */
  baseOf(node: Node): Node;
  /** Whether the node is a name of the config. */
  isConstant(node: Node, locals: ReadonlySet<string>): boolean;
  /** Whether the node is a record, such as `to`. */
  isRecord(node: Node, locals: ReadonlySet<string>): boolean;
  /** Records that the path is read, or returns the mistake. */
  read(node: Node, locals: ReadonlySet<string>): ConditionMistake | undefined;
  /** Records a window over the path `named`, or over the kind's default path if `named` is undefined. */
  lookBack(window: Omit<Window, 'path'>, named: Node | undefined): Window | Complaint;
}

/** A mistake, without its place. */
export interface Complaint {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The paths of one condition, recorded while it is read. */
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
    isRecord(node, locals) {
      const found = resolve(node, locals)?.found;
      return found !== undefined && 'path' in found && found.type.type === 'record';
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
      const { lacking } = language.kind.fields;
      if (lacking?.covers(found.path) === true) reads.add(lacking.by);
      if (found.before) readsBefore.add(readPath(found));
      return undefined;
    },
  };
}

/** The path of a window; without names, the kind's default. */
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

/** The names of a path; undefined when it does not start with one. */
export function namesOf(node: Node): readonly string[] | undefined {
  const chain = chainOf(node);
  return chain[0] !== undefined && isName(chain[0]) ? chain.map(nameOf) : undefined;
}

/** `a`, `a.b`, `a.b.c` for `a.b.c`; the first node is no access. */
function chainOf(node: Node): readonly Node[] {
  return isAccess(node) ? [...chainOf(node.args[0]), node] : [node];
}

function nameOf(node: Node): string {
  return isAccess(node) ? node.args[1] : isName(node) ? node.args : '';
}

function mistakeAt(node: Node, { message, hint }: Failure): ConditionMistake {
  return { message, hint, start: node.pos, end: node.end };
}
