// Reads the address of the daemon and the place of its state from a config. Mistakes in the rest of the file are
// ignored, since an operator must be able to reach the daemon while someone edits its config.
import { dirname, resolve } from 'node:path';
import { readListen } from './listen.ts';
import type { ConfigTools, DatabaseSettings } from '../model.ts';
import { fileProblem, reasonOf, type Problem } from '../problem.ts';
import { createSecretReader, type SecretReader } from '../values/secrets.ts';
import { ConfigShape, DatabaseSource } from '../shape.ts';
import { readDatabase } from './state.ts';
import { isTimeZone } from '../values/time-zones.ts';
import { isMap, type WrittenValue } from '../yaml/written.ts';
import { parseYaml, type Source } from '../yaml/yaml.ts';

export interface DaemonPlace {
  readonly listen: { readonly host: string; readonly port: number };
  /** The absolute path of the state file. */
  readonly stateFile: string;
  /** The database that keeps the state; null: the file does. */
  readonly postgres: DatabaseSettings | null;
  /** The time zone for texts to people. */
  readonly timeZone: string;
}

/** Never throws. */
export function readDaemonPlace(
  file: string,
  { env, readFile }: Pick<ConfigTools, 'env' | 'readFile'>,
): DaemonPlace | { readonly problems: readonly Problem[] } {
  let text: string;
  try {
    text = readFile(resolve(file));
  } catch (error) {
    return {
      problems: [fileProblem(file, `cannot be read: ${reasonOf(error)}`, 'Name the config file with --config.')],
    };
  }
  const parsed = parseYaml(file, text);
  if ('problems' in parsed) return parsed;
  const { source } = parsed;
  const { http, state } = ConfigShape.parse({ explorers: {}, channels: {} });
  const listen = readListen(source, env['CHAINWARDEN_LISTEN'], textAt(source.value, 'http', 'listen') ?? http.listen);
  if (listen.value === null) return { problems: listen.problems };
  const stateFile = resolve(dirname(resolve(file)), textAt(source.value, 'state', 'file') ?? state.file);
  const postgres = postgresIn(source, createSecretReader(source, dirname(resolve(file)), { env, readFile }));
  return 'missing' in postgres
    ? { problems: [postgres.missing] }
    : { listen: listen.value, stateFile, timeZone: zoneIn(source.value), ...postgres };
}

function postgresIn(
  source: Source,
  secrets: SecretReader,
): { readonly postgres: DatabaseSettings | null } | { readonly missing: Problem } {
  const state = isMap(source.value) ? source.value['state'] : undefined;
  const written = isMap(state) ? state['postgres'] : undefined;
  if (written === undefined) return { postgres: null };
  const { data, error } = DatabaseSource.safeParse(written);
  // If this mistake were ignored, commands would read the state file of this machine, which is another state.
  if (data === undefined)
    return {
      missing: source.problem(['state', 'postgres'], {
        message: error.issues.map(({ message }) => message).join('; '),
      }),
    };
  const read = readDatabase(data, secrets);
  return 'missing' in read ? read : { postgres: read };
}

function zoneIn(value: WrittenValue): string {
  const written = (isMap(value) ? value['time_zone'] : undefined) ?? textAt(value, 'http', 'time_zone');
  return typeof written === 'string' && isTimeZone(written) ? written : 'UTC';
}

function textAt(value: WrittenValue, part: string, key: string): string | undefined {
  const map = isMap(value) ? value[part] : undefined;
  const text = isMap(map) ? map[key] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
