import { loadSetup, type Setup, type SetupTools } from '../app/setup/setup.ts';
import { createSources, type Sources } from '../app/setup/sources.ts';
import { loadConfig } from '../config/config.ts';
import type { Config } from '../config/model.ts';
import { formatProblems, formatWarnings, type Problem } from '../config/problem.ts';
import { singleLine } from '../lib/untrusted.ts';
import { notifiers } from '../notifiers/index.ts';
import { createRuleCache } from '../rules/cache.ts';
import { CommandError, EXIT } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** The option of every command that reads the config. */
export interface ConfigOption {
  readonly config: string;
}

/** A setup, and the tools to load it again when its files change. */
export interface Reloadable {
  readonly setup: Setup;
  readonly tools: SetupTools & { readonly sources: Sources };
}

/** Returns the result of `loadOrFail`, and the tools to load it again. */
export function loadToRun(terminal: Terminal, file: string): Reloadable {
  const sources = createSources(terminal.readFile);
  const { readFile, listFiles } = sources;
  const { env, isReadableByAll } = terminal;
  const tools = { env, isReadableByAll, readFile, listFiles, cache: createRuleCache(), sources };
  return { setup: loadOrFail({ ...terminal, ...tools }, file), tools };
}

/**
 * Returns the setup of a config file, and prints warnings on standard error. Throws a `CommandError` that lists every
 * problem. Rule files in `rules` replace those of the config.
 */
export function loadOrFail(
  terminal: Terminal & Pick<SetupTools, 'cache' | 'listFiles'>,
  file: string,
  code: number = EXIT.config,
  rules: readonly string[] = [],
): Setup {
  const loaded = loadSetup(file, terminal, rules);
  if (loaded.setup === null) throw nothingLoaded(loaded.problems, code);
  if (loaded.setup.warnings.length > 0) terminal.err(`${formatWarnings(loaded.setup.warnings)}\n\n`);
  return loaded.setup;
}

/**
 * Loads the parts of a setup that commands need to read the state. Rule files with a mistake and secrets that only the
 * daemon can read are left out. They do not make the command fail.
 */
export function loadToRead(terminal: Terminal, file: string): Setup {
  const loaded = loadSetup(file, { ...terminal, isToRead: true });
  if (loaded.setup !== null) return loaded.setup;
  if (loaded.sound === null) throw nothingLoaded(loaded.problems, EXIT.config);
  const absent = new Set(loaded.problems.flatMap((problem) => problem.absent ?? []));
  if (absent.size > 0)
    terminal.err(
      `Secrets that this command cannot read, but the daemon may: ${[...absent].map((name) => singleLine(name)).join(', ')}.\n\n`,
    );
  const problems = loaded.problems.filter((problem) => problem.absent === undefined);
  if (problems.length === 0) return loaded.sound;
  const left = 'A running daemon keeps its former rules. The watches of these files are not shown here.';
  terminal.err(`${formatProblems(problems)}\n\n${countOf(problems)}. ${left}\n\n`);
  return loaded.sound;
}

/** The config alone, for commands that need no rule. */
export function configOrFail({ env, readFile }: Terminal, file: string): Config {
  const { config, problems } = loadConfig(file, { env, readFile, notifiers, isToRead: true });
  if (config === null) throw nothingLoaded(problems, EXIT.config);
  return config;
}

function nothingLoaded(problems: readonly Problem[], code: number): CommandError {
  return new CommandError(code, `${countOf(problems)}; nothing was loaded\n\n${formatProblems(problems)}`);
}

function countOf({ length }: readonly Problem[]): string {
  return `${length} ${length === 1 ? 'problem' : 'problems'}`;
}
