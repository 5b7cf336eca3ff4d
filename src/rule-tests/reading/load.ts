// A test file becomes rule tests: its rules are loaded as the daemon loads them, and every problem is found before any runs.
import { dirname, isAbsolute, join } from 'node:path';
import { withoutEmpty } from '../../config/config.ts';
import type { Config, ConfigTools, Loaded } from '../../config/model.ts';
import { parseAt, parseEach } from '../../config/issues.ts';
import { hintFor } from '../../config/nearest.ts';
import { fileProblem, reasonOf, sortProblems, type Problem } from '../../config/problem.ts';
import { NAME, quote } from '../../config/scalars.ts';
import { type Source, parseYaml } from '../../config/yaml/yaml.ts';
import type { Path, ProblemAt } from '../../config/yaml/written.ts';
import type { AnyKind } from '../../core/model/kind.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Watch } from '../../core/model/watch.ts';
import { meaningOn } from '../../rules/compile/catalogue.ts';
import { type RuleFile, loadRules } from '../../rules/load.ts';
import { Address } from '../../core/values/address.ts';
import { syntheticAddress } from '../../watches/synthetic.ts';
import { syntheticConfig, loadOfflineConfig } from './config.ts';
import { readExpectation } from './expectation.ts';
import type { Expected, RuleTest } from '../model.ts';
import { namesUsedIn } from './names.ts';
import { readRow } from './rows.ts';
import { TestFileShape, TestShape, type WrittenTest } from './shape.ts';
import type { ValueReader } from './values.ts';

export interface RuleTestTools extends ConfigTools {
  readonly kinds: readonly AnyKind[];
  /** Whether what stands in that file may be printed. A test file can name any path of the machine. */
  readonly mayShow: (path: string) => boolean;
}

export interface LoadedRuleTests {
  /** Empty when there are problems. */
  readonly tests: readonly RuleTest[];
  readonly problems: readonly Problem[];
}

/** Reads one test file with all that it names. Never throws; no network, and no file but those. */
export function loadRuleTests(file: string, tools: RuleTestTools): LoadedRuleTests {
  let text: string;
  try {
    text = tools.readFile(file);
  } catch (error) {
    return { tests: [], problems: [fileProblem(file, `cannot be read: ${reasonOf(error)}`)] };
  }
  const parsed = parseYaml(file, text);
  if ('problems' in parsed) return { tests: [], problems: shownOf(parsed.problems, tools) };
  const reading = new TestFileReader(parsed.source, text, tools);
  const tests = reading.tests();
  return { tests: reading.problems.length > 0 ? [] : tests, problems: shownOf(reading.problems, tools) };
}

/** Of a file that may not be shown neither lines nor words: only that it has problems, and how many. */
function shownOf(problems: readonly Problem[], { mayShow }: RuleTestTools): Problem[] {
  const byFile = Map.groupBy(problems, ({ file }) => file);
  const shown = [...byFile].flatMap(([file, found]) =>
    mayShow(file) ? found : [fileProblem(file, `has problems: ${found.length}`, OUTSIDE)],
  );
  return sortProblems(shown);
}

const OUTSIDE =
  'It lies outside of the directory of the tests, so nothing of it is shown. Run the tests from above it.';

/** What reading a test file adds to, and what its parts ask of it. */
export class TestFileReader {
  readonly source: Source;
  readonly text: string;
  readonly problems: Problem[] = [];
  readonly #tools: RuleTestTools;
  /** Null: names are made up. */
  #named: Config | null = null;

  constructor(source: Source, text: string, tools: RuleTestTools) {
    this.source = source;
    this.text = text;
    this.#tools = tools;
  }

