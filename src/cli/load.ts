import { loadSetup, type Setup, type SetupTools } from '../app/setup.ts';
import { formatProblems } from '../config/problem.ts';
import { CommandError, EXIT } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** What every command that reads the config is given: its file. */
export interface ConfigOption {
  readonly config: string;
}

/**
 * The setup of a config file, with warnings on standard error; throws a `CommandError` that shows every problem.
 * Rule files that are named stand in for the config's.
 */
export function loadOrFail(
  terminal: Terminal & Pick<SetupTools, 'cache'>,
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
