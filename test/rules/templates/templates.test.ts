import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Segment } from '../../../src/core/model/watch/condition.ts';
import { factAt } from '../../../src/core/values/encoded.ts';
import { rawText } from '../../../src/lib/untrusted.ts';
import { createLanguage } from '../../../src/rules/language/language.ts';
import type { Meaning } from '../../../src/rules/language/model.ts';
import { addressOf, items, viewOf } from '../support/kinds.ts';

const VAULT = '0xBA12222222228d8Ba445958a75a0704d566BF2C8';
const EVIL = '{{ value }} {% raw %} <b>"; DROP TABLE';

const names = new Map<string, Meaning>();
const vault = addressOf(VAULT);
names.set('vault', vault).set('hot_wallets', [vault]);
const language = createLanguage(items, 'ethereum', names);

const row = {
  hash: '0xABCDEF0123456789',
  height: 21_000_000,
  value: '1234567.891',
  share: 0.123456,
  method: EVIL,
  status: 'ok',
  success: true,
  to: { hash: VAULT, name: EVIL },
  timestamp: '2026-01-31T12:00:00.000000Z',
  age: 95_000,
  tags: ['dex', 'nft'],
  notes: ['a https://evil.example', 'b'],
};

function render(text: string, before: Record<string, unknown> | null = { value: '1000' }): readonly Segment[] {
  const { value, mistakes } = language.template(text, { as: 'text', before: true, windows: false });
  expect(mistakes).toEqual([]);
  return (
    value?.render({ view: viewOf(row), before: before === null ? null : viewOf(before), history: null, at: 0 }) ?? []
  );
}

/** Ours as it is, a stranger's in angle brackets. */
function shown(segments: readonly Segment[]): string {
  return segments.map((segment) => ('text' in segment ? segment.text : `<${rawText(segment.untrusted)}>`)).join('');
}

function complaints(text: string, as: 'title' | 'text' = 'text'): string[] {
  const { mistakes } = language.template(text, { as, before: false, windows: false });
  return mistakes.map(
    ({ message, hint, start, end }) => `${text.slice(start, end)} | ${message}${hint === undefined ? '' : `. ${hint}`}`,
  );
}

describe('Rendering', () => {
  test.each([
    ['Sent {{ value }} ETH', 'Sent 1,234,567.891 ETH'],
    ['was {{ before.value }}', 'was 1,000'],
    ['{{ item.value }} and {{value}}', '1,234,567.891 and 1,234,567.891'],
    ['{{ share | percent }}', '12.35%'],
    ['{{ value | rounded }}', '1,234,567.89'],
    ['block {{ height }}', 'block 21000000'],
    ['{{ to.hash }} or {{ to.hash | short }}', `${VAULT} or 0xBA12…F2C8`],
    ['{{ hash | short }}', '0xabcd…6789'],
    ['{{ vault | short }} {{ vault }}', `0xBA12…F2C8 ${VAULT}`],
    ['at {{ timestamp }}, {{ age }} ago', 'at 2026-01-31 12:00:00 UTC, 95s ago'],
    ['{{ status }} {{ success }} {{ tags }}', 'ok true <dex, nft>'],
    ['{{ raw }} {{ from.hash }} {{ token.symbol }}', 'unknown unknown unknown'],
    ['a  {{- value -}}  b', 'a1,234,567.891b'],
    ['no fields, 100 % plain }} {', 'no fields, 100 % plain }} {'],
    ['{{ method }}', `<${EVIL}>`],
    ['{{ to.name }}!', `<${EVIL}>!`],
    ['{{ notes }}', '<a hxxps[:]//evil[.]example, b>'],
  ])('%s', (text, expected) => {
    expect(shown(render(text))).toBe(expected);
  });

  test('what was not known before is shown as unknown', () => {
    expect(shown(render('was {{ before.value }}', null))).toBe('was unknown');
    expect(shown(render('was {{ before.value | rounded }}', {}))).toBe('was unknown');
  });

  test("a stranger's text never becomes ours, whatever it is", () => {
    fc.assert(
      fc.property(fc.string(), (evil) => {
        const template = language.template('[{{ method }}] {{ to.name }}', {
          as: 'text',
          before: false,
          windows: false,
        }).value;
        const segments =
          template?.render({
            view: viewOf({ method: evil, to: { name: evil } }),
            before: null,
            history: null,
            at: 0,
          }) ?? [];
        expect(segments.map((segment) => ('text' in segment ? segment.text : rawText(segment.untrusted)))).toEqual([
          '[',
          evil,
          '] ',
          evil,
        ]);
      }),
    );
  });

  test.each([
    ['ok', 'It ended ok', 'It ended ok'],
    ['URGENT call 0800 555 1234', 'It ended other', 'It ended <URGENT call 0800 555 1234>'],
  ])('a word that an explorer made up reaches no subject, and no text as ours: %s', (status, title, text) => {
    const context = { view: viewOf({ status }), before: null, history: null, at: 0 };
    const rendered = (as: 'title' | 'text'): string =>
      shown(
        language.template('It ended {{ status }}', { as, before: false, windows: false }).value?.render(context) ?? [],
      );
    expect([rendered('title'), rendered('text')]).toEqual([title, text]);
    expect(factAt(context.view, 'status')).toEqual(status === 'ok' ? { text: 'ok' } : { untrusted: status });
  });

  test('what is read is known, also of what was before', () => {
    const { value } = language.template('{{ value }} {{ before.token.symbol }} {{ item.to.hash }} {{ vault }}', {
      as: 'text',
      before: true,
      windows: false,
    });
    expect(value?.reads).toEqual(['value', 'token.symbol', 'to.hash']);
    expect(value?.readsBefore).toEqual(['token.symbol']);
  });
});

