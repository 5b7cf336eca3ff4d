import { test } from '@jest/globals';
import { isOnPostgres } from './story-state.ts';

/** For stories that a state file alone can have: `const fileTest = onFileAlone('it is damaged')`. Else they are skipped. */
export function onFileAlone(reason: string): typeof test | typeof test.skip {
  if (!isOnPostgres) return test;
  process.stderr.write(`skipped on PostgreSQL: ${reason}\n`);
  return test.skip;
}
