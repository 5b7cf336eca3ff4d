// Values that are remembered from poll to poll, by path. `before` shows them and `changed` compares them.
import { decodeEncoded, encode } from './encoded.ts';
import { isRow, valueAt, type AnyRecord, type AnyView, type Json } from './fields.ts';

/** Encoded values by path. Null: read, but never known. A missing path was never read. */
export type Remembered = Readonly<Record<string, Json>>;

export interface Tracking {
  /** The same object as before when nothing differs. */
  readonly after: Remembered;
  readonly changed: readonly string[];
}

/**
 * Compares a view with the remembered values. A value that became unknown keeps its last known one. The first reading
 * of a path is no change; an unknown value that becomes known is one.
 */
export function track(before: Remembered | null, view: AnyView, paths: readonly string[]): Tracking {
  let after: Record<string, Json> | null = before === null ? {} : null;
  const changed: string[] = [];
  for (const path of paths) {
    const known = before?.[path];
    const now = encodedAt(view, path);
    if (known !== undefined && (now === null || isSame(known, now))) continue;
    after ??= { ...before };
    after[path] = now;
    if (known !== undefined) changed.push(path);
  }
  return { after: after ?? before ?? {}, changed };
}

/** The value at the end of a path in the form of the memory: null if it is unknown. */
export function encodedAt(view: AnyView, path: string): Json {
  const value = valueAt(view, path);
  return value === undefined ? null : encode(value);
}

/** The remembered values, as a view of the same record. */
export function viewOf(table: AnyRecord, remembered: Remembered): AnyView {
  const tree: Tree = new Map();
  for (const [path, value] of Object.entries(remembered)) if (value !== null) plant(tree, path.split('.'), value);
  return decodeEncoded({ type: 'record', record: table }, toJson(tree)) as AnyView;
}

type Tree = Map<string, Json | Tree>;

function plant(tree: Tree, path: readonly string[], value: Json): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    tree.set(name, value);
    return;
  }
  const branch = tree.get(name);
  const next: Tree = branch instanceof Map ? branch : new Map<string, Json | Tree>(entriesOf(branch));
  tree.set(name, next);
  plant(next, rest, value);
}

function entriesOf(branch: Json | undefined): [string, Json][] {
  return isRow(branch) ? Object.entries(branch as Readonly<Record<string, Json>>) : [];
}

function toJson(tree: Tree): Json {
  return Object.fromEntries([...tree].map(([name, value]) => [name, value instanceof Map ? toJson(value) : value]));
}

function isSame(a: Json, b: Json): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
