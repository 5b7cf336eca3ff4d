// Which config is in force, computed by each replica for itself.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { configInForce, type Announced } from '../../../src/cluster/agree.ts';

const run = (checksum: string, announcedAt = 0, counts = true): Announced => ({ checksum, announcedAt, counts });

test('one replica with a stray file does not change the config in force', () => {
  expect(configInForce([run('new', 1), run('old'), run('old')], 'old')).toBe('old');
  expect(configInForce([run('new', 1), run('new', 2), run('old')], 'old')).toBe('new');
});

test('while as many replicas have the new config as the old one, the old one stays', () => {
  expect(configInForce([run('new', 1), run('old', 9)], 'old')).toBe('old');
  expect(configInForce([run('a', 1), run('b', 2), run('old', 9)], 'old')).toBe('old');
});

test('when nobody runs the former config any more, the one that was announced first is in force, then the smallest', () => {
  expect(configInForce([run('b', 1), run('a', 2)], 'old')).toBe('b');
  expect(configInForce([run('b', 1), run('a', 1)], null)).toBe('a');
  expect(configInForce([], 'old')).toBeNull();
});

test('a config that names nothing of what is remembered has no vote, however many replicas run it', () => {
  expect(configInForce([run('foreign', 1, false), run('foreign', 2, false), run('own')], 'own')).toBe('own');
  // Also after the own one has ended: nothing is done by theirs.
  expect(configInForce([run('foreign', 1, false), run('foreign', 2, false)], 'own')).toBeNull();
});

test('replicas that read the same rows in another order came to another config', () => {
  const announced = fc.record({
    checksum: fc.constantFrom('a', 'b', 'c'),
    announcedAt: fc.nat(3),
    counts: fc.constant(true),
  });
  fc.assert(
    fc.property(
      fc.array(announced, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(null, 'a', 'b', 'c', 'd'),
      fc.nat(),
      (live, before, turn) => {
        const inForce = configInForce(live, before);
        const at = turn % live.length;
        const turned = [...live.slice(at), ...live.slice(0, at)].toReversed();
        expect(live.map(({ checksum }) => checksum)).toContain(inForce);
        expect(configInForce(turned, before)).toBe(inForce);
        // Once it is written down, the next round comes to the same.
        expect(configInForce(live, inForce)).toBe(inForce);
      },
    ),
    { numRuns: 1000 },
  );
});
