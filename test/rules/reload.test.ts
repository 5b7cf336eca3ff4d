import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRuleCache, type RuleCache } from '../../src/rules/cache.ts';
import { type RuleFile, loadRules } from '../../src/rules/load.ts';
import { CONFIG, configOf } from './support/load.ts';
import { testKinds } from './support/kinds.ts';

const config = configOf();

const watch = (id: string, condition: string, comment = ''): string => `${comment}watches:
  - id: ${id}
    kind: items
    explorer: ethereum
    notify: ops
    alerts:
      - { id: a, while: '${condition}', title: 'is {{ value }}' }
`;

/** Everything that a load says, as text. */
function saidBy(files: readonly RuleFile[], cache?: RuleCache, of = config): unknown {
  const { watches, problems, warnings } = loadRules(of, files, { kinds: testKinds, cache });
  const alertsOf = watches.map(({ id, source, checksum, tracked, alerts }) => ({
    id,
    source,
    checksum,
    tracked,
    alerts: alerts.map((alert) => [
      alert.source,
      alert.title?.reads,
      alert.type === 'condition' ? [alert.while.text, alert.while.reads] : null,
    ]),
  }));
  return { alertsOf, problems, warnings };
}

describe('A reload with what the last load has left', () => {
  test('gives the very same as one without, whatever was edited in between', () => {
    const condition = fc.constantFrom(
      'value > 1',
      'value > 2',
      'valu > 1',
      'success',
      'value < 1 && value > 2',
      'status == "okk"',
    );
    const file = fc.oneof(
      fc
        .tuple(fc.constantFrom('w', 'v', 'u'), condition, fc.constantFrom('', '# a line\n'))
        .map((parts) => watch(...parts)),
      fc.constantFrom('watches: [', '', 'watches: &a [*a]', 'watches: []'),
    );
    const files = fc.uniqueArray(fc.tuple(fc.constantFrom('a.yaml', 'b.yaml', 'c.yaml'), file), {
      maxLength: 3,
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(fc.array(files, { minLength: 2, maxLength: 5 }), (history) => {
        const cache = createRuleCache();
        for (const edited of history) {
          const now = edited.map(([name, text]) => ({ file: name, text }));
          expect(saidBy(now, cache)).toEqual(saidBy(now));
        }
      }),
      { numRuns: 80 },
    );
  });

  test('knows the names of the new config, not those of the old', () => {
    const files = [{ file: 'a.yaml', text: watch('w', 'owner == vault') }];
    const cache = createRuleCache();
    expect(saidBy(files, cache)).toEqual(saidBy(files));
    const other = configOf(CONFIG.replaceAll('vault', 'strongroom'));
    expect(saidBy(files, cache, other)).toEqual(saidBy(files, undefined, other));
    expect(saidBy(files, cache)).toEqual(saidBy(files));
  });

  test('compiles again only what is new, and forgets what is gone', () => {
    const cache = createRuleCache();
    const conditionOf = (...conditions: string[]): unknown[] => {
      const files = conditions.map((one, i) => ({ file: `${i}.yaml`, text: watch(`w${i}`, one) }));
      const { watches } = loadRules(config, files, { kinds: testKinds, cache });
      return watches.map(({ alerts: [alert] }) => (alert?.type === 'condition' ? alert.while : null));
    };
    const [first, second] = conditionOf('value > 1', 'value > 2');
    const [same, changed] = conditionOf('value > 1', 'value > 3');
    expect(same).toBe(first);
    expect(changed).not.toBe(second);
    const [, again] = conditionOf('value > 1', 'value > 2');
    expect(again).not.toBe(second);
  });
});
