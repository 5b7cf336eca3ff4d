// Loads the rule tests of a test file. Its rules are loaded as the daemon loads them, and every problem is found before
// a test runs.
import { withoutEmpty } from '../../config/config.ts';
import { parseAt, parseEach } from '../../config/issues.ts';
import { fileProblem, reasonOf, sortProblems, type Problem } from '../../config/problem.ts';
import { parseYaml } from '../../config/yaml/yaml.ts';
import type { RuleTest } from '../model.ts';
import { namesReport, readReportTest } from './report-test.ts';
import { TestFileShape } from './shape.ts';
import { TestFile } from './test-file.ts';
import { readWatchTest } from './watch-test.ts';
import { readWatches, type WatchTools } from './watches.ts';

export interface RuleTestTools extends WatchTools {
  /**
   * True if lines of the file may be printed. A test file can name any path of the machine, also a file with secrets.
   */
  readonly mayShow: (path: string) => boolean;
}

export interface LoadedRuleTests {
  /** Empty when there are problems. */
  readonly tests: readonly RuleTest[];
  readonly problems: readonly Problem[];
}

/** Reads one test file and the files that it names. Uses neither the network nor other files. Never throws. */
export function loadRuleTests(path: string, tools: RuleTestTools): LoadedRuleTests {
  let text: string;
  try {
    text = tools.readFile(path);
  } catch (error) {
    return { tests: [], problems: [fileProblem(path, `cannot be read: ${reasonOf(error)}`)] };
  }
  const parsed = parseYaml(path, text);
  if ('problems' in parsed) return { tests: [], problems: showable(parsed.problems, tools) };
  const file = new TestFile(parsed.source, text, tools.readFile);
  const tests = readTests(file, tools);
  return { tests: file.problems.length > 0 ? [] : tests, problems: showable(file.problems, tools) };
}

function readTests(file: TestFile, tools: RuleTestTools): RuleTest[] {
  const written = withoutEmpty(file.source.value);
  const parsed = parseAt(TestFileShape, written, { source: file.source, path: [] });
  if ('problems' in parsed) file.add(parsed.problems);
  // When the outer shape is wrong, its parts are still checked, so that every problem is reported at once.
  const { rules, config, tests } = 'value' in parsed ? parsed.value : parseEach(TestFileShape, written);
  if (rules === undefined || tests === undefined) return [];
  const tested = readWatches(file, { rules, config }, tools);
  return tested === null
    ? []
    : tests.flatMap((test, i) => {
        const read = namesReport(test) ? readReportTest : readWatchTest;
        return read(file, test, ['tests', i], tested) ?? [];
      });
}

/** The problems to print. If lines of a file may not be shown, its problems are replaced by their number. */
function showable(problems: readonly Problem[], { mayShow }: RuleTestTools): Problem[] {
  const byFile = Map.groupBy(problems, ({ file }) => file);
  const shown = [...byFile].flatMap(([file, found]) =>
    mayShow(file) ? found : [fileProblem(file, `has problems: ${found.length}`, OUTSIDE)],
  );
  return sortProblems(shown);
}

const OUTSIDE =
  'It is outside of the directory of the tests, so none of its lines is shown. Run the tests in a directory above it.';
