import { describeReports, describeReportTargets } from '../../rules/describe-reports.ts';
import { describeTargets } from '../../rules/describe-targets.ts';
import { describeWatches } from '../../rules/describe.ts';
import { EXIT } from '../exit.ts';
import { loadOrFail, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';

export interface CheckOptions extends ConfigOption {
  /** True: the exit code for a warning is that for a problem. */
  readonly strict?: boolean;
}

/**
 * Prints a line per watch, the total cost, and the recipients of each alert. If there are problems it prints all of
 * them, and returns their exit code.
 */
export function check(terminal: Terminal, { config: file, strict = false }: CheckOptions): number {
  const setup = loadOrFail(terminal, file, EXIT.problems);
  const { config, watches, reports } = setup;
  const { lines, warnings } = describeWatches(watches, config);
  const targets = [...describeTargets(watches, config.routes), ...describeReportTargets(reports, config.routes)];
  for (const line of [...lines, ...describeReports(reports), ...targets]) terminal.out(line);
  for (const warning of warnings) terminal.err(`warning: ${warning}\n`);
  // A long table may separate the warnings from the end of the output, so their number is printed last.
  const count = setup.warnings.length + warnings.length;
  if (count > 0) terminal.err(`no mistake, ${count} ${count === 1 ? 'warning' : 'warnings'}\n`);
  return strict && count > 0 ? EXIT.problems : EXIT.ok;
}
