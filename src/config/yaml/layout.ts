// The parsed document of a file: its value, and the places of its parts.
import { isAlias, isMap, isScalar, LineCounter, parseDocument, type Document, type Scalar } from 'yaml';
import { DEEPEST } from './limits.ts';
import type { SourceLines } from './lines.ts';
import { fileProblem, type Problem } from '../problem.ts';
import { Places, spanOf, type YamlNode } from './places.ts';
import { splitNumber, syntaxProblem, type Pair } from './syntax.ts';
import { ALIAS, TAG, TWIN, type SyntaxWords } from './syntax-words.ts';
import type { Path, ProblemAt, WrittenValue } from './written.ts';

/** Limits on expanded nodes and on aliases, since nested aliases can expand to a document of any size. */
const MOST_NODES = 200_000;
const MOST_ALIASES = 200;
const MOST_SYNTAX_PROBLEMS = 20;
const REFUSED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The value of a file, and the place of every part of it; `problems` are those of its syntax. */
export class Layout {
  readonly problems: Problem[] = [];
  readonly value: WrittenValue;
  readonly #file: string;
  readonly #document: Document.Parsed;
  readonly #places: Places;
  // The anchors above the current node. The parser would search the whole document for every alias.
  readonly #anchors = new Map<string, YamlNode>();
  readonly #targets = new Map<unknown, YamlNode>();
  readonly #lines: SourceLines;
  #nodes = 0;
  #aliases = 0;

  constructor(file: string, text: string, lines: SourceLines) {
    this.#file = file;
    this.#lines = lines;
    const counter = new LineCounter();
    this.#document = withoutStacks(() =>
      parseDocument(text, {
        schema: 'failsafe',
        lineCounter: counter,
        prettyErrors: false,
        stringKeys: true,
        // The parser would compare every key with all others of its map. `#convertMap` finds duplicates in one pass.
        uniqueKeys: false,
        logLevel: 'error',
      }),
    );
    this.#places = new Places({ file, text, lines, document: this.#document, counter, targets: this.#targets });
    this.value = this.#read();
  }

  #read(): WrittenValue {
    // Later errors are mostly consequences of the first, so only the first is reported.
    const [first] = [...this.#document.errors, ...this.#document.warnings];
    if (first !== undefined) {
      this.problems.push(syntaxProblem(first, { document: this.#document, lines: this.#lines, places: this.#places }));
      return '';
    }
    const { contents } = this.#document;
    if (contents !== null && !(isScalar(contents) && contents.source === '')) return this.#convert(contents, null, 0);
    this.problems.push(fileProblem(this.#file, 'the file is empty'));
    return '';
  }

  lineOf(path: Path): number {
    return this.#places.lineOf(path);
  }

  problem(path: Path, at: ProblemAt): Problem {
    return this.#places.problem(path, at);
  }

  #convert(node: YamlNode, way: Way, depth: number): WrittenValue {
    if (++this.#nodes > MOST_NODES || depth > DEEPEST)
      return this.#refuse(way, { message: 'the document is too large or too deep' });
    if (isScalar(node)) return this.#convertScalar(node, way);
    if (node === null || node === undefined) return '';
    if (isAlias(node)) return this.#follow(node, way, depth);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isMap(node)) {
      const split = node.flow === true ? splitNumber(node.items) : undefined;
      if (split !== undefined) return this.#refuseKey(node.items[split.pair]?.key, split.words);
      return this.#convertMap(node.items, way, depth);
    }
    return node.items.map((item, step) => this.#convert(item as YamlNode, { before: way, step }, depth + 1));
  }

  #convertScalar(node: Scalar.Parsed, way: Way): WrittenValue {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (node.tag !== undefined) return this.#refuse(way, TAG);
    return typeof node.value === 'string' ? node.value : '';
  }

  #convertMap(items: readonly Pair[], way: Way, depth: number): WrittenValue {
    const map: Record<string, WrittenValue> = {};
    for (const { key, value } of items) {
      const name = isScalar(key) ? String(key.value) : '';
      const refusal = refusalOf(name);
      if (refusal !== undefined) this.#complain(() => this.problem(pathOf(way), { key: name, message: refusal }));
      else if (Object.hasOwn(map, name)) this.#refuseKey(key, TWIN);
      else map[name] = this.#convert(value as YamlNode, { before: way, step: name }, depth + 1);
    }
    return map;
  }

  #refuseKey(key: unknown, { message, hint }: SyntaxWords): WrittenValue {
    const { start } = spanOf(key as YamlNode);
    this.#complain(() => this.#places.problemAt({ start, end: start + 1 }, [], message, hint));
    return '';
  }

  #complain(make: () => Problem): void {
    if (this.problems.length < MOST_SYNTAX_PROBLEMS) this.problems.push(make());
  }

  #follow(node: YamlNode, way: Way, depth: number): WrittenValue {
    const target = isAlias(node) ? this.#anchors.get(node.source) : undefined;
    if (target === undefined || !isAlias(node)) return this.#refuse(way, ALIAS);
    if (++this.#aliases > MOST_ALIASES) return this.#refuse(way, { message: `more than ${MOST_ALIASES} aliases` });
    this.#targets.set(node, target);
    return this.#convert(target, way, depth + 1);
  }

  #refuse(way: Way, at: ProblemAt): WrittenValue {
    this.#complain(() => this.problem(pathOf(way), at));
    return '';
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

/** A path as a linked list. It becomes a `Path` only when a problem needs it. */
type Way = { readonly before: Way; readonly step: string | number } | null;

function pathOf(way: Way): Path {
  return way === null ? [] : [...pathOf(way.before), way.step];
}
