// The places of the parts of a parsed document, and problems that point at them.
import { isAlias, isMap, isScalar, isSeq, type Document, type LineCounter, type ParsedNode, type YAMLMap } from 'yaml';
import type { SourceLines } from './lines.ts';
import { offsetsIn } from './offsets.ts';
import { seen, type Problem, type TextSpan } from '../problem.ts';
import type { Path, ProblemAt } from './written.ts';

export type YamlNode = ParsedNode | null | undefined;

interface PlacesOptions {
  readonly file: string;
  readonly text: string;
  readonly lines: SourceLines;
  readonly document: Document.Parsed;
  /** Filled by the parser of the document. */
  readonly counter: LineCounter;
  /** The value of each alias that has been resolved. */
  readonly targets: ReadonlyMap<unknown, YamlNode>;
}

export class Places {
  readonly #file: string;
  readonly #text: string;
  readonly #lines: SourceLines;
  readonly #document: Document.Parsed;
  readonly #counter: LineCounter;
  readonly #targets: ReadonlyMap<unknown, YamlNode>;
  readonly #pairs = new WeakMap<object, ReadonlyMap<string, Pair>>();

  constructor({ file, text, lines, document, counter, targets }: PlacesOptions) {
    this.#file = file;
    this.#text = text;
    this.#lines = lines;
    this.#document = document;
    this.#counter = counter;
    this.#targets = targets;
  }

  lineOf(path: Path): number {
    return this.positionAt(this.#find(path).start).line;
  }

  problem(path: Path, { message, hint, key, within }: ProblemAt): Problem {
    const span = this.#span(path, key, within);
    return this.problemAt(span, key === undefined ? path : [...path, key], message, hint);
  }

  #span(path: Path, key: string | undefined, within: TextSpan | undefined): TextSpan {
    if (key !== undefined) return this.#find([...path, key], true);
    const whole = this.#find(path);
    const node = within === undefined ? undefined : this.#nodeAt(path);
    if (within === undefined || !isScalar(node)) return whole;
    const offsets = offsetsIn(this.#text, node);
    const start = offsets(within.start);
    return { start, end: Math.max(start + 1, offsets(Math.max(within.start, within.end - 1)) + 1) };
  }

  problemAt(span: TextSpan, path: Path, message: string, hint: string | undefined): Problem {
    const { line, column } = this.positionAt(span.start);
    const frame = this.#lines.frame(line, column, span.end - span.start);
    const shared = { file: this.#file, line, column, path: showPath(path), message: seen(message), frame };
    return hint === undefined ? shared : { ...shared, hint: seen(hint) };
  }

  positionAt(offset: number): { line: number; column: number } {
    const { line, col } = this.#counter.linePos(Math.min(offset, this.#text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #nodeAt(path: Path): YamlNode {
    let node: YamlNode = this.#document.contents;
    for (const step of path) {
      node = this.#resolved(node);
      if (isMap(node)) node = this.#pairOf(node, step)?.value;
      else if (isSeq(node)) node = node.items[Number(step)];
      else return undefined;
    }
    return this.#resolved(node);
  }

  /** The place of the value at the path, or of its key. If it is missing, that of the innermost part that exists. */
  #find(path: Path, asKey = false): TextSpan {
    let node: YamlNode = this.#document.contents;
    let at: YamlNode = node;
    for (const [i, step] of path.entries()) {
      node = this.#resolved(node);
      if (isMap(node)) {
        const pair = this.#pairOf(node, step);
        if (pair === undefined) break;
        const isLast = i === path.length - 1;
        at = (isLast && asKey) || isEmpty(pair.value) ? (pair.key as YamlNode) : pair.value;
        node = pair.value;
      } else if (isSeq(node)) {
        at = node = node.items[Number(step)] ?? at;
      } else break;
    }
    return spanOf(at);
  }

  #pairOf(map: YAMLMap.Parsed, name: string | number): Pair | undefined {
    const known = this.#pairs.get(map) ?? pairsOf(map.items);
    this.#pairs.set(map, known);
    return known.get(String(name));
  }

  #resolved(node: YamlNode): YamlNode {
    return isAlias(node) ? this.#targets.get(node) : node;
  }
}

interface Pair {
  readonly key: unknown;
  readonly value: YamlNode;
}

function pairsOf(items: readonly unknown[]): ReadonlyMap<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const pair of items as readonly Pair[])
    if (isScalar(pair.key) && !pairs.has(String(pair.key.value))) pairs.set(String(pair.key.value), pair);
  return pairs;
}

function isEmpty(node: YamlNode): boolean {
  return node === null || node === undefined || (isScalar(node) && node.source === '' && node.type === 'PLAIN');
}

export function spanOf(node: YamlNode): TextSpan {
  const [start, end] = node?.range ?? [0, 1];
  return { start, end };
}

function showPath(path: Path): string {
  return seen(
    path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${nameIn(step)}`)).join(''),
  );
}

/**
 * Removes the value from a key such as `api_key:abc` or `api_key=abc`. YAML reads all of it as a key, and the value may
 * be a secret.
 */
function nameIn(key: string): string {
  return key.replace(/(?<=\w)[:=].*/s, '');
}
