import { join } from 'node:path';
import { reasonOf } from '../../config/problem.ts';
import { notifiers } from '../../notifiers/index.ts';
import { configJsonSchema, rulesJsonSchema } from '../../rules/schema/schema.ts';
import { testsJsonSchema } from '../../rule-tests/schema.ts';
import { kinds } from '../../watches/index.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

/** Writes the schemas for editors, and prints where each of them is. */
export function schema(terminal: Terminal, { out }: { readonly out: string }): number {
  const schemas = {
    'rules.schema.json': rulesJsonSchema(kinds),
    'rules-test.schema.json': testsJsonSchema(kinds),
    'config.schema.json': configJsonSchema(notifiers),
  };
  for (const [name, json] of Object.entries(schemas)) {
    const path = join(out, name);
    try {
      terminal.writeFile(path, `${JSON.stringify(json, null, 2)}\n`);
    } catch (error) {
      throw new CommandError(EXIT.problems, `${path} cannot be written: ${reasonOf(error)}. Name a folder with --out.`);
    }
    terminal.out(path);
  }
  return EXIT.ok;
}
