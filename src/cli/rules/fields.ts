import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import { asMarkdown, asText, kindReference, kindsReference, type Reference } from '../../rules/schema/reference.ts';
import { kinds } from '../../watches/index.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface FieldsOptions {
  readonly format: 'text' | 'markdown';
}

/** Prints the reference of a kind; without one, the list of kinds. */
export function fields(terminal: Terminal, name: string | undefined, { format }: FieldsOptions): number {
  const reference = referenceOf(name);
  terminal.out(format === 'markdown' ? asMarkdown(reference) : asText(reference));
  return EXIT.ok;
}

function referenceOf(name: string | undefined): Reference {
  if (name === undefined) return kindsReference(kinds);
  const kind = kinds.find((one) => one.name === name);
  if (kind !== undefined) return kindReference(kind, kinds);
  const hint = hintFor(
    name,
    kinds.map((one) => one.name),
  );
  throw new CommandError(EXIT.usage, `no watch kind ${quote(name)}. ${hint ?? ''}`);
}
