import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { configJsonSchema, rulesJsonSchema } from '../../../src/rules/schema/schema.ts';
import { notifiers } from '../../../src/notifiers/index.ts';
import { kinds } from '../../../src/watches/index.ts';
import { testKinds } from '../support/kinds.ts';
import { testNotifiers } from '../support/notifiers.ts';

const rules = rulesJsonSchema(testKinds);
const config = configJsonSchema(testNotifiers);

/** What an editor would say of a document, given as its own YAML reader sees it: with numbers and booleans. */
function accepts(schema: unknown, document: unknown): boolean {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(document).success;
}

test('the example of a key fits the place where it stands, also where other places have a key of that name', () => {
  type Schema = { readonly [key: string]: Schema } & { readonly examples?: readonly unknown[] };
  const { properties } = configJsonSchema(notifiers) as unknown as { readonly properties: Schema };
  const at = (...path: readonly string[]): unknown =>
    path.reduce<Schema | undefined>((schema, key) => schema?.[key], properties)?.examples?.[0];
  expect([
    at('state', 'properties', 'file'),
    at('state', 'properties', 'backup', 'properties', 'keep'),
    at('recording', 'properties', 'keep'),
    at('http', 'properties', 'proxy', 'properties', 'from'),
    at('http', 'properties', 'operators', 'additionalProperties', 'properties', 'token'),
  ]).toEqual(['./data/state.db', 7, '7d', '10.0.0.7', { env: 'ANNE_TOKEN' }]);
});

const watch = { id: 'w', kind: 'items', of: 9.8e47, every: '1m', max_pages: 5, metrics: true };

describe('The editor schema of rules', () => {
  test.each<[string, unknown, boolean]>([
    ['an unquoted address, number and boolean', { watches: [watch] }, true],
    ['one name where a list may be', { defaults: { explorer: 'a', notify: 'b' }, watches: [] }, true],
    ['a kind with its own key', { watches: [{ ...watch, direction: 'to' }] }, true],
    ['an alert', { watches: [{ ...watch, alerts: [{ id: 'a', on: 'new', if: 'value > 1' }] }] }, true],
    ['an unknown key', { watches: [{ ...watch, colour: 'red' }] }, false],
    ['an unknown kind', { watches: [{ ...watch, kind: 'itms' }] }, false],
    ['the own key of another kind', { watches: [{ id: 'w', kind: 'calls', of: 'x', direction: 'to' }] }, false],
    [
      'an event of another kind',
      { watches: [{ id: 'w', kind: 'calls', of: 'x', alerts: [{ id: 'a', on: 'mined' }] }] },
      false,
    ],
    [
      'a while where there is none',
      { watches: [{ id: 'w', kind: 'calls', of: 'x', alerts: [{ id: 'a', while: 'success' }] }] },
      false,
    ],
    ['a missing of', { watches: [{ id: 'w', kind: 'calls' }] }, false],
    ['an of where there is none', { watches: [{ id: 'w', kind: 'details', token: 'x', of: 'y' }] }, false],
    ['a bad severity', { watches: [{ ...watch, severity: 'bad' }] }, false],
    ['no watches', {}, false],
  ])('%s', (_name, document, expected) => {
    expect(accepts(rules, document)).toBe(expected);
  });

  test('explains kinds and keys', () => {
    const text = JSON.stringify(rules);
    expect(text).toContain('A kind for tests.');
    expect(text).toContain('time between two polls');
  });
});

const good = {
  explorers: {
    here: { form: 'sandbox', seed: 7, control: true },
    there: { form: 'multichain', base_url: 'https://x.example.com', chain_id: 1, api_key: { env: 'KEY' } },
  },
  channels: { ops: { type: 'post', url: { env: 'HOOK' } }, all: { type: 'list', to: ['a'], port: 25 } },
};

describe('The editor schema of the config', () => {
  test.each<[string, unknown, boolean]>([
    ['a good config', good, true],
    [
      'unquoted addresses, groups and tokens',
      { ...good, addresses: { vault: 9.8e47, hot: ['vault', 9.8e47] }, tokens: { T: { here: 9.8e47 }, U: 1e3 } },
      true,
    ],
    ['rules as one text or a list', { ...good, rules: 'rules/*.yaml' }, true],
    ['an unknown form', { ...good, explorers: { here: { form: 'sandbx' } } }, false],
    ['an unknown key of an explorer', { ...good, explorers: { here: { form: 'sandbox', sed: 1 } } }, false],
    ['an unknown channel type', { ...good, channels: { ops: { type: 'pots' } } }, false],
    [
      'a secret where none may be',
      { ...good, channels: { ops: { type: 'list', to: ['a'], port: { env: 'PORT' } } } },
      false,
    ],
    ['an unknown key of a channel', { ...good, channels: { ops: { type: 'post', url: 'https://x', prot: 1 } } }, false],
    ['self', { ...good, self: {} }, false],
  ])('%s', (_name, document, expected) => {
    expect(accepts(config, document)).toBe(expected);
  });
});

describe('As an editor reads the file: with the types of YAML itself', () => {
  const asEditor = (text: string): unknown => parse(text, { schema: 'core', logLevel: 'silent' }) as unknown;

  test('an unquoted address is a number there, and no error', () => {
    const document = asEditor(`
defaults: { explorer: 1, notify: true, every: 1m }
watches:
  - id: 7
    kind: items
    of: [0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503, treasury]
    token: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48
    max_pages: 5
    metrics: false
    alerts: [{ id: 1, on: new, if: true, title: 115792089237316195423570985008687907853269984665640564039457584007913129639935 }]
`);
    expect(JSON.stringify(document)).toContain('e+47');
    expect(accepts(rules, document)).toBe(true);
  });

  test('nor are those of the config', () => {
    const document = asEditor(`
explorers: { a: { form: sandbox, seed: 7 }, b: { form: multichain, base_url: 'https://x.example.com', chain_id: 1 } }
addresses: { vault: 0xBA12222222228d8Ba445958a75a0704d566BF2C8, hot: [0x1111111111111111111111111111111111111111, vault] }
tokens: { USDC: { a: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 }, ACME: 0x6B175474E89094C44Da98b954EedeAC495271d0F }
channels: { ops: { type: post, url: { env: HOOK } } }
`);
    expect(accepts(config, document)).toBe(true);
  });

  test('the examples that people copy show no error', () => {
    const real = rulesJsonSchema(kinds);
    for (const file of readdirSync('rules').filter((name) => /(?<!\.test)\.yaml$/.test(name)))
      expect([file, accepts(real, asEditor(readFileSync(join('rules', file), 'utf8')))]).toEqual([file, true]);
    expect(accepts(configJsonSchema(notifiers), asEditor(readFileSync('config.example.yaml', 'utf8')))).toBe(true);
  });
});

test('every key that may be written is explained and has an example', () => {
  const bare: string[] = [];
  const visit = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [name, part] of Object.entries(schema))
      if (name !== 'properties') visit(part);
      else
        for (const [property, value] of Object.entries(part as Record<string, Record<string, unknown>>)) {
          const hasExample = 'examples' in value || 'const' in value;
          if (!('description' in value) || !hasExample) bare.push(property);
          visit(value);
        }
  };
  visit(rulesJsonSchema(kinds));
  visit(configJsonSchema(notifiers));
  expect([...new Set(bare)]).toEqual([]);
});