  tests(): RuleTest[] {
    const written = withoutEmpty(this.source.value);
    const parsed = parseAt(TestFileShape, written, { source: this.source, path: [] });
    if ('problems' in parsed) this.add(parsed.problems);
    // When the outer shape is wrong, its parts are still looked at: every problem at once.
    const { rules, config, tests } = 'value' in parsed ? parsed.value : parseEach(TestFileShape, written);
    if (rules === undefined || tests === undefined) return [];
    const watches = this.#watches(rules, config);
    return watches === null ? [] : tests.flatMap((test, i) => this.#trial(test, ['tests', i], watches) ?? []);
  }

  complain(path: Path, at: ProblemAt): null {
    return this.add([this.source.problem(path, at)]);
  }

  add(problems: readonly Problem[]): null {
    this.problems.push(...problems);
    return null;
  }

  /** The text of a file whose path starts at the test file; undefined, with a problem at the place, when it is not there. */
  readBeside(file: string, path: Path, maxBytes?: number): string | undefined {
    try {
      return this.#tools.readFile(this.#beside(file), maxBytes);
    } catch (error) {
      this.complain(path, { message: `${quote(file)} cannot be read: ${reasonOf(error)}` });
      return undefined;
    }
  }

  valuesAt(at: Instant, watch: Watch): ValueReader {
    return {
      at,
      addressOf: (name) => this.#addressOf(name, watch.target.explorer),
      names: [...(this.#named?.names ?? [])].flatMap(([name, { type }]) => (type === 'group' ? [] : [name])),
      complain: (path, problem) => {
        this.complain(path, problem);
      },
    };
  }

  #beside(file: string): string {
    return isAbsolute(file) ? file : join(dirname(this.source.file), file);
  }

  #watches(rules: readonly string[], config: string | undefined): readonly Watch[] | null {
    const files = rules.flatMap((file, i): RuleFile[] => {
      const text = this.readBeside(file, rules.length > 1 ? ['rules', i] : ['rules']);
      return text === undefined ? [] : [{ file: this.#beside(file), text }];
    });
    if (files.length < rules.length) return null;
    const loaded = this.#config(config, files);
    if (loaded.config === null) return this.add(loaded.problems);
    if (config !== undefined) this.#named = loaded.config;
    const { watches, problems } = loadRules(loaded.config, files, this.#tools);
    this.add(problems);
    return watches.length === 0 ? null : watches;
  }

  #config(config: string | undefined, files: readonly RuleFile[]): Loaded {
    return config === undefined
      ? syntheticConfig(namesUsedIn(files, this.#tools.kinds))
      : loadOfflineConfig(this.#beside(config), this.#tools);
  }

  #trial(written: unknown, path: Path, watches: readonly Watch[]): RuleTest | null {
    const parsed = parseAt(TestShape, written, { source: this.source, path });
    if ('problems' in parsed) this.add(parsed.problems);
    const test = 'value' in parsed ? parsed.value : { ...HALF_READ, ...parseEach(TestShape, written) };
    if (test.watch === '') return null;
    const watch = this.#pick(test.watch, [...path, 'watch'], watches);
    if (watch === null) return null;
    const polls = test.saw.flatMap(
      (row, i) => readRow(this, watch, { written: row, path: [...path, 'saw', i], startedAt: test.start }) ?? [],
    );
    for (const [i, { at }] of polls.entries())
      if (i > 0 && at <= (polls[i - 1]?.at ?? 0) && polls.length === test.saw.length)
        this.complain([...path, 'saw', i, 'at'], { message: 'is not later than the poll before' });
    this.#checkBaseline(test, watch, path);
    const expected = test.expect.flatMap(
      (one, i) => readExpectation(this, watch, { written: one, path: [...path, 'expect', i], test, polls }) ?? [],
    );
    this.#checkOrder(expected, [...path, 'expect']);
    return {
      file: this.source.file,
      line: this.source.lineOf([...path, 'name']),
      name: test.name,
      watch,
      isWithoutBaseline: test.baseline === 'none',
      polls,
      expected,
      addressOf: (name) => this.#addressOf(name, watch.target.explorer),
    };
  }

  #pick(name: string, path: Path, watches: readonly Watch[]): Watch | null {
    const found = watches.filter((watch) => watch.name === name || watch.rule === name);
    const [watch] = found;
    if (watch === undefined) {
      const known = watches.flatMap((one) => [one.name, one.rule]);
      return this.complain(path, { message: `no watch ${quote(name)}`, hint: hintFor(name, new Set(known)) });
    }
    const instances = found.slice(0, MOST_LISTED).map((one) => one.name);
    return found.length === 1
      ? watch
      : this.complain(path, {
          message: `${quote(name)} has ${found.length} instances`,
          hint: `Name one: ${instances.join(', ')}${found.length > instances.length ? ', ...' : ''}.`,
        });
  }

  #checkBaseline({ baseline }: WrittenTest, { kind }: Watch, path: Path): void {
    if (baseline === 'none' && kind.script.rows === null)
      this.complain([...path, 'baseline'], {
        message: `${kind.name} sees no list that could be empty`,
        hint: 'Its first known values are the baseline. Remove it.',
      });
  }

  #checkOrder(expected: readonly Expected[], path: Path): void {
    for (const [i, { at }] of expected.entries())
      if (at < (expected[i - 1]?.at ?? 0))
        this.complain([...path, i, 'at'], { message: 'is before the row above', hint: 'Write them in order of time.' });
  }

  #addressOf(name: string, explorer: string): Address | undefined {
    if (this.#named === null) return NAME.test(name) ? syntheticAddress(name) : undefined;
    const known = this.#named.names.get(name);
    const meaning = known === undefined ? undefined : meaningOn(known, explorer);
    return meaning instanceof Address ? meaning : undefined;
  }
}

const MOST_LISTED = 10;
/** Below what could be read of a test, so that the rest of it is checked all the same. */
const HALF_READ: WrittenTest = { name: '', watch: '', start: 0, saw: [], expect: [] };
