// No subject holds text from the chain, whatever stands in any field: it is the same with every string of the corpus.
import { describe, expect, test } from '@jest/globals';
import { messageOf } from '../../src/core/alerts/message.ts';
import type { AlertRule, Watch } from '../../src/core/model/watch/watch.ts';
import { Address } from '../../src/core/values/address.ts';
import { Amount } from '../../src/core/values/amount.ts';
import { isWord } from '../../src/core/values/record-type.ts';
import type { AnyRecord, AnyView, FieldType } from '../../src/core/values/fields.ts';
import { untrusted } from '../../src/lib/untrusted.ts';
import { subjectOf } from '../../src/notifiers/rendering/wording.ts';
import { ADDRESSES } from '../../src/sandbox/names.ts';
import { loadWatches } from '../support/world.ts';
import { corpus } from './corpus.ts';

const RULES = `
defaults: { notify: [screen] }
watches:
  - id: balance
    kind: balance
    of: treasury
    alerts:
      - { id: moved, on: changed }
      - { id: named, on: changed, if: symbol != before.symbol }
      - { id: low, while: balance < 100 }
      - { id: called, while: symbol == "x" }
      - { id: both, while: symbol == "x" || token.type == "ERC-20" }
  - id: holdings
    kind: holdings
    of: treasury
    alerts:
      - { id: added, on: added }
      - { id: removed, on: removed }
      - { id: changed, on: changed, if: token.name != before.token.name }
      - { id: many, on: added, at_least: { count: 2, within: 10m }, per: token.type }
  - id: token
    kind: token
    token: ACME
    alerts:
      - { id: changed, on: changed }
      - { id: named, on: changed, if: name != before.name }
      - { id: other, while: token.type != "ERC-20" }
      - { id: flagged, while: reputation == "scam", title: 'Now {{ reputation }}, {{ token.type }}' }
  - id: calls
    kind: internal-transactions
    of: vault
    alerts:
      - { id: new, on: new }
      - { id: many, on: new, at_least: { count: 2, within: 10m }, per: from.hash }
      - { id: none, on: new, none_for: 1h }
  - id: transactions
    kind: transactions
    of: vault
    alerts:
      - { id: new, on: new }
      - { id: mined, on: mined }
      - { id: many, on: new, at_least: { count: 2, within: 10m }, per: [status, to.hash] }
  - id: blocks
    kind: blocks
    alerts:
      - { id: new, on: new }
      - { id: reorg, on: reorg }
      - { id: old, while: age > duration("5s") }
      - { id: high, while: head.height > 5 }
`;

const CIRCUMSTANCES = { at: 0, firedAt: null, since: 0, key: 'k', episode: 1, seq: 1, late: false, reason: null };
const COUNTED = {
  count: 2,
  isLeast: false,
  total: new Amount(2n, 0),
  newest: 0,
  items: [],
  reasons: new Map<string | null, number>(),
  others: null,
};
const DEEPEST = 3;

/** A view in which every text, and every word that may be one, is this text. */
function filled(record: AnyRecord, text: string, isFailed: boolean, depth = 0): AnyView {
  const entries = Object.entries(record.fields).map(([name, { type }]) => [name, valueOf(type, text, isFailed, depth)]);
  return record.make(Object.fromEntries(entries) as Record<string, unknown>);
}

function valueOf(type: FieldType, text: string, isFailed: boolean, depth: number): unknown {
  switch (type.type) {
    case 'text':
      return untrusted(text);
    case 'word':
      return isFailed ? (type.values.at(-1) ?? 'x') : isWord(text) ? text : type.values[0];
    case 'bool':
      return !isFailed;
    case 'int':
      return 7n;
    case 'double':
    case 'duration':
      return 9000;
    case 'amount':
      return isFailed ? new Amount(0n, 0) : new Amount(75n, 1);
    case 'hash':
      return `0x${'7'.repeat(64)}`;
    case 'address':
      return Address.parse(ADDRESSES.vault);
    case 'time':
      return new Date(0);
    case 'list':
      return depth < DEEPEST ? [valueOf(type.of, text, isFailed, depth + 1)] : [];
    case 'record':
      return depth < DEEPEST ? filled(type.record, text, isFailed, depth + 1) : undefined;
    case 'json':
      return { text };
  }
}

function subjectsOf(watch: Watch, alert: AlertRule, text: string): string[] {
  const types = alert.type === 'event' ? (['alert.event'] as const) : (['alert.firing', 'alert.resolved'] as const);
  const counted = alert.type === 'count' ? COUNTED : null;
  return [true, false].flatMap((isFailed) => {
    const view = filled(watch.kind.fields, text, isFailed);
    const context = { view, before: filled(watch.kind.fields, `${text} before`, !isFailed), history: null, at: 0 };
    return types.map((type) =>
      subjectOf(messageOf({ watch, isStale: true }, alert, context, { ...CIRCUMSTANCES, type }, counted)),
    );
  });
}

// A word may be one of an open set: then it stands as `other`, and is known to be none of the others.
const words = corpus.filter(([, text]) => isWord(text));
const texts = corpus.filter(([, text]) => !isWord(text));

describe.each(
  loadWatches(RULES).flatMap((watch) => watch.alerts.map((alert) => [watch.rule, alert.id, { watch, alert }] as const)),
)('%s/%s', (_watch, _alert, { watch, alert }) => {
  test('reads the same with every string', () => {
    const expected = subjectsOf(watch, alert, 'not a word!');
    expect(expected.join('\n')).not.toContain('word!');
    for (const [name, text] of texts)
      expect({ name, is: subjectsOf(watch, alert, text) }).toEqual({ name, is: expected });
    const withWord = subjectsOf(watch, alert, 'a strange word');
    expect(withWord.join('\n')).not.toContain('strange');
    for (const [name, text] of words)
      expect({ name, is: subjectsOf(watch, alert, text) }).toEqual({ name, is: withWord });
  });
});
