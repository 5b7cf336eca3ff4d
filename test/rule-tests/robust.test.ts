// Whatever a test file holds, it is run, or its problems are said: no crash, and no defect in what is made up.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { notifiers } from '../../src/notifiers/index.ts';
import { loadRuleTests } from '../../src/rule-tests/reading/load.ts';
import { runRuleTest } from '../../src/rule-tests/run.ts';
import { kinds } from '../../src/watches/index.ts';

const EXAMPLES = ['treasury', 'vault', 'token', 'chain'].map((name) => `rules/${name}.test.yaml`);

const WORDS = [
  'null',
  '[]',
  '{}',
  '',
  'x',
  '0x12',
  '-5',
  '1e999',
  '115792089237316195423570985008687907853269984665640564039457584007913129639936',
].concat([
  'true',
  '-1d',
  '2026-13-45T99:99:99Z',
  '[[]]',
  '{ id: [] }',
  'items: 3',
  '"\\u0000"',
  '*a',
  '&a x',
  '1_',
  '.5.',
  'vault',
]);

/** One place of the text is replaced, taken out, or written twice. */
const mutation = fc.record({
  file: fc.constantFrom(...EXAMPLES),
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  word: fc.constantFrom(...WORDS),
  how: fc.constantFrom('value', 'line', 'twice', 'slice'),
});

function mutate(text: string, { place, word, how }: { place: number; word: string; how: string }): string {
  if (how === 'slice')
    return text.slice(0, Math.floor(place * text.length)) + word + text.slice(Math.floor(place * text.length) + 7);
  const spots = [...text.matchAll(how === 'value' ? /(?<=: )[^\s,{}[\]]+/g : /^.*\n/gm)];
  const spot = spots[Math.min(spots.length - 1, Math.floor(place * spots.length))];
  if (spot === undefined) return text;
  const end = spot.index + spot[0].length;
  return (
    text.slice(0, spot.index) + (how === 'value' ? word : how === 'twice' ? spot[0] + spot[0] : '') + text.slice(end)
  );
}

test('a mutated test file is run, or its problems are said', async () => {
  await fc.assert(
    fc.asyncProperty(mutation, async ({ file, ...change }) => {
      const readFile = (path: string): string => {
        const text = readFileSync(path, 'utf8');
        return path === file ? mutate(text, change) : text;
      };
      const { tests, problems } = loadRuleTests(file, { env: {}, readFile, notifiers, kinds, mayShow: () => true });
      expect(tests.length + problems.length).toBeGreaterThan(0);
      for (const trial of tests) expect((await runRuleTest(trial)).broken ?? '').not.toContain('a defect');
    }),
    { numRuns: 50 },
  );
});
