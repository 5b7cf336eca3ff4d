// The form of the sandbox's answers: that of the specification, or of a release in use.
import type { JsonRow } from '../answer.ts';
import type { SandboxOperation } from '../operations.ts';
import { BEHAVIOUR_BY_RELEASE, SPECIFIED, type Behaviour } from './behaviour.ts';
import { createWriters, tokenType, type RecordName } from './fields.ts';
import { isWithin, type Release } from './release.ts';

export interface Dialect extends Omit<Behaviour, 'strict'> {
  /** Null: the specification. */
  readonly release: Release | null;
  /** False for the specification. */
  isSince(release: Release): boolean;
  isStrict(operation: SandboxOperation): boolean;
  /** The standard of a token, as answers show it and filters name it. */
  tokenType(type: string): unknown;
  /**
   * Writes a row in the form of the release. `row` is as specified; `beyond` makes the fields that only releases have,
   * or have in another form.
   */
  write(record: RecordName, row: JsonRow, beyond: () => JsonRow): JsonRow;
}

const SPECIFICATION: Dialect = {
  ...SPECIFIED,
  release: null,
  isSince: () => false,
  isStrict: () => true,
  tokenType: (type) => type,
  write: (_record, row) => row,
};

export function createDialect(release: Release | null): Dialect {
  if (release === null) return SPECIFICATION;
  const behaviour = BEHAVIOUR_BY_RELEASE[release];
  const writers = createWriters(release);
  return {
    ...behaviour,
    release,
    isSince: (since) => isWithin(release, { since }),
    tokenType: (type) => tokenType(type, release),
    isStrict: (operation) => behaviour.strict === 'all' || behaviour.strict.includes(operation),
    write: (record, row, beyond) => writers[record]({ ...row, ...beyond() }),
  };
}
