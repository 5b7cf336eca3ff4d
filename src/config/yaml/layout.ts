// The parsed document of a file: its value, and the places of its parts.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLError,
} from 'yaml';
import { DEEPEST } from './limits.ts';
import type { Lines } from './lines.ts';
import { offsetsIn } from './offsets.ts';
import { fileProblem, seen, type Problem, type Span } from '../problem.ts';
import type { Path, ProblemAt, Written } from './written.ts';

/** A few hundred aliases to small anchors are allowed; more are an expansion attack. */
const MOST_NODES = 200_000;
const MOST_ALIASES = 200;
const MOST_SYNTAX_PROBLEMS = 20;
const REFUSED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

type Node = ParsedNode | null | undefined;

/** A file's value, and the place of every part of it; `problems` are those of its syntax. */
export class Layout {
  readonly problems: Problem[] = [];
  readonly value: Written;
  readonly #file: string;
  readonly #text: string;
  readonly #document: Document.Parsed;
  readonly #counter = new LineCounter();
  // The parser would search the whole document for every alias.
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<unknown, Node>();
  readonly #lines: Lines;
  readonly #pairs = new WeakMap<object, ReadonlyMap<string, Pair>>();
  #nodes = 0;
  #aliases = 0;

  constructor(file: string, text: string, lines: Lines) {
    this.#file = file;
    this.#text = text;
    this.#lines = lines;
    this.#document = withoutStacks(() =>
      parseDocument(text, {
        schema: 'failsafe',
        lineCounter: this.#counter,
        prettyErrors: false,
        stringKeys: true,
        // The parser would compare every key with every other one of its map; convertMap finds the twins.
        uniqueKeys: false,
        logLevel: 'error',
      }),
    );
    this.value = this.#read();
  }

  #read(): Written {
    // Errors after the first are mostly its consequences.
    const [first] = [...this.#document.errors, ...this.#document.warnings];
    if (first !== undefined) {
      this.problems.push(this.#syntaxProblem(first));
      return '';
    }
    const { contents } = this.#document;
    if (contents !== null && !(isScalar(contents) && contents.source === '')) return this.#convert(contents, null, 0);
    this.problems.push(fileProblem(this.#file, 'the file is empty'));
    return '';
  }

  lineOf(path: Path): number {
    return this.#positionAt(this.#find(path).start).line;
  }

  problem(path: Path, { message, hint, key, within }: ProblemAt): Problem {
    const span = this.#span(path, key, within);
    return this.#problemAt(span, key === undefined ? path : [...path, key], message, hint);
  }

  #span(path: Path, key: string | undefined, within: Span | undefined): Span {
    if (key !== undefined) return this.#find([...path, key], true);
    const whole = this.#find(path);
    const node = within === undefined ? undefined : this.#nodeAt(path);
    if (within === undefined || !isScalar(node)) return whole;
    const offsets = offsetsIn(this.#text, node);
    const start = offsets(within.start);
    return { start, end: Math.max(start + 1, offsets(Math.max(within.start, within.end - 1)) + 1) };
  }

  #problemAt(span: Span, path: Path, message: string, hint: string | undefined): Problem {
    const { line, column } = this.#positionAt(span.start);
    const frame = this.#lines.frame(line, column, span.end - span.start);
    const shared = { file: this.#file, line, column, path: showPath(path), message: seen(message), frame };
    return hint === undefined ? shared : { ...shared, hint: seen(hint) };
  }

  #positionAt(offset: number): { line: number; column: number } {
    const { line, col } = this.#counter.linePos(Math.min(offset, this.#text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #syntaxProblem({ code, message, pos }: YAMLError): Problem {
    const [start, end] = /^Missing closing \W?quote/.test(message) ? this.#lastQuote(pos) : pos;
    const isUneven = /^All (?:mapping|sequence) items|^Sequence item without/.test(message);
    const { message: words, hint } = isUneven
      ? UNEVEN
      : (this.#unquotedTemplate(start) ?? SYNTAX[code] ?? { message: sentence(message) });
    return this.#problemAt({ start, end }, [], words, hint);
  }

  /** `title: {{ balance }} left` without quotes: YAML takes the braces for maps. */
  #unquotedTemplate(at: number): SyntaxWords | undefined {
    const { line } = this.#positionAt(at);
    const written = this.#lines.texts[line - 1] ?? '';
    const key = /^[\s-]{0,99}([\w-]{1,99}):\s{1,99}(?=\{\{)/.exec(written);
    if (key === null) return undefined;
    const value = written.slice(key[0].length, key[0].length + MOST_QUOTED).trimEnd();
    return { message: 'text that begins with {{ needs quotes', hint: `Write ${key[1] ?? ''}: '${value}'.` };
  }

  /** Where a quote that is never closed was opened. */
  #lastQuote(end: readonly [number, number]): readonly [number, number] {
    let at = end;
    visit(this.#document, {
      Scalar: (_key, { type, range }) => {
        if (type?.startsWith('QUOTE') === true && range !== undefined && range !== null) at = [range[0], range[0] + 1];
      },
    });
    return at;
  }

  #convert(node: Node, way: Way, depth: number): Written {
    if (++this.#nodes > MOST_NODES || depth > DEEPEST)
      return this.#refuse(way, 'the document is too large or too deep');
    if (isScalar(node)) return this.#convertScalar(node, way);
    if (node === null || node === undefined) return '';
    if (isAlias(node)) return this.#follow(node, way, depth);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#convertMap(node.items, way, depth);
    return node.items.map((item, step) => this.#convert(item as Node, { before: way, step }, depth + 1));
  }

  #convertScalar(node: Scalar.Parsed, way: Way): Written {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (node.tag !== undefined) return this.#refuse(way, 'YAML tags are not used here');
    return typeof node.value === 'string' ? node.value : '';
  }

  #convertMap(items: readonly { key: unknown; value: unknown }[], way: Way, depth: number): Written {
    const map: Record<string, Written> = {};
    for (const { key, value } of items) {
      const name = isScalar(key) ? String(key.value) : '';
      const refusal = refusalOf(name);
      if (refusal !== undefined) this.#complain(() => this.problem(pathOf(way), { key: name, message: refusal }));
      else if (Object.hasOwn(map, name)) this.#complain(() => this.#twinProblem(key as Node));
      else map[name] = this.#convert(value as Node, { before: way, step: name }, depth + 1);
    }
    return map;
  }

  #twinProblem(key: Node): Problem {
    const { start } = spanOf(key);
    return this.#problemAt({ start, end: start + 1 }, [], TWIN.message, TWIN.hint);
  }

  #complain(make: () => Problem): void {
    if (this.problems.length < MOST_SYNTAX_PROBLEMS) this.problems.push(make());
  }

  #follow(node: Node, way: Way, depth: number): Written {
    const target = isAlias(node) ? this.#anchors.get(node.source) : undefined;
    if (target === undefined || !isAlias(node))
      return this.#refuse(way, `the anchor of this alias does not exist before it`);
    if (++this.#aliases > MOST_ALIASES) return this.#refuse(way, `more than ${MOST_ALIASES} aliases`);
    this.#targets.set(node, target);
    return this.#convert(target, way, depth + 1);
  }

  #refuse(way: Way, message: string): Written {
    this.#complain(() => this.problem(pathOf(way), { message }));
    return '';
  }

  #nodeAt(path: Path): Node {
    let node: Node = this.#document.contents;
    for (const step of path) {
      node = this.#resolved(node);
      if (isMap(node)) node = this.#pairOf(node, step)?.value;
      else if (isSeq(node)) node = node.items[Number(step)];
      else return undefined;
    }
    return this.#resolved(node);
  }

  /** The place of the value at the path, or of its key; what is missing is looked for where it would have been. */
  #find(path: Path, asKey = false): Span {
    let node: Node = this.#document.contents;
    let at: Node = node;
    for (const [i, step] of path.entries()) {
      node = this.#resolved(node);
      if (isMap(node)) {
        const pair = this.#pairOf(node, step);
        if (pair === undefined) break;
        const isLast = i === path.length - 1;
        at = (isLast && asKey) || isEmpty(pair.value) ? (pair.key as Node) : pair.value;
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

  #resolved(node: Node): Node {
    return isAlias(node) ? this.#targets.get(node) : node;
  }
}

