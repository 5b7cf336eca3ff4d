import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { escapeHtml, plain, plainJoined, rawText, singleLine, untrusted } from '../../src/lib/untrusted.ts';
import { forbiddenIn, linksIn, readHtml } from './readers.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const linkParts = fc.constantFrom(
  '<!',
  '#',
  'http',
  's',
  ':',
  '/',
  '//',
  '.',
  '@',
  'evil',
  'com',
  ' ',
  '\u200b',
  '。',
  '\\',
  'a',
);
const linkText = fc.array(linkParts, { maxLength: 12 }).map((parts) => parts.join(''));

describe('plain', () => {
  test.each([
    ['claim at https://evil.example', 'claim at hxxps[:]//evil[.]example'],
    ['Not allowed. Try later: no', 'Not allowed. Try later: no'],
    ['a  b\r\n\tc ', 'a b c'],
    ['a\u202eb\u0000', 'a‹U+202E›b‹U+0000›'],
    ['support@evil.example', 'support[at]evil[.]example'],
    ['\\\\evil\\share', '[\\]\\evil\\share'],
    ['<!channel> <!here|all> <#C01> <@U01>', '[<]!channel> [<]!here|all> [<]#C01> [<][at]U01>'],
    ['a < b <b>', 'a < b <b>'],
  ])('%j reads %j', (text, shown) => {
    expect(plain(untrusted(text))).toBe(shown);
  });

  test('keeps 256 characters, counted as people count them, and says that there was more', () => {
    const shown = plain(untrusted('\u{1f4a9}'.repeat(300)));
    expect(Array.from(shown)).toHaveLength(257);
    expect(shown.endsWith('\u{1f4a9}…')).toBe(true);
  });

  test('never lets anything through that acts, hides or links, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, linkText), (text) => {
        const shown = plain(untrusted(text));
        expect(forbiddenIn(shown)).toEqual([]);
        expect(shown).not.toContain('\n');
        expect(linksIn(shown)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('plainJoined', () => {
  test.each([
    [
      [{ text: 'see https://our.example/x and ' }, { untrusted: untrusted('evil.example') }],
      'see https://our.example/x and evil[.]example',
    ],
    [[{ untrusted: untrusted('evil.') }, { untrusted: untrusted('com') }], 'evil[.]com'],
    [[{ untrusted: untrusted('evil') }, { text: '.' }, { untrusted: untrusted('com') }], 'evil[.]com'],
    [[{ text: 'https://' }, { untrusted: untrusted('evil') }], 'https[:]//evil'],
    [[{ text: '1.5 ' }, { untrusted: untrusted('USDC') }, { text: '.\nDone.' }], '1.5 USDC.\nDone.'],
  ])('%j', (pieces, shown) => {
    expect(plainJoined(pieces)).toBe(shown);
  });

  test('a name that a chat relay would have taken for a call to everybody stays text, also across a seam', () => {
    expect(plainJoined([{ text: 'token <' }, { untrusted: untrusted('!channel>') }])).toBe('token [<]!channel>');
    expect(plainJoined([{ text: 'for <!here> ' }, { untrusted: untrusted('x') }])).toBe('for <!here> x');
  });

  test('makes no link out of strangers’ pieces, however they are cut', () => {
    fc.assert(
      fc.property(fc.array(linkText, { maxLength: 5 }), (texts) => {
        const shown = plainJoined(texts.map((text) => ({ untrusted: untrusted(text) })));
        expect(linksIn(shown)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

test('singleLine leaves links and dots alone', () => {
  expect(singleLine('250 2.0.0 Ok\r\nhttps://x.example')).toBe('250 2.0.0 Ok https://x.example');
});

test('escapeHtml gives back the same text to whoever parses it, and no tag', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { tags, text: shown } = readHtml(`<b title="${escapeHtml(text)}">${escapeHtml(text)}</b>`);
      expect(tags).toEqual([`b[title=${text}]`, '/b']);
      expect(shown).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('rawText gives the very bytes back', () => {
  expect(rawText(untrusted('\u202e\u0000'))).toBe('\u202e\u0000');
});
