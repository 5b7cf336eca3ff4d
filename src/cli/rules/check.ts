import { describeTargets } from '../../rules/describe-targets.ts';
import { describeWatches } from '../../rules/describe.ts';
import { EXIT } from '../exit.ts';
import { loadOrFail, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';

/** Prints a line per watch, the total cost, and who is told of each alert. With problems it prints all of them, and returns their exit code. */
export function check(terminal: Terminal, { config: file }: ConfigOption): number {
  const { config, watches } = loadOrFail(terminal, file, EXIT.problems);
  const { lines, warnings } = describeWatches(watches, config);
  for (const line of [...lines, ...describeTargets(watches, config.routes)]) terminal.out(line);
  for (const warning of warnings) terminal.err(`warning: ${warning}\n`);
  return EXIT.ok;
}
