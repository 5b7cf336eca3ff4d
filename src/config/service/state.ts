// The place of the state: a file, or a database.
import { dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import type { DatabaseSettings, StateSettings } from '../model.ts';
import type { Problem } from '../problem.ts';
import type { ConfigShape, DatabaseSource } from '../shape.ts';
import { Secret } from '../values/secret.ts';
import type { SecretReader } from '../values/secrets.ts';
import { isMap } from '../yaml/written.ts';
import type { Source } from '../yaml/yaml.ts';

type Written = ReturnType<typeof ConfigShape.parse>['state'];

export interface StateTools {
  readonly source: Source;
  /** The directory of the config file; relative paths start there. */
  readonly directory: string;
  readonly secrets: SecretReader;
}

/** The value is valid only if there are no problems. */
export function readState(
  tools: StateTools,
  written: Written,
): { readonly value: StateSettings; readonly problems: readonly Problem[] } {
  const { postgres, problems } = readPostgres(written.postgres, tools.secrets);
  const ofTheFile = written.postgres === undefined ? [] : partsOfTheFile(tools.source);
  return { value: { ...fileOf(written, tools.directory), postgres }, problems: [...problems, ...ofTheFile] };
}

function fileOf(written: Written, directory: string): Omit<StateSettings, 'postgres'> {
  const file = resolve(directory, written.file);
  const { directory: backups, keep } = written.backup;
  return {
    file,
    maxBytes: written.max_size,
    backup: { directory: backups === undefined ? join(dirname(file), 'backups') : resolve(directory, backups), keep },
  };
}

/** Null if the config has no PostgreSQL: a file keeps the state. */
function readPostgres(
  written: Written['postgres'],
  secrets: SecretReader,
): { readonly postgres: DatabaseSettings | null; readonly problems: readonly Problem[] } {
  if (written === undefined) return { postgres: null, problems: [] };
  const read = readDatabase(written, secrets);
  return 'missing' in read ? { postgres: null, problems: [read.missing] } : { postgres: read, problems: [] };
}

export function readDatabase(
  { name, ...source }: z.output<typeof DatabaseSource>,
  secrets: SecretReader,
): DatabaseSettings | { readonly missing: Problem } {
  const read = secrets.read(source, ['state', 'postgres']);
  return 'missing' in read ? read : { url: new Secret(read.text), name };
}

/**
 * Reports keys that apply to a state file but not to a database. Without it, the config would promise a limit or a
 * backup that does not exist.
 */
function partsOfTheFile(source: Source): Problem[] {
  const state = isMap(source.value) ? source.value['state'] : undefined;
  if (!isMap(state)) return [];
  return Object.entries(OF_THE_FILE)
    .filter(([key]) => state[key] !== undefined)
    .map(([key, hint]) =>
      source.problem(['state'], {
        key,
        message: `state.${key} is of a state file, and a database keeps the state`,
        hint,
      }),
    );
}

const OF_THE_FILE = {
  max_size: 'Take it out. How large the database may become is set where it runs.',
  backup: 'Take it out, and back the database up with the tools of PostgreSQL, such as pg_dump.',
};
