// The commands that check, copy and replace the state file.
import { resolve } from 'node:path';
import { showInstant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import {
  backupState,
  checkState,
  copyStateIn,
  copyStateOut,
  openBackups,
  restoreState,
  stateName,
  type StatePlace,
  type StoreSettings,
} from '../../store/open.ts';
import type { Finding, StateCheck } from '../../store/contract/backups.ts';
import { CommandError, EXIT } from '../exit.ts';
import { configOrFail, type ConfigOption } from '../load.ts';
import type { Terminal } from '../terminal.ts';

/** Checks every page and every row of the state file, or of a named backup. Changes nothing. */
export async function stateCheck(
  terminal: Terminal,
  named: string | undefined,
  options: ConfigOption,
): Promise<number> {
  const { state } = configOrFail(terminal, options.config);
  const place = named === undefined ? state : { file: resolve(named) };
  const check = await checkState(place);
  for (const line of checkLines(nameOf(place), check)) terminal.out(line);
  if (state.postgres === null) terminal.out(await backupsLine(state));
  return check.findings.length === 0 ? EXIT.ok : EXIT.problems;
}

/** The name of the state, with that of the installation if the state is in a database. */
function nameOf(place: StatePlace): string {
  return place.postgres ? `${stateName(place)}, installation ${place.postgres.name}` : stateName(place);
}

function checkLines(name: string, { schema, isCurrent, bytes, rows, findings }: StateCheck): string[] {
  return [
    `${name}: schema ${schema}, ${bytes} bytes`,
    ...[...rows].map(([table, count]) => `  ${table}: ${count} ${count === 1 ? 'row' : 'rows'}`),
    ...(isCurrent ? [] : ['written by an older release: its rows can be examined after a daemon has upgraded it']),
    ...(findings.length === 0 ? ['sound: nothing is damaged'] : findings.map(showFinding)),
  ];
}

function showFinding({ what, advice }: Finding): string {
  return `damaged: ${singleLine(advice === '' ? what : `${what.replace(/\.$/, '')}. ${advice}`)}`;
}

async function backupsLine(state: StoreSettings): Promise<string> {
  const { directory } = state.backup;
  const [newest, ...others] = await openBackups(state).list();
  if (newest === undefined) return `no backups in ${directory}`;
  return `${others.length + 1} backups in ${directory}, the newest of ${showInstant(newest.at)}: ${newest.file}`;
}

/** Copies the state file, also while the daemon runs, and checks the copy. */
export async function stateBackup(
  terminal: Terminal,
  named: string | undefined,
  options: ConfigOption,
): Promise<number> {
  const { state } = configOrFail(terminal, options.config);
  const file = await backupState(state, terminal.clock.now(), named === undefined ? undefined : resolve(named));
  terminal.out(`${file}: a complete copy of ${state.file}, checked`);
  return EXIT.ok;
}

/** Puts a backup in the place of the state file; no daemon may be running on it. */
export async function stateRestore(terminal: Terminal, named: string, options: ConfigOption): Promise<number> {
  const { state } = configOrFail(terminal, options.config);
  const backup = resolve(named);
  const { former } = await restoreState(state, backup);
  terminal.out(`${state.file}: restored from ${backup}, checked`);
  if (former !== null) terminal.out(`the former state file is kept as ${former}`);
  terminal.out('Messages that were sent after that backup may be sent again, under the same ids.');
  return EXIT.ok;
}

export interface CopyOptions extends ConfigOption {
  readonly from?: string;
  readonly to?: string;
}

/** Copies a state from a file into the database of the config, or from the database into a file. */
export async function stateCopy(terminal: Terminal, { config: file, from, to }: CopyOptions): Promise<number> {
  const { state } = configOrFail(terminal, file);
  if ((from === undefined) === (to === undefined))
    throw new CommandError(EXIT.usage, 'Say either --from FILE or --to FILE.');
  const name = nameOf(state);
  const [copied, line] =
    from === undefined
      ? [await copyStateOut(state, resolve(to ?? '')), `${name}: copied into ${resolve(to ?? '')}`]
      : [await copyStateIn(state, resolve(from)), `${resolve(from)}: copied into ${name}`];
  terminal.out(line);
  for (const [table, count] of copied) terminal.out(`  ${table}: ${count} ${count === 1 ? 'row' : 'rows'}`);
  return EXIT.ok;
}
