// The language of comments, messages and test names. Each bound is the number of places that are left: it may only be
// lowered. A failure lists all places of its check.
import { expect, test } from '@jest/globals';
import { above } from '../support/checks/bound.ts';
import { pastNames } from '../support/checks/test-names.ts';
import { bareReferences, commentsIn, fixedPhrases, relativeOpenings } from '../support/checks/words.ts';
import { parse, parseSources } from '../support/syntax.ts';

const sources = [...parseSources()];
const tests = [...parseSources('test/**/*.ts')];

const commentsOf = (files: typeof sources) => files.flatMap(([file, { text }]) => commentsIn(file, text));

test('reads all sources and tests', () => {
  expect(commentsOf(sources).length).toBeGreaterThan(1000);
  expect(tests.length).toBeGreaterThan(200);
});

test('comments open with a fact, not with a relative clause', () => {
  expect(above(0, relativeOpenings(commentsOf(sources)))).toEqual([]);
});

test.each([
  '// What is kept of it.',
  'const a = 1;\n/** Whoever asks is answered. */',
  '/**\n * Of one replica.\n */',
  '  // That it ends is known\n  // from its lease.',
  '/** For who reads it. */',
])('finds the opening of: %s', (text) => {
  expect(relativeOpenings(commentsIn('x.ts', text))).toHaveLength(1);
});

test.each([
  '// Whether a request may leave.',
  '/** Where the file was opened. */',
  '// Offers are kept.',
  '// The lines that follow\n// What belongs to the sentence before.',
  "const text = 'What happened';",
  '/* What no reader sees. */',
])('passes the opening of: %s', (text) => {
  expect(relativeOpenings(commentsIn('x.ts', text))).toEqual([]);
});

test('comments and messages avoid phrases that hide the fact', () => {
  expect(
    above(
      0,
      sources.flatMap(([file, { text }]) => fixedPhrases(file, text)),
    ),
  ).toEqual([]);
});

test.each([
  '// It is read anew.',
  '/** Nobody has to look. */',
  "const text = 'takes nothing at the moment';",
  'const text = `${name} stands alone`;',
  'const text = "tells nobody";',
  'wait(); // Sent all the same.',
])('finds the phrase in: %s', (text) => {
  expect(fixedPhrases('x.ts', text)).toHaveLength(1);
});

test.each([
  'const anew = takesNothing(whoever);',
  '// It is read again, and forwhoever it is.',
  "const text = 'renewed';",
])('passes the words of: %s', (text) => {
  expect(fixedPhrases('x.ts', text)).toEqual([]);
});

test('shows a phrase with its file and line', () => {
  expect(fixedPhrases('x.ts', 'const a = 1;\n// One.\n// Two anew.')).toEqual(['x.ts:3: anew']);
});

test('numbers of sections name a document that anybody can open', () => {
  expect(above(37, bareReferences(commentsOf([...sources, ...tests])))).toEqual([]);
});

test.each([
  '// As in section 4.1.',
  '// Newest first (specification 2).',
  '// 2.3',
  '// 4.1: details of one token.',
  '// By § 7.',
])('finds the reference in: %s', (text) => {
  expect(bareReferences(commentsIn('x.ts', text))).toHaveLength(1);
});

test.each([
  '// RFC 9110, section 13.1.2.',
  '// See docs/rules.md, section 2.',
  '// 0.001 coins in wei.',
  '// 1234.56789 becomes 1,234.57',
  "const text = 'section 4';",
])('passes the reference in: %s', (text) => {
  expect(bareReferences(commentsIn('x.ts', text))).toEqual([]);
});

test('names of tests say in the present tense what holds', () => {
  expect(
    above(
      0,
      tests.flatMap(([file, source]) => pastNames(file, source)),
    ),
  ).toEqual([]);
});

test.each([
  "test('an alert was lost', () => {});",
  "it('sends and forgot', () => {});",
  "test.each([1, 2])('a silence of %s began too soon', () => {});",
  'test.each`a`("a silence began too soon", () => {});',
  "test.skip('two replicas had one shard', () => {});",
  'test(`${kind} took it`, () => {});',
])('finds the past tense in: %s', (text) => {
  expect(pastNames('x.ts', parse('x.ts', text))).toHaveLength(1);
});

test.each([
  "test('sends what was decided', () => {});",
  "test('keeps an alert after its watch was removed', () => {});",
  "test('a rule that was renamed keeps its alerts', () => {});",
  "test('an alert is never forgot', () => {});",
  "log('an alert was lost');",
  "/was/.test('it was');",
  'test(name, () => {});',
])('passes the tense of: %s', (text) => {
  expect(pastNames('x.ts', parse('x.ts', text))).toEqual([]);
});
