// The test file that is being read: its text, the problems found in it so far, and the files beside it.
import { dirname, isAbsolute, join } from 'node:path';
import type { ReadFile } from '../../config/model.ts';
import { reasonOf, type Problem } from '../../config/problem.ts';
import { quote } from '../../config/values/scalars.ts';
import type { Path, ProblemAt } from '../../config/yaml/written.ts';
import type { Source } from '../../config/yaml/yaml.ts';

export class TestFile {
  readonly source: Source;
  readonly text: string;
  readonly problems: Problem[] = [];
  readonly #readFile: ReadFile;

  constructor(source: Source, text: string, readFile: ReadFile) {
    this.source = source;
    this.text = text;
    this.#readFile = readFile;
  }

  /** Adds a problem at a place of this file. */
  complain(path: Path, at: ProblemAt): null {
    return this.add([this.source.problem(path, at)]);
  }

  add(problems: readonly Problem[]): null {
    this.problems.push(...problems);
    return null;
  }

  /** A path that the test file names, relative to the test file. */
  beside(file: string): string {
    return isAbsolute(file) ? file : join(dirname(this.source.file), file);
  }

  /** The text of a file that is named at `path`; undefined, with a problem at that place, when it cannot be read. */
  readBeside(file: string, path: Path, maxBytes?: number): string | undefined {
    try {
      return this.#readFile(this.beside(file), maxBytes === undefined ? {} : { maxBytes });
    } catch (error) {
      this.complain(path, { message: `${quote(file)} cannot be read: ${reasonOf(error)}` });
      return undefined;
    }
  }
}
