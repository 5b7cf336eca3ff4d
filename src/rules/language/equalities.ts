// The parts of a condition that compare a field with one value, or check that an address is in a group of the config.
import type { Equality } from '../../core/model/watch/condition.ts';
import { Address } from '../../core/values/address.ts';
import type { Language } from './model.ts';
import { namesOf } from './reading/paths.ts';
import { readPath, resolveNames } from './reading/names.ts';
import { isBinary, isName, isText, type Node } from './syntax.ts';

/** Null for every other part. */
export function equalityOf(language: Language, node: Node, before: boolean): Equality | null {
  if (!isBinary(node)) return equality(fieldOf(language, node, before), { is: true });
  const [left, right] = node.args;
  if (node.op === 'in') {
    const group = isName(right) && Array.isArray(language.names.get(right.args)) ? { name: right.args } : undefined;
    return equality(fieldOf(language, left, before), group);
  }
  if (node.op !== '==' && node.op !== '!=') return null;
  const isNegated = node.op === '!=';
  const direct = equality(fieldOf(language, left, before), constantOf(language, right), isNegated);
  return direct ?? equality(fieldOf(language, right, before), constantOf(language, left), isNegated);
}

type Field = Pick<Equality, 'path'> & { readonly isBool: boolean };

function equality(field: Field | null, value: Equality['value'] | undefined, isNegated = false): Equality | null {
  if (field === null || value === undefined || field.isBool !== 'is' in value) return null;
  return { path: field.path, value, isNegated };
}

/** Null if the node is no field of the present values. */
function fieldOf(language: Language, node: Node, before: boolean): Field | null {
  const names = namesOf(node);
  const found = names === undefined ? undefined : resolveNames(language, names, before);
  if (found === undefined || !('path' in found) || found.before) return null;
  return { path: readPath(found), isBool: found.type.type === 'bool' };
}

function constantOf({ names }: Language, node: Node): Equality['value'] | undefined {
  if (isText(node)) return { text: node.args };
  if (isName(node)) return names.get(node.args) instanceof Address ? { name: node.args } : undefined;
  return node.op === 'value' && typeof node.args === 'boolean' ? { is: node.args } : undefined;
}
