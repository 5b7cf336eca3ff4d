// What a story does to its state beside the daemon, whatever keeps it.
import { DatabaseSync } from 'node:sqlite';
import type { StatePlace } from '../../../src/store/open.ts';
import { execute } from './postgres-server.ts';

/** Runs a statement that both engines know; resolves with its rows. */
export async function onState({ file, postgres }: StatePlace, statement: string): Promise<readonly object[]> {
  if (postgres) return execute(postgres.reveal(), statement);
  using db = new DatabaseSync(file);
  return db.prepare(statement).all();
}

/** Nothing that polls decide is taken for as long as this is not disposed of. */
export async function holdState(state: StatePlace): Promise<AsyncDisposable> {
  return state.postgres ? refuseIn(state.postgres.reveal()) : lock(state.file);
}

/** Another program holds the file. */
function lock(file: string): AsyncDisposable {
  const db = new DatabaseSync(file);
  db.exec('BEGIN IMMEDIATE');
  return {
    async [Symbol.asyncDispose]() {
      db.close();
    },
  };
}

/** The disk of the server is full. */
async function refuseIn(url: string): Promise<AsyncDisposable> {
  await execute(
    url,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON memory FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
  );
  return {
    async [Symbol.asyncDispose]() {
      await execute(url, 'DROP FUNCTION refuse CASCADE');
    },
  };
}
