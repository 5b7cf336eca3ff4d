import { loadSetup, type Setup, type SetupTools } from '../app/setup/setup.ts';
import { createSources, type Sources } from '../app/setup/sources.ts';
import { formatProblems } from '../config/problem.ts';
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

/** The result of `loadOrFail`. */
export function loadToRun(terminal: Terminal, file: string): Reloadable {
  const sources = createSources(terminal.readFile);
  const { readFile, listFiles } = sources;
  const { env, isReadableByAll } = terminal;
  const tools = { env, isReadableByAll, readFile, listFiles, cache: createRuleCache(), sources };
  return { setup: loadOrFail({ ...terminal, ...tools }, file), tools };
}

/**
 * The setup of a config file, with warnings on standard error; throws a `CommandError` that shows every problem.
 * Rule files that are named stand in for the config's.
 */
export function loadOrFail(
  terminal: Terminal & Pick<SetupTools, 'cache' | 'listFiles'>,
  file: string,
  code: number = EXIT.config,
  rules: readonly string[] = [],
): Setup {
  const loaded = loadSetup(file, terminal, rules);
  if (loaded.setup === null) {
    const count = loaded.problems.length;
    const text = formatProblems(loaded.problems);
    throw new CommandError(code, `${count} ${count === 1 ? 'problem' : 'problems'}; nothing was loaded\n\n${text}`);
  }
  if (loaded.setup.warnings.length > 0) terminal.err(`${formatProblems(loaded.setup.warnings)}\n`);
  return loaded.setup;
}
