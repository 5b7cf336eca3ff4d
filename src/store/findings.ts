// What a look at every row of a state finds, whichever engine keeps it.
import type { ChainCheck } from '../core/journal/chain.ts';
import type { Finding } from './backups.ts';
import { ackOf, pauseOf, silenceOf } from './rows/operator-rows.ts';
import type { Row } from './rows/rows.ts';
import { deliveryOf, memberOf } from './rows/delivery-rows.ts';
import { assertDiagnostics, memoryOf } from './rows/memory-rows.ts';
import { StorageError } from './store.ts';

export interface CheckedTable {
  readonly table: string;
  readonly select: string;
  /** Throws a StorageError that names the row. */
  readonly read: (row: Row) => unknown;
  readonly advice: string;
}

/** By what it reads, the statement with which an engine reads it. */
export function checkedTables(
  select: Readonly<Record<'memory' | 'coverage' | 'deliveries' | 'members' | 'silences' | 'acks', string>>,
): readonly CheckedTable[] {
  return [
    { table: 'memory', select: select.memory, read: memoryOf, advice: '' },
    {
      table: 'coverage',
      select: select.coverage,
      read: assertDiagnostics,
      advice: 'Nothing to do: only `explain` and `status` read it, and the next poll writes it anew.',
    },
    {
      table: 'deliveries',
      select: select.deliveries,
      read: deliveryOf,
      advice: 'Nothing to do: where it is still owed, the daemon gives it up and logs delivery:damaged.',
    },
    {
      table: 'deliveries',
      select: select.members,
      read: memberOf,
      advice:
        'Nothing to do: where it is still owed, the daemon leaves it out, or gives it up where nothing else is in it.',
    },
    {
      table: 'silences',
      select: select.silences,
      read: (row) => (row['kind'] === 'pause' ? pauseOf(row) : silenceOf(row)),
      advice: 'It has no effect. Make it anew.',
    },
    { table: 'acks', select: select.acks, read: ackOf, advice: 'It has no effect. Acknowledge the alert anew.' },
  ];
}

export const MOST_PER_TABLE = 20;

export interface StateFindings {
  look(row: Row): void;
  add(finding: Finding): void;
  /** The first ones, and how many more there are. */
  end(): Finding[];
}

export function createFindings({ table, read, advice }: CheckedTable): StateFindings {
  const findings: Finding[] = [];
  let more = 0;
  return {
    look(row) {
      const finding = damageOf(row, read, advice);
      if (finding === null) return;
      if (findings.length < MOST_PER_TABLE) findings.push(finding);
      else more += 1;
    },
    add(finding) {
      findings.push(finding);
    },
    end: () =>
      more === 0 ? findings : [...findings, { what: `${more} further rows of ${table} are damaged`, advice }],
  };
}

function damageOf(row: Row, read: (row: Row) => unknown, advice: string): Finding | null {
  try {
    read(row);
    return null;
  } catch (error) {
    if (error instanceof StorageError) return { what: error.message, advice };
    throw error;
  }
}

/** Of the journal. */
export function findingsOf(verdict: ChainCheck): Finding[] {
  if (verdict.type === 'intact') return [];
  const what = `the journal is broken at position ${verdict.position}: ${verdict.why}`;
  return [{ what, advice: 'Compare it with the journal of a backup. The daemon works all the same.' }];
}
