// A YAML file as text with places: every scalar stays text (the schema gives it a type), and every part of the document
// has its place. Input that could take unbounded time or memory is refused before or while reading.
import type { Path, ProblemAt, WrittenValue } from './written.ts';
import { Layout } from './layout.ts';
import { excessIn } from './limits.ts';
import { SourceLines } from './lines.ts';
import { type Problem, fileProblem } from '../problem.ts';

/** A file that could be read. */
export interface Source {
  readonly file: string;
  readonly value: WrittenValue;
  lineOf(path: Path): number;
  problem(path: Path, at: ProblemAt): Problem;
  /** Releases the places of the parts. They are made again when a problem needs them. */
  release(): void;
}

export type Parsed = { readonly source: Source } | { readonly problems: readonly Problem[] };

const LARGEST = 1024 * 1024;

/** Reads a file's text. Returns its value, or its syntax problems; never throws. */
export function parseYaml(file: string, text: string): Parsed {
  if (Buffer.byteLength(text) > LARGEST)
    return { problems: [fileProblem(file, 'the file is larger than 1 MiB', 'Split it into several files.')] };
  try {
    return read(file, text);
  } catch (error) {
    // The parser may overflow the stack on hostile input: whatever it throws becomes a problem of the file.
    const why = error instanceof RangeError ? 'is nested too deeply' : 'cannot be read as YAML';
    return { problems: [fileProblem(file, `the file ${why}`)] };
  }
}

function read(file: string, text: string): Parsed {
  const lines = new SourceLines(text);
  const excess = excessIn(lines.texts);
  if (excess !== undefined) {
    const { line, column } = excess;
    return { problems: [{ file, path: '', ...excess, frame: lines.frame(line, column, 1) }] };
  }
  const layout = new Layout(file, text, lines);
  return layout.problems.length > 0 ? { problems: layout.problems } : { source: new FileSource(file, text, layout) };
}

/**
 * A file's value, and its places while they are needed. The places take many times the memory of the text, so they are
 * released after a file without problems, and made again when one has to be shown.
 */
class FileSource implements Source {
  readonly file: string;
  readonly value: WrittenValue;
  readonly #text: string;
  readonly #known = new Map<string, number>();
  #layout: Layout | null;

  constructor(file: string, text: string, layout: Layout) {
    this.file = file;
    this.#text = text;
    this.#layout = layout;
    this.value = layout.value;
  }

  lineOf(path: Path): number {
    const key = path.join('\n');
    const line = this.#known.get(key) ?? this.#places().lineOf(path);
    this.#known.set(key, line);
    return line;
  }

  problem(path: Path, at: ProblemAt): Problem {
    return this.#places().problem(path, at);
  }

  release(): void {
    this.#layout = null;
  }

  #places(): Layout {
    this.#layout ??= new Layout(this.file, this.#text, new SourceLines(this.#text));
    return this.#layout;
  }
}
