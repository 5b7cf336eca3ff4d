// What operators have decided about messages, with a number that rises when that changes.
import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '../../../lib/clock.ts';
import type { StoredPolicy } from '../../interventions.ts';
import { createAcksView } from './acks-table.ts';
import { createFacts } from '../facts.ts';
import { createSilencesView } from './silences-table.ts';

export function createPolicyView(db: DatabaseSync): (at: Instant) => StoredPolicy {
  const [silences, acks] = [createSilencesView(db), createAcksView(db)];
  const version = createPolicyVersion(db);
  return (at) => ({ version: version.read(), silences: silences(at), acks: acks(at) });
}

export interface PolicyVersion {
  read(): number;
  /** Within the transaction of what changes it. */
  raise(): void;
}

export function createPolicyVersion(db: DatabaseSync): PolicyVersion {
  const facts = createFacts(db);
  const read = (): number => {
    const version = Number(facts.read('policy') ?? 0);
    return Number.isSafeInteger(version) ? version : 0;
  };
  return {
    read,
    raise() {
      facts.write('policy', String(read() + 1));
    },
  };
}
