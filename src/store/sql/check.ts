// Checks every row of a state, and changes nothing.
import type { ChainCheck } from '../../core/journal/chain.ts';
import type { Finding, StateCheck } from '../contract/backups.ts';
import { StorageError } from '../contract/store.ts';
import { deliveryOf, DELIVERIES } from '../tables/deliveries/delivery-rows.ts';
import { memberOf, MEMBERS } from '../tables/deliveries/delivery-members.ts';
import { verifyJournal } from '../tables/journal/journal-pages.ts';
import { planOf, PLANS } from '../tables/memory/plans.ts';
import { assertDiagnostics, DIAGNOSTICS, REMEMBERED } from '../tables/memory/memory.ts';
import { memoryOf } from '../tables/memory/stored-memory.ts';
import { ackOf, ACKS } from '../tables/operators/policy.ts';
import { pauseOf, silenceOf, SILENCES } from '../tables/operators/silences.ts';
import type { Row } from './rows.ts';
import type { PagedStatement, Sql } from './sql.ts';

interface CheckedTable {
  readonly table: string;
  readonly select: PagedStatement;
  /** Throws a StorageError that names the row. */
  readonly read: (row: Row) => unknown;
  readonly advice: string;
}

const CHECKED: readonly CheckedTable[] = [
  { table: 'memory', select: REMEMBERED, read: memoryOf, advice: '' },
  {
    table: 'coverage',
    select: DIAGNOSTICS,
    read: assertDiagnostics,
    advice: 'Nothing to do: only `explain` and `status` read it, and the next poll writes it again.',
  },
  {
    table: 'plans',
    select: PLANS,
    read: planOf,
    advice: 'Nothing to do: the daemon starts with the credits that the explorer reports, and writes the plan again.',
  },
  {
    table: 'deliveries',
    select: DELIVERIES,
    read: deliveryOf,
    advice: 'Nothing to do: where it is still owed, the daemon gives it up and logs delivery:damaged.',
  },
  {
    table: 'deliveries',
    select: MEMBERS,
    read: memberOf,
    advice:
      'Nothing to do: where it is still owed, the daemon leaves it out, or gives it up where nothing else is in it.',
  },
  {
    table: 'silences',
    select: SILENCES,
    read: (row) => (row['kind'] === 'pause' ? pauseOf(row) : silenceOf(row)),
    advice: 'It has no effect. Make it again.',
  },
  { table: 'acks', select: ACKS, read: ackOf, advice: 'It has no effect. Acknowledge the alert again.' },
];

/** The finding about a table that cannot be read to its end; the callback may throw instead. */
export type OnUnreadable = (table: string, error: unknown) => Finding;

/** Counts the readable rows of each table. */
export async function countRows(
  sql: Sql,
  tables: readonly string[],
  onUnreadable: OnUnreadable,
): Promise<Pick<StateCheck, 'rows' | 'findings'>> {
  const rows = new Map<string, number>();
  const findings: Finding[] = [];
  for (const table of tables)
    try {
      rows.set(table, Number((await sql.first(`SELECT count(*) AS count FROM ${table}`))?.['count']));
    } catch (error) {
      findings.push(onUnreadable(table, error));
    }
  return { rows, findings };
}

const PAGE = 100;
/** The most findings with details; further ones are only counted. */
export const MOST_PER_TABLE = 20;

/** Rows that cannot be read, and breaks in the chain of journal lines. */
export async function findDamage(sql: Sql, onUnreadable: OnUnreadable): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const of of CHECKED) findings.push(...(await damagedRows(sql, of, onUnreadable)));
  try {
    return [...findings, ...brokenJournal(await verifyJournal(sql, null))];
  } catch (error) {
    return [...findings, onUnreadable('journal', error)];
  }
}

async function damagedRows(
  sql: Sql,
  { table, select, read, advice }: CheckedTable,
  onUnreadable: OnUnreadable,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let more = 0;
  try {
    for await (const rows of sql.pages(select, PAGE))
      for (const row of rows) {
        const what = damageOf(row, read);
        if (what === null) continue;
        if (findings.length < MOST_PER_TABLE) findings.push({ what, advice });
        else more += 1;
      }
  } catch (error) {
    findings.push(onUnreadable(table, error));
  }
  return more === 0 ? findings : [...findings, { what: `${more} further rows of ${table} are damaged`, advice }];
}

function damageOf(row: Row, read: (row: Row) => unknown): string | null {
  try {
    read(row);
    return null;
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
}

function brokenJournal(verdict: ChainCheck): Finding[] {
  if (verdict.type === 'intact') return [];
  const what = `the journal is broken at position ${verdict.position}: ${verdict.why}`;
  return [{ what, advice: 'Compare it with the journal of a backup. The daemon is not affected.' }];
}
