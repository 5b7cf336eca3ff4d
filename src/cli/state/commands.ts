// The commands that read the state, also while the daemon runs, and the commands that repair it.
import type { ConfigOption } from '../load.ts';
import { collect, CONFIG, toWhole, type Registry } from '../options.ts';
import type { CopyOptions } from './files.ts';
import type { HistoryOptions } from './history.ts';
import type { StatusOptions } from './status.ts';

export function addStateCommands(registry: Registry): void {
  addStatus(registry);
  addExplain(registry);
  addHistory(registry);
  addStateFile(registry);
}

function addStatus({ program, terminal, end }: Registry): void {
  program
    .command('status')
    .description('show alerts that fire, whether the data can be trusted, and faults; also while the daemon runs')
    .option(...CONFIG)
    .option('--watches', 'a line for each watch, also where all is well')
    .option('--json', 'alerts that fire as JSON, in the form of the API')
    .action(async (options: StatusOptions) => {
      end(await (await import('./status.ts')).status(terminal, options));
    });
}

function addExplain({ program, terminal, end }: Registry): void {
  program
    .command('explain <watch>')
    .description('show why the alerts of a watch (id, id[label] or id/alert) fire or do not, from its last poll')
    .option(...CONFIG)
    .action(async (watch: string, options: ConfigOption) => {
      end(await (await import('./explain.ts')).explain(terminal, watch, options));
    });
}

function addHistory({ program, terminal, end }: Registry): void {
  program
    .command('history')
    .description('list decisions, messages and changes from the journal; also while the daemon runs')
    .option(...CONFIG)
    .option('--alert <name>', 'only one watch (id, id[label]) or alert (id/alert)')
    .option(
      '--label <label=value>',
      'only alerts with this label, such as team=treasury; with several, alerts that have all',
      collect,
      [],
    )
    .option('--since <when>', 'the begin: 24h back, or a time such as 2026-01-31T12:00:00Z')
    .option('--limit <number>', 'the number of lines, the newest first', toWhole, 200)
    .option('--json', 'a JSON object a line, with position and hash', false)
    .option('--verify [anchor]', 'only check that the journal is complete; an anchor is a position:hash kept elsewhere')
    .action(async (options: HistoryOptions) => {
      end(await (await import('./history.ts')).history(terminal, options));
    });
}

function addStateFile({ program, terminal, end }: Registry): void {
  const state = program.command('state').description('check, copy, restore the state; forget a watch');
  state
    .command('forget <watch>')
    .description('remove the memory of a watch (id or id[label]), damaged or not: the watch starts with a new baseline')
    .option(...CONFIG)
    .action(async (watch: string, options: ConfigOption) => {
      end(await (await import('./forget.ts')).stateForget(terminal, watch, options));
    });
  state
    .command('check')
    .description('examine every page and row of the state, or of a backup; also while the daemon runs')
    .argument('[file]', 'a backup, instead of the state file')
    .option(...CONFIG)
    .action(async (file: string | undefined, options: ConfigOption) => {
      end(await (await import('./files.ts')).stateCheck(terminal, file, options));
    });
  state
    .command('accept')
    .description('let replicas work by this config although it names no watch that their database remembers')
    .option(...CONFIG)
    .action(async (options: ConfigOption) => {
      end(await (await import('./accept.ts')).stateAccept(terminal, options));
    });
  state
    .command('backup')
    .description('copy the state file and check the copy; also while the daemon runs')
    .argument('[file]', 'a new file; without it, one in state.backup.directory')
    .option(...CONFIG)
    .action(async (file: string | undefined, options: ConfigOption) => {
      end(await (await import('./files.ts')).stateBackup(terminal, file, options));
    });
  state
    .command('copy')
    .description('move a state between a file and the database of state.postgres')
    .option(
      '--from <file>',
      'a state file or a backup, into the database, which has to be empty; stop the daemon first',
    )
    .option('--to <file>', 'a new state file, of what the database holds; also while the daemon runs')
    .option(...CONFIG)
    .action(async (options: CopyOptions) => {
      end(await (await import('./files.ts')).stateCopy(terminal, options));
    });
  state
    .command('restore')
    .description('make a backup the state file, and keep the former one beside it; stop the daemon first')
    .argument('<file>', 'the backup')
    .option(...CONFIG)
    .action(async (file: string, options: ConfigOption) => {
      end(await (await import('./files.ts')).stateRestore(terminal, file, options));
    });
}
