import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { configJsonSchema, rulesJsonSchema } from '../../src/rules/schema.ts';
import { testKinds } from './support/kinds.ts';
import { testNotifiers } from './support/notifiers.ts';

const rules = rulesJsonSchema(testKinds);
const config = configJsonSchema(testNotifiers);

/** What an editor would say of a document, given as its own YAML reader sees it: with numbers and booleans. */
function accepts(schema: unknown, document: unknown): boolean {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(document).success;
}

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
    expect(text).toContain('how often it asks');
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
