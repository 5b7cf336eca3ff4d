// Loads rule files. Returns all watches with their names resolved, or the problems of all files. The result depends
// only on the arguments, so that start, reload and `check` agree.
import type { Loading, WrittenSource } from './compile/model.ts';
import type { AnyKind } from '../core/model/watch/kind.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Report } from '../core/reports/model.ts';
import type { Config } from '../config/model.ts';
import { withoutEmpty } from '../config/config.ts';
import { checksumWarnings } from '../config/values/checksums.ts';
import { parseAt, parseEach } from '../config/issues.ts';
import { type Problem, fileProblem, sortProblems } from '../config/problem.ts';
import { isMap, type ProblemAt } from '../config/yaml/written.ts';
import type { Source } from '../config/yaml/yaml.ts';
import { countMarks } from '../config/yaml/limits.ts';
import { finish, type Steps } from '../lib/steps.ts';
import type { AbiFiles } from './abi/abi-files.ts';
import { type RuleCache, createRuleCache } from './cache.ts';
import { createCatalogue } from './compile/catalogue.ts';
import { compileReports } from './reports/compile-reports.ts';
import { compileWatch } from './compile/compile-watch.ts';
import { TextBudget } from './compile/text-budget.ts';
import { halfWatched } from './half-watched.ts';
import { RouteUse } from './route-use.ts';
import { type Defaults, DefaultsShape, FileShape } from './schema/shape.ts';

export interface RuleFile {
  /** The path as it is shown, relative to the directory of the config. */
  readonly file: string;
  readonly text: string;
}

