// The values that a message carries, one row each, with the pages of the explorer about hashes, addresses and blocks.
import type { Fact, Message } from '../../core/model/delivery.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { FieldRow } from '../shapes/common.ts';

const MOST_ROWS = 100;

/** `pages`: the root of the explorer's pages; null: it has none. */
export function fieldsOf({ fields }: Pick<Message, 'fields'>, pages: string | null): FieldRow[] {
  return leaves({ record: fields }, '')
    .slice(0, MOST_ROWS)
    .map(([name, value]) => rowOf(name, value, pages));
}

function leaves(fact: Fact, name: string): (readonly [name: string, value: Segment])[] {
  if (typeof fact !== 'object') return [[name, { text: String(fact) }]];
  if ('record' in fact) {
    const parts = Object.entries(fact.record).map(([part, value]) => [singleLine(part), value] as const);
    return parts.flatMap(([part, value]) => leaves(value, name === '' ? part : `${name}.${part}`));
  }
  if ('list' in fact) return fact.list.flatMap((one, at) => leaves(one, `${name}.${at + 1}`));
  return [[name, fact]];
}

function rowOf(name: string, value: Segment, pages: string | null): FieldRow {
  const path = pages === null || 'untrusted' in value ? null : pathOf(name, value.text);
  return { name, value: [value], page_url: path === null ? null : `${pages ?? ''}${path}` };
}

/** All explorers use the same paths. Null: the value has no page. */
function pathOf(name: string, text: string): string | null {
  if (/^0x[\da-f]{40}$/i.test(text)) return `/address/${text}`;
  if (/^0x[\da-f]{64}$/i.test(text)) return `/${/block/.test(name) ? 'block' : 'tx'}/${text}`;
  return /(?:^|[._])(?:block_number|height)$/.test(name) && /^\d{1,15}$/.test(text) ? `/block/${text}` : null;
}
