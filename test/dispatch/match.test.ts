// Matchers of routes, silences and inhibitions.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fitsGlob, matches } from '../../src/dispatch/policy/match.ts';
import type { Labels, Matcher } from '../../src/dispatch/model.ts';
import { effort, NO_HANG } from '../support/effort.ts';

const ALERT: Labels = { watch: 'usdc-treasury', severity: 'warning', team: 'vault' };

test.each<[string, Matcher, boolean]>([
  ['no line fits every alert', {}, true],
  ['a text is the whole value', { watch: 'usdc' }, false],
  ['a text in another case is another text', { severity: 'Warning' }, false],
  ['a star is any text at the end', { watch: 'usdc-*' }, true],
  ['a star is also no text', { watch: 'usdc-treasury*' }, true],
  ['stars in several places', { watch: '*c-t*s*y' }, true],
  ['a star alone fits any value', { team: '*' }, true],
  ['a dot is a dot', { watch: 'usdc.treasury' }, false],
  ['a list means any of its patterns', { team: ['treasury', 'va*'] }, true],
  ['an empty list fits nothing', { team: [] }, false],
  ['every line has to fit', { team: 'vault', severity: 'critical' }, false],
  ['a leading ! negates', { severity: '!critical' }, true],
  ['a leading ! negates the glob behind it', { watch: '!usdc-*' }, false],
  ['a ! further inside is text', { watch: 'usdc!treasury' }, false],
  ['a negated list excludes all of its patterns', { team: ['!treasury', '!vault'] }, false],
  ['a negated list fits what it does not name', { team: ['!treasury', '!custody'] }, true],
  ['a missing label equals nothing', { owner: 'ada' }, false],
  ['a missing label fits no star', { owner: '*' }, false],
  ['a missing label fits a negation', { owner: '!ada' }, true],
  ['a missing label fits a negated list', { owner: ['!ada', '!bob'] }, true],
  ['names of the language are no labels', { constructor: '*' }, false],
  ['names of the language are missing for a negation too', { toString: '!x' }, true],
])('%s', (_, matcher, expected) => {
  expect(matches(matcher, ALERT)).toBe(expected);
});

describe('of every pattern and value', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.', '!'), maxLength: 12 });

  test('a glob says what the definition of a glob says', () => {
    fc.assert(
      fc.property(text, text, (pattern, value) => {
        expect(fitsGlob(pattern, value)).toBe(byDefinition(pattern, value));
      }),
      { numRuns: 2000 },
    );
  });

  test('a matcher and its negation never agree', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        fc.option(text, { nil: undefined }),
        (list, value) => {
          const plain = list.map((one) => one.replaceAll('!', '?'));
          const labels: Labels = value === undefined ? {} : { x: value };
          expect(matches({ x: plain.map((one) => `!${one}`) }, labels)).toBe(!matches({ x: plain }, labels));
        },
      ),
    );
  });
});

test('a pattern of stars against a long value of a stranger costs no time', () => {
  const work = (): void => {
    expect(fitsGlob(`${'*a'.repeat(500)}b`, 'a'.repeat(100_000))).toBe(false);
    expect(fitsGlob(`${'a*'.repeat(500)}b`, 'a'.repeat(100_000))).toBe(false);
  };
  expect(effort(work)).toBeLessThan(NO_HANG);
});

/** Slow and plain: a star is nothing, or one character and the star again. */
function byDefinition(pattern: string, value: string): boolean {
  if (pattern === '') return value === '';
  if (pattern.startsWith('*'))
    return byDefinition(pattern.slice(1), value) || (value !== '' && byDefinition(pattern, value.slice(1)));
  return value !== '' && pattern[0] === value[0] && byDefinition(pattern.slice(1), value.slice(1));
}
