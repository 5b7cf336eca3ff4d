import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SqlDatabase } from '../../../src/store/sql/database.ts';
import { assertCurrentSchema, migrateState, schemaIn } from '../../../src/store/sql/migrate.ts';
import { SCHEMA_STEPS, type SchemaStep } from '../../../src/store/sql/schema.ts';
import { fileDatabase, onEachEngine, onEachShared } from './engines.ts';

const FURTHER: readonly SchemaStep[] = [
  ...SCHEMA_STEPS,
  ({ int }) => [`ALTER TABLE facts ADD COLUMN at ${int} NOT NULL DEFAULT 7`],
];
const ADD = "INSERT INTO facts (name, value) VALUES ('a', 'b')";

onEachEngine((open) => {
  test('an older schema is brought to the newest, with its rows', async () => {
    await using opened = await open();
    const { database } = opened;
    await database.write('record', (sql) => sql.run(ADD));
    await migrateState(database, FURTHER);
    expect(await database.sql.all("SELECT * FROM facts WHERE name = 'a'")).toEqual([{ name: 'a', value: 'b', at: 7 }]);
    expect(await schemaIn(database, database.sql, FURTHER.length)).toBe(FURTHER.length);
  });

  test('a newer schema is refused, and nothing of it is changed', async () => {
    await using opened = await open();
    const { database } = opened;
    await migrateState(database, FURTHER);
    await expect(migrateState(database)).rejects.toThrow(
      new RegExp(
        String.raw`written by a newer release \(schema ${FURTHER.length}, this one knows up to ${SCHEMA_STEPS.length}\)`,
        'v',
      ),
    );
    await expect(assertCurrentSchema(database)).rejects.toThrow(/newer release/);
    expect(await schemaIn(database, database.sql, FURTHER.length)).toBe(FURTHER.length);
  });

  test('a step that fails leaves the schema as it was', async () => {
    await using opened = await open();
    const { database } = opened;
    const broken: readonly SchemaStep[] = [...FURTHER, () => ['ALTER TABLE missing ADD COLUMN x text']];
    await expect(migrateState(database, broken)).rejects.toThrow(/cannot write/);
    expect(await schemaIn(database, database.sql)).toBe(SCHEMA_STEPS.length);
    expect(await columnsOf(database)).toEqual(['name', 'value']);
  });

  test('an empty database holds no state for a reader', async () => {
    await using opened = await open(true);
    await expect(assertCurrentSchema(opened.database)).rejects.toThrow(/holds no state yet/);
  });
});

onEachShared((open) => {
  test('two processes take each step once', async () => {
    await using opened = await open(true);
    const both = [opened.database, opened.again()];
    await Promise.all(both.map((database) => migrateState(database, FURTHER)));
    expect(await columnsOf(opened.database)).toEqual(['name', 'value', 'at']);
  });
});

describe('a file that this release does not read', () => {
  test.each([
    [
      'of a build before the first release',
      earlyFile,
      /build from before release 0\.1\.0 \(its schema 22\).*Move it away/,
    ],
    ['of the first schema of such a build', firstFile, /build from before release 0\.1\.0 \(its schema 1\)/],
    ['of another program', foreignFile, /database of another program/],
  ])('%s is refused and stays as it was', async (_, prepare, message) => {
    await inFile(prepare, async (database) => {
      const before = await schemaText(database);
      await expect(migrateState(database)).rejects.toThrow(message);
      await expect(assertCurrentSchema(database)).rejects.toThrow(message);
      expect(await schemaText(database)).toEqual(before);
    });
  });
});

function earlyFile(db: DatabaseSync): void {
  db.exec('CREATE TABLE memory (watch TEXT); PRAGMA application_id = 0x4357646e; PRAGMA user_version = 22');
}

function firstFile(db: DatabaseSync): void {
  db.exec('CREATE TABLE memory (watch TEXT); PRAGMA application_id = 0x4357646e; PRAGMA user_version = 1');
}

function foreignFile(db: DatabaseSync): void {
  db.exec('CREATE TABLE theirs (x TEXT)');
}

async function inFile(
  prepare: (db: DatabaseSync) => void,
  work: (database: SqlDatabase) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'chainwarden-migrate-'));
  const file = join(directory, 'state.db');
  try {
    using db = new DatabaseSync(file);
    prepare(db);
    const database = fileDatabase(file);
    await work(database);
    await database[Symbol.asyncDispose]();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function schemaText({ sql }: SqlDatabase): Promise<unknown> {
  return [await sql.all('SELECT sql FROM sqlite_schema'), await sql.all('PRAGMA user_version')];
}

async function columnsOf({ sql, dialect }: SqlDatabase): Promise<unknown[]> {
  const rows =
    dialect.name === 'sqlite'
      ? await sql.all("SELECT name FROM pragma_table_info('facts')")
      : await sql.all(
          "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'facts' ORDER BY ordinal_position",
        );
  return rows.map(({ name }) => name);
}