export interface LoadedRules {
  /** Empty when there are problems. */
  readonly watches: readonly Watch[];
  readonly reports: readonly Report[];
  /** The watches and reports of files without problems. */
  readonly sound: Pick<LoadedRules, 'watches' | 'reports'>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export interface RuleTools {
  readonly kinds: readonly AnyKind[];
  /** The ABI files that the rules name. */
  readonly abis?: AbiFiles;
  /** If every load gets the same cache, later loads are faster. */
  readonly cache?: RuleCache | undefined;
  /** True if these are not all rules of the config. Routes are then not checked, since they may be for other rules. */
  readonly isPart?: boolean;
}

const MOST_WATCHES = 100_000;
/** The most line ends and YAML marks in all files. About 40,000 rules have as many, and are read in eight seconds. */
const MOST_MARKS = 1_000_000;
/** Further files are not read once there are this many problems. Each problem keeps the lines around its place. */
const MOST_PROBLEMS = 100;

/** True if the files are too many to be parsed. */
export function hasTooManyMarks(files: readonly RuleFile[]): boolean {
  return files.reduce((sum, { text }) => sum + countMarks(text), 0) > MOST_MARKS;
}

/** Checks and compiles all rule files against the config. Never throws. */
export function loadRules(config: Config, files: readonly RuleFile[], tools: RuleTools): LoadedRules {
  return finish(loadRulesInSteps(config, files, tools));
}

/** Like `loadRules`, with a pause before each file and after each watch. */
export function* loadRulesInSteps(config: Config, files: readonly RuleFile[], tools: RuleTools): Steps<LoadedRules> {
  if (hasTooManyMarks(files)) return refusedAll(config);
  const cache = tools.cache ?? createRuleCache();
  const catalogue = createCatalogue(config, tools.kinds, cache);
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const watches: Watch[] = [];
  const written: WrittenSource[] = [];
  const ids = new Map<string, string>();
  const routes = new RouteUse(config, tools.kinds);
  const abi = { files: tools.abis ?? new Map(), cache };
  for (const [i, { file, text }] of files.entries()) {
    if (problems.length >= MOST_PROBLEMS) {
      problems.push(unreadFiles(config, files.length - i));
      break;
    }
    yield;
    const parsed = cache.parse(file, text);
    if ('problems' in parsed) problems.push(...(isRuleText(text) ? parsed.problems : parsed.problems.map(withoutText)));
    else {
      yield* loadFile(parsed.source, {
        catalogue,
        problems,
        warnings,
        watches,
        reports: written,
        ids,
        routes,
        abi,
        budget: new TextBudget(),
      });
      parsed.source.release();
    }
    if (watches.length > MOST_WATCHES) break;
  }
  cache.sweep();
  const compiled = compileReports(written, { catalogue, problems, watches, ids, routes });
  // All used explorers and channels are known only now, and so are the missing secrets that are problems.
  problems.push(...catalogue.problems);
  if (watches.length > MOST_WATCHES)
    problems.push(fileProblem(config.file, `the rules make more than ${MOST_WATCHES} watches`));
  if (watches.length === 0 && problems.length === 0)
    problems.push(fileProblem(files[0]?.file ?? config.file, 'nothing would be watched', 'Write at least one watch.'));
  // If the rules have problems, some alerts are missing, so the routes cannot be checked.
  if (problems.length === 0 && tools.isPart !== true) {
    problems.push(...routes.problems());
    warnings.push(...routes.warnings());
  }
  warnings.push(...catalogue.unused(), ...halfWatched(watches));
  return {
    ...(problems.length > 0 ? NOTHING : compiled),
    sound: soundOf(compiled, problems),
    problems: sortProblems(problems),
    warnings: sortProblems(warnings),
  };
}

const NOTHING: LoadedRules['sound'] = { watches: [], reports: [] };

function soundOf({ watches, reports }: LoadedRules['sound'], problems: readonly Problem[]): LoadedRules['sound'] {
  const broken = new Set(problems.map(({ file }) => file));
  if (broken.size === 0) return { watches, reports };
  const isSound = ({ source }: { readonly source: string }): boolean => !broken.has(source.replace(/:\d+$/, ''));
  return {
    watches: watches.filter(isSound),
    reports: reports.filter((report) => isSound(report) && report.members.every(isSound)),
  };
}

function refusedAll({ file }: Config): LoadedRules {
  const message = `the rule files have more than ${MOST_MARKS} line ends and marks such as ":", "-" and "," in all`;
  const hint = 'Replace similar rules by one rule for a group of addresses.';
  return { ...NOTHING, sound: NOTHING, problems: [fileProblem(file, message, hint)], warnings: [] };
}

function unreadFiles({ file }: Config, count: number): Problem {
  const files = count === 1 ? '1 file of rules was' : `${count} files of rules were`;
  return fileProblem(file, `${files} not looked at after ${MOST_PROBLEMS} problems`, 'Mend these, then check again.');
}

function* loadFile(source: Source, loading: Loading): Steps<void> {
  const written = withoutEmpty(source.value);
  if (!isMap(written) || !ROOT_KEYS.some((key) => key in written)) {
    loading.problems.push(...foreignProblems(source, written));
    return;
  }
  loading.warnings.push(...checksumWarnings(source));
  const shape = parseAt(FileShape, written, { source, path: [] });
  if ('problems' in shape) loading.problems.push(...shape.problems);
  const file = 'value' in shape ? shape.value : halfRead(written);
  if (file.watches === undefined && file.reports === undefined)
    loading.problems.push(source.problem([], { message: 'watches is missing' }));
  const { defaults, watches = [], reports = [] } = file;
  for (const [i, watch] of watches.entries()) {
    compileWatch({ source, path: ['watches', i], defaults }, watch, loading);
    yield;
  }
  for (const [i, report] of reports.entries())
    loading.reports.push({ place: { source, path: ['reports', i], defaults }, written: report });
}

const LIST_ALONE: ProblemAt = {
  message: 'a file of rules begins with a key',
  hint: 'Write "watches:" above the list, and indent the list.',
};

const ROOT_KEYS = Object.keys(FileShape.shape);
const ROOT_LINE = new RegExp(`^\\s*(?:\\{\\s*)?["']?(?:${ROOT_KEYS.join('|')})\\b`, 'm');

/**
 * True if the text seems to be a file of rules. A link may lead to any other file, and the lines of such a file are not
 * shown.
 */
function isRuleText(text: string): boolean {
  return ROOT_LINE.test(text);
}

function withoutText(problem: Problem): Problem {
  return problem.frame === ''
    ? problem
    : { ...fileProblem(problem.file, NO_RULES), line: problem.line, column: problem.column };
}

const NO_RULES = 'this is no YAML, and there is no key "watches" in the file';

/** Problems of a YAML file that is no map of rules. Its lines are not shown. */
function foreignProblems(source: Source, written: unknown): readonly Problem[] {
  const shape = parseAt(FileShape, written, { source, path: [] });
  const found = Array.isArray(written) || !('problems' in shape) ? [source.problem([], LIST_ALONE)] : shape.problems;
  return found.map((problem) => ({ ...problem, frame: '' }));
}

/**
 * If the outer shape of the file is wrong, its watches are still checked, so that all problems are reported at once.
 */
function halfRead(written: unknown): {
  readonly defaults: Defaults;
  readonly watches: readonly unknown[] | undefined;
  readonly reports: readonly unknown[] | undefined;
} {
  const { defaults, watches, reports } = (written ?? {}) as Readonly<Record<string, unknown>>;
  const listOf = (list: unknown): readonly unknown[] | undefined =>
    Array.isArray(list) ? list : list === undefined ? undefined : [];
  return { defaults: parseEach(DefaultsShape, defaults), watches: listOf(watches), reports: listOf(reports) };
}