function refusalOf(key: string): string | undefined {
  if (key === '<<') return 'merge keys are not used here';
  return REFUSED_KEYS.has(key) ? `"${key}" is not allowed as a key` : undefined;
}

/** The parser makes an error object for each of its complaints; tens of thousands of stacks would take a second. */
function withoutStacks<T>(work: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = before;
  }
}

/** A path that is only written out when a problem needs it. */
type Way = { readonly before: Way; readonly step: string | number } | null;

function pathOf(way: Way): Path {
  return way === null ? [] : [...pathOf(way.before), way.step];
}

interface Pair {
  readonly key: unknown;
  readonly value: Node;
}

function pairsOf(items: readonly unknown[]): ReadonlyMap<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const pair of items as readonly Pair[])
    if (isScalar(pair.key) && !pairs.has(String(pair.key.value))) pairs.set(String(pair.key.value), pair);
  return pairs;
}

function isEmpty(node: Node): boolean {
  return node === null || node === undefined || (isScalar(node) && node.source === '' && node.type === 'PLAIN');
}

function spanOf(node: Node): Span {
  const [start, end] = node?.range ?? [0, 1];
  return { start, end };
}

function showPath(path: Path): string {
  return seen(path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join(''));
}

const UNEVEN = { message: 'this is not indented like its neighbours', hint: undefined };
const MOST_QUOTED = 80;

interface SyntaxWords {
  readonly message: string;
  readonly hint?: string;
}

const TWIN: SyntaxWords = {
  message: 'this key is there already',
  hint: 'Remove one of them; a further item of a list begins with "- ".',
};

const SYNTAX: Readonly<Record<string, SyntaxWords>> = {
  MULTIPLE_DOCS: { message: 'a second document starts here', hint: 'One file holds one document.' },
  TAB_AS_INDENT: { message: 'a tab cannot indent in YAML', hint: 'Use spaces.' },
  NON_STRING_KEY: { message: 'a key is text here' },
  TAG_RESOLVE_FAILED: { message: 'YAML tags are not used here' },
  BLOCK_AS_IMPLICIT_KEY: { message: 'a second ": " on this line', hint: 'Put the text in quotes.' },
};

function sentence(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
