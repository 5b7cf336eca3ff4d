// Reads the config and the rules together, the same way for start, reload and `check`.
import { loadConfig, secretsOf } from '../../config/config.ts';
import type { Config, ConfigTools, ReadFile } from '../../config/model.ts';
import { sortProblems, type Problem } from '../../config/problem.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Report } from '../../core/reports/model.ts';
import { notifiers as allNotifiers } from '../../notifiers/index.ts';
import type { AnyNotifier } from '../../notifiers/notifier.ts';
import { readAbiFiles } from '../../rules/abi/read-abi-files.ts';
import { createRuleCache, type RuleCache } from '../../rules/cache.ts';
import { finish, type Steps } from '../../lib/steps.ts';
import { loadRulesInSteps } from '../../rules/load.ts';
import { readNamedFiles, readRuleFiles, type ListFiles } from '../../rules/read.ts';
import { secretsInRules } from '../../rules/secrets-in-rules.ts';
import { kinds } from '../../watches/index.ts';

export interface SetupTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
  readonly isReadableByAll?: ConfigTools['isReadableByAll'];
  readonly isToRead?: ConfigTools['isToRead'];
  /** Finds rule files. If left out, they are found on the disk. */
  readonly listFiles?: ListFiles;
  /** Makes the next load with the same cache cheaper. */
  readonly cache?: RuleCache;
  /** The channel types that a config may name; all types if left out. */
  readonly notifiers?: readonly AnyNotifier[];
}

export interface Setup {
  readonly config: Config;
  readonly watches: readonly Watch[];
  readonly reports: readonly Report[];
  readonly warnings: readonly Problem[];
  /** The texts of the rule files, by the file name that people see. */
  readonly ruleFiles: ReadonlyMap<string, string>;
}

export type LoadedSetup =
  | { readonly setup: Setup; readonly problems: readonly [] }
  | {
      readonly setup: null;
      /**
       * For commands that only read: the config with the watches of all files without a problem; null if the config
       * itself has a problem.
       */
      readonly sound: Setup | null;
      readonly problems: readonly Problem[];
      readonly warnings: readonly Problem[];
    };

/**
 * Returns a setup to run, or all problems of all files at once. Rule files in `named` replace those of the config.
 * Never throws.
 */
export function loadSetup(file: string, tools: SetupTools, named: readonly string[] = []): LoadedSetup {
  return finish(loadSetupInSteps(file, tools, named));
}

/** Does the same as `loadSetup`, with pauses between the rules. */
export function* loadSetupInSteps(
  file: string,
  {
    env,
    readFile,
    isReadableByAll,
    isToRead,
    listFiles,
    cache = createRuleCache(),
    notifiers = allNotifiers,
  }: SetupTools,
  named: readonly string[] = [],
): Steps<LoadedSetup> {
  const { config, problems, warnings } = loadConfig(file, {
    env,
    readFile,
    notifiers,
    ...(isReadableByAll && { isReadableByAll }),
    ...(isToRead && { isToRead }),
  });
  if (config === null) return { setup: null, sound: null, problems, warnings };
  const found = named.length > 0 ? readNamedFiles(named, readFile) : readRuleFiles(config, readFile, listFiles);
  const abis = yield* readAbiFiles(found.files, { directory: config.directory, readFile, cache });
  const rules = yield* loadRulesInSteps(config, found.files, { kinds, abis, cache, isPart: named.length > 0 });
  const all = [...found.problems, ...rules.problems];
  const ruleFiles = new Map(found.files.map(({ file, text }) => [file, text]));
  if (all.length > 0) {
    const sound = { config, ...rules.sound, warnings: [], ruleFiles };
    return { setup: null, sound, problems: all, warnings: rules.warnings };
  }
  const leaked = secretsInRules(found.files, secretsOf(config));
  const said = [...warnings, ...found.warnings, ...rules.warnings, ...leaked];
  const { watches, reports } = rules;
  return { setup: { config, watches, reports, warnings: sortProblems(said), ruleFiles }, problems: [] };
}
