// Finds secrets in rule files. Rules need no secrets, and their texts are sent to people.
import type { Problem } from '../config/problem.ts';
import type { RuleFile } from './load.ts';

/** Shorter secrets are not searched: they could be any word of a rule. */
const SHORTEST = 8;

/**
 * The first place of each secret of the config in each file, and of secrets for signing webhooks. Their lines are not
 * shown.
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
    message: 'a secret stands in this rule file',
    hint: 'Rules need none, and what they say is sent to people: take it out, and replace it where it is used.',
  };
}
