// What a story does to its state beside the daemon, whatever keeps it.
import { DatabaseSync } from 'node:sqlite';
import type { StatePlace } from '../../../src/store/open.ts';
import { execute } from './postgres-server.ts';

/** Runs a statement that both engines know; resolves with its rows. */
export async function onState({ file, postgres }: StatePlace, statement: string): Promise<readonly object[]> {
  if (postgres) return execute(postgres.url.reveal(), statement);
  using db = new DatabaseSync(file);
  return db.prepare(statement).all();
}

/** The same at once: a file is full, where another program that held it would be waited for. */
export async function fillState(state: StatePlace): Promise<AsyncDisposable> {
  return state.postgres ? refuseIn(state.postgres.url.reveal()) : refuseInFile(state.file);
}

function refuseInFile(file: string): AsyncDisposable {
  const events = ['INSERT', 'UPDATE'];
  const onFile = (statements: readonly string[]): void => {
    using db = new DatabaseSync(file);
    db.exec(statements.join(';'));
  };
  const full = "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END";
  onFile(events.map((event) => `CREATE TRIGGER refuse_${event} BEFORE ${event} ON memory ${full}`));
  return {
    async [Symbol.asyncDispose]() {
      onFile(events.map((event) => `DROP TRIGGER refuse_${event}`));
    },
  };
}

/** Nothing that polls decide is taken for as long as this is not disposed of. */
export async function holdState(state: StatePlace): Promise<AsyncDisposable> {
  return state.postgres ? refuseIn(state.postgres.url.reveal()) : lock(state.file);
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
