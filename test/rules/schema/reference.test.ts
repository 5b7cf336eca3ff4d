import { describe, expect, test } from '@jest/globals';
import { FILTER_DOCS, FUNCTION_DOCS, METHOD_DOCS, WINDOW_DOCS } from '../../../src/rules/language/function-docs.ts';
import { createLanguage } from '../../../src/rules/language/language.ts';
import { asMarkdown, asText, fieldsOf, kindReference, kindsReference } from '../../../src/rules/schema/reference.ts';
import { FILTERS, FILTER_TYPES } from '../../../src/rules/templates/show.ts';
import { FUNCTIONS, METHODS } from '../../../src/rules/language/words.ts';
import { kinds } from '../../../src/watches/index.ts';

const languages = kinds.map((kind) => createLanguage(kind, 'chain', new Map()));

function complaintsOf(kind: string, condition: string): readonly string[] {
  const language = languages.find((one) => one.kind.name === kind);
  const compiled = language?.condition(condition, { before: true, windows: true });
  return compiled?.mistakes.map(({ message }) => `${condition}: ${message}`) ?? [`no kind ${kind}`];
}

/** A condition in which the field stands; an item of a list is reached through `exists`. */
function asking(path: string, depth = 0): string {
  const [list, ...rest] = path.split('[].');
  if (rest.length === 0) return `has(${path})`;
  return `${list ?? ''}.exists(t${depth}, ${asking(`t${depth}.${rest.join('[].')}`, depth + 1)})`;
}

describe('The reference names what the language knows, all of it and nothing else', () => {
  test.each(kinds.map((kind) => [kind.name, kind] as const))('every field of %s', (name, kind) => {
    const fields = fieldsOf(kind);
    expect(fields.length).toBeGreaterThanOrEqual(Object.keys(kind.fields.fields).length);
    expect(fields.flatMap(({ path }) => complaintsOf(name, asking(path)))).toEqual([]);
    const text = asText(kindReference(kind, kinds));
    for (const { path, doc } of fields) {
      expect(text).toContain(`  ${path} `);
      expect(doc).not.toBe('');
    }
    for (const event of Object.keys(kind.events)) expect(text).toContain(`  ${event} `);
    for (const key of Object.keys(kind.options.shape)) expect(text).toContain(`  ${key} `);
  });

  test('every nested field of a record', () => {
    const transactions = kinds.find(({ name }) => name === 'transactions');
    const paths = transactions === undefined ? [] : fieldsOf(transactions).map(({ path }) => path);
    for (const path of [
      'to.reputation',
      'to.metadata.tagType',
      'tx.type',
      'token_transfers[].token.symbol',
      'fee.value',
    ])
      expect(paths).toContain(path);
    expect(paths.every((path) => path.split('.').length <= 4)).toBe(true);
  });

  test('every function, method and filter', () => {
    expect(Object.keys({ ...FUNCTION_DOCS, ...WINDOW_DOCS }).toSorted()).toEqual([...FUNCTIONS].toSorted());
    expect(Object.keys(METHOD_DOCS).toSorted()).toEqual([...METHODS].toSorted());
    expect(Object.keys(FILTER_DOCS).toSorted()).toEqual(Object.keys(FILTERS).toSorted());
    expect(Object.keys(FILTER_TYPES).toSorted()).toEqual(Object.keys(FILTERS).toSorted());
  });

  test.each(Object.entries({ ...FUNCTION_DOCS, ...WINDOW_DOCS, ...METHOD_DOCS }))(
    'the signature of %s',
    (name, doc) => {
      expect(doc.signature).toContain(`${name}(`);
    },
  );

  test('an example of every function and method, each by one kind, and of nothing else', () => {
    const shown = kinds.flatMap(({ examples }) => Object.keys(examples));
    const methods = Object.keys(METHOD_DOCS).map((name) => `.${name}`);
    expect(shown.toSorted()).toEqual([...Object.keys(FUNCTION_DOCS), ...methods].toSorted());
  });

  const examples = kinds.flatMap(({ name, examples }) => Object.entries(examples).map((entry) => [name, ...entry]));

  test.each(examples)('the example that %s has of %s', (kind = '', name = '', example = '') => {
    expect(example).toContain(`${name}(`);
    expect(complaintsOf(kind, example)).toEqual([]);
  });
});

test.each(kinds.map((kind) => [kind.name, kind] as const))('an example of %s is one, or says of what', (name, kind) => {
  const tables = kindReference(kind, kinds).sections.filter(({ columns }) =>
    /^(function|method)$/.test(columns[0] ?? ''),
  );
  const examples = tables.flatMap(({ rows }) => rows.map((row) => row[2] ?? ''));
  const own = examples.filter((example) => !kinds.some((other) => example.startsWith(`${other.name}: `)));
  expect(own.flatMap((example) => complaintsOf(name, example))).toEqual([]);
  if ((kind.while?.measured ?? null) !== null) expect(own.length).toBeGreaterThan(4);
});

describe('What it looks like', () => {
  test('the kinds, with what they watch', () => {
    const text = asText(kindsReference(kinds));
    for (const { name, summary } of kinds) expect(text).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  test('a field with its type, its unit and its values', () => {
    const texts = kinds.map((kind) => asText(kindReference(kind, kinds)));
    expect(texts.join('\n')).toMatch(/^ {2}gas_price +amount in gwei, never below 0 +price of gas$/m);
    expect(texts.join('\n')).toMatch(/^ {2}status +word: ok, error +the result/m);
    expect(texts.join('\n')).toMatch(/^ {2}token\.type +word: ERC-20, .*, or another +token standard$/m);
  });

  test('Markdown has a row for each, and code where code stands', () => {
    for (const kind of kinds) {
      const markdown = asMarkdown(kindReference(kind, kinds));
      for (const { path } of fieldsOf(kind)) expect(markdown).toContain(`| \`${path}\` |`);
      expect(markdown).toContain('| `glob(text, "pattern"): bool` |');
      expect(markdown).toMatch(/\| `(?:transactions: )?glob\(method, "swap\*"\)` \|/);
    }
  });
});
