import { describeWatches } from '../rules/describe.ts';
import { EXIT } from './exit.ts';
import { loadOrFail, type ConfigOption } from './load.ts';
import type { Terminal } from './terminal.ts';

/** Prints a line per watch and what all of them cost; with problems, all of those, and the code for them. */
export function check(terminal: Terminal, { config: file }: ConfigOption): number {
  const { config, watches } = loadOrFail(terminal, file, EXIT.problems);
  const { lines, warnings } = describeWatches(watches, config);
  for (const line of lines) terminal.out(line);
  for (const warning of warnings) terminal.err(`warning: ${warning}\n`);
  return EXIT.ok;
}
