import { describeWatches } from '../rules/describe.ts';
import { EXIT } from './exit.ts';
import { loadOrFail } from './load.ts';
import type { Terminal } from './terminal.ts';

export function check(terminal: Terminal, { config: file }: { readonly config: string }): number {
  const { config, watches } = loadOrFail(terminal, file, EXIT.problems);
  const { lines, warnings } = describeWatches(watches, config);
  for (const line of lines) terminal.out(line);
  for (const warning of warnings) terminal.err(`warning: ${warning}\n`);
  return EXIT.ok;
}