describe('Mistakes', () => {
  test.each([
    ['{{ valeu }}', 'valeu | items has no field "valeu". Did you mean value?'],
    ['Sent to {{ to.nme }}', 'nme | to has no field "nme". Did you mean name?'],
    [
      '{{ before.value }}',
      'before | there is no before here. It exists for `on: changed`, and for `while` of kinds that notice changes.',
    ],
    ['{{ change_1h }}', '{{ change_1h }} | there is no history here. Windows belong to while and until.'],
    ['{{ to }}', 'to | to is not one value. Name one of its fields: hash, name, is_contract.'],
    [
      '{{ item }}',
      'item | item is not one value. Name one of its fields: hash, height, type, status, success, method, value, raw.',
    ],
    ['{{ transfers }}', 'transfers | transfers is not one value'],
    ['{{ meta }}', 'meta | meta is not one value'],
    ['{{ hot_wallets }}', '{{ hot_wallets }} | a group cannot be shown'],
    ['{{ value | shrt }}', 'shrt | no filter "shrt". Did you mean short?'],
    ['{{ value | short }}', 'short | short is for address, hash, and value is amount'],
    ['{{ method | percent }}', 'percent | percent is for amount, int, double, and method is text'],
    ['{{ method | upcase }}', 'upcase | no filter "upcase". Possible: percent, rounded, short.'],
    [
      '{{ value | plus: 1 }}',
      '{{ value | plus: 1 }} | "{{ value | plus: 1 }}" is more than a field. A field is written {{ balance }} or {{ address | short }}.',
    ],
    [
      '{{ "text" }}',
      '{{ "text" }} | "{{ "text" }}" is more than a field. A field is written {{ balance }} or {{ address | short }}.',
    ],
    [
      '{{ to["hash"] }}',
      '{{ to["hash"] }} | "{{ to["hash"] }}" is more than a field. A field is written {{ balance }} or {{ address | short }}.',
    ],
    [
      '{{ value value }}',
      '{{ value value }} | "{{ value value }}" is more than a field. A field is written {{ balance }} or {{ address | short }}.',
    ],
    [
      '{% if value %}x{% endif %}',
      '{% if value %} | tags are not used here. A field is written {{ balance }} or {{ address | short }}.',
    ],
    [
      'a {% include "/etc/passwd" %}',
      '{% include "/etc/passwd" %} | tags are not used here. A field is written {{ balance }} or {{ address | short }}.',
    ],
    ['{{ value', '{{ value | output "{{ value" not closed. A field is written {{ balance }} or {{ address | short }}.'],
    ['{{ constructor.name }}', 'constructor | items has no field "constructor"'],
    ['', ' | the text is empty'],
  ])('%s', (text, complaint) => {
    expect(complaints(text)[0]).toBe(complaint);
  });

  test.each(['method', 'to.name', 'token.symbol', 'notes'])(
    'a title may not name %s, which a stranger writes',
    (field) => {
      expect(complaints(`{{ ${field} }}`, 'title')).toEqual([
        `${field} | ${field} is text from the chain, which has no place in a title. Put it into text.`,
      ]);
    },
  );

  test.each(['value', 'height', 'status', 'success', 'to.hash', 'hash', 'timestamp', 'age', 'share', 'vault'])(
    'a title may name %s',
    (field) => {
      expect(complaints(`{{ ${field} }}`, 'title')).toEqual([]);
    },
  );

  test('a title is one short line', () => {
    expect(complaints('a\nb', 'title')).toHaveLength(1);
    expect(complaints('x'.repeat(201), 'title')).toHaveLength(1);
    expect(complaints('x'.repeat(17_000))).toHaveLength(1);
  });

  test('no text makes the compiler throw', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{%',
      '%}',
      ' ',
      'value',
      '|',
      'short',
      '.',
      'to',
      '"',
      "'",
      '-',
      '\n',
      '[',
      ']',
      '{',
      '#',
      'raw',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
        ),
        (text) => {
          const { value, mistakes } = language.template(text, { as: 'text', before: false, windows: false });
          expect(value === null).toBe(mistakes.length > 0);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
