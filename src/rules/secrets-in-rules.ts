// Finds secrets in rule files. Rules need no secrets, and their texts are sent to people.
import type { Problem } from '../config/problem.ts';
import type { RuleFile } from './load.ts';

/** Shorter secrets are not searched: they could be any word of a rule. */
const SHORTEST = 8;

/**
 * Problems at the first place of each secret of the config in each file, and at the first secret for signing webhooks.
 * The lines with secrets are not shown.
 */
export function secretsInRules(files: readonly RuleFile[], secrets: readonly string[]): Problem[] {
  const known = secrets.filter((secret) => secret.length >= SHORTEST);
  return files.flatMap(({ file, text }) => {
    const found = [...known.map((secret) => text.indexOf(secret)), text.search(SIGNING_SECRET)];
    return found.filter((at) => at >= 0).map((at) => problemAt(file, text.slice(0, at)));
  });
}

const SIGNING_SECRET = /\bwhsec_[\w+/-]{16}/;

function problemAt(file: string, before: string): Problem {
  const lines = before.split('\n');
  return {
    file,
    line: lines.length,
    column: (lines.at(-1) ?? '').length + 1,
    path: '',
    frame: '',
    message: 'this rule file contains a secret',
    hint: 'Rules need no secrets, and their texts are sent to people. Remove it, and replace it by a new secret where it is used.',
  };
}
