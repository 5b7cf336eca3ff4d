import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRedactor } from '../../src/lib/redact.ts';

const SECRET = 'k3y/odd+chars&more';

const hex = (character: string, length: number): string => character.charCodeAt(0).toString(16).padStart(length, '0');
const each = (text: string, escape: (character: string) => string): string => Array.from(text, escape).join('');

const ESCAPES: readonly (readonly [name: string, escape: (text: string) => string])[] = [
  ['in JSON, every letter', (text) => each(text, (c) => `\\u${hex(c, 4)}`)],
  ['in JSON, upper-case', (text) => each(text, (c) => `\\u${hex(c, 4).toUpperCase()}`)],
  ['in JSON, with its slashes', (text) => text.replaceAll('/', '\\/')],
  ['in JSON, with its ampersands', (text) => text.replaceAll('&', '\\u0026')],
  ['in JavaScript', (text) => each(text, (c) => `\\x${hex(c, 2)}`)],
  ['in a URL, every letter', (text) => each(text, (c) => `%${hex(c, 2)}`)],
  ['in a URL', encodeURIComponent],
  ['in HTML, decimal', (text) => each(text, (c) => `&#${c.charCodeAt(0)};`)],
  ['in HTML, hexadecimal, without an end', (text) => each(text, (c) => `&#x${hex(c, 2)}`)],
  ['in HTML, named', (text) => text.replaceAll('&', '&amp;')],
  ['in a URL in JSON', (text) => encodeURIComponent(text).replaceAll('%', '\\u0025')],
  [
    'in HTML in JSON',
    (text) =>
      each(
        each(text, (c) => `&#${c.charCodeAt(0)};`),
        (c) => `\\u${hex(c, 4)}`,
      ),
  ],
];

describe('a secret that a server escapes before it echoes it', () => {
  test.each(ESCAPES)('is not told: %s', (_name, escape) => {
    const { redact } = createRedactor([SECRET]);
    expect(redact(`no key ${escape(SECRET)}, and % &amp; \\n stay; ${escape(SECRET)}`)).toBe(
      'no key [redacted], and % &amp; \\n stay; [redacted]',
    );
  });

  test.each(ESCAPES.filter(([name]) => /^in (?:JSON|a URL(?:$| in JSON))/.test(name)))(
    'is taken out of a body that stays JSON: %s',
    (_name, escape) => {
      const { redactJson } = createRedactor([SECRET]);
      const body = Buffer.from(`{"a":"x ${escape(SECRET)}","b":[1,"x"]}`);
      expect(JSON.parse(redactJson(body).toString())).toEqual({ a: 'x ***', b: [1, 'x'] });
    },
  );

  test('a header with a login is hidden as a whole, decoded and by its password', () => {
    const login = Buffer.from('ops:correct-horse').toString('base64');
    const { redact } = createRedactor([`Basic ${login}`, 'Bearer abcdefghijkl']);
    expect(redact(`Basic ${login} | ${login} | ops:correct-horse | correct-horse`)).not.toMatch(/correct|b3Bz/);
    expect(redact('token abcdefghijkl')).toBe('token [redacted]');
  });
});

test('what only looks like an escape stays in a body as it is', () => {
  const { redactJson } = createRedactor([SECRET]);
  const text = `{"a":"\\\\u006b \\u0022 \\u005c \\u0000","b":"${SECRET}"}`;
  expect(JSON.parse(redactJson(Buffer.from(text)).toString())).toEqual({ a: '\\u006b " \\ \u0000', b: '***' });
});

test('a body without a secret is not copied, and a key of digits spoils no amount', () => {
  const { redactJson } = createRedactor([SECRET, '12345678', 'short']);
  const body = Buffer.from('{"value":"12345678","name":"short \\u0041"}');
  expect(redactJson(body)).toBe(body);
});

test('text without secrets stays as it is, whatever is escaped in it', () => {
  const { redact } = createRedactor([SECRET]);
  const part = fc.constantFrom('%41', '\\u0041', '&#65;', '&amp', '\\', '%', '&#x110000;', '\\u{ffffff}', 'k3y/', 'é');
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.string())), (parts) => {
      expect(redact(parts.join(''))).toBe(parts.join(''));
    }),
  );
});
