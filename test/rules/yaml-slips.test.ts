// What people write who do not write YAML every day: the message says where, and what to write instead.
import { expect, test } from '@jest/globals';
import { load } from './support/load.ts';

const WATCH = `watches:
  - id: large
    kind: items
    explorer: ethereum
    of: vault
    notify: ops
`;
const ALERT = `${WATCH}    alerts:
      - `;

function said(text: string): readonly string[] {
  return load({ 'rules/a.yaml': text }).problems.map(
    ({ line, column, message, hint }) => `${line}:${column} ${message}${hint === undefined ? '' : `. ${hint}`}`,
  );
}

test.each([
  [
    'a key without a colon',
    `${WATCH}    every 1m\n`,
    '7:5 a key needs a colon and a blank behind it. Write "every: ".',
  ],
  [
    'a colon without a blank',
    `${WATCH}    every:1m\n    max_pages: 3\n`,
    '7:5 a key needs a colon and a blank behind it. Write "every: ".',
  ],
  [
    'such a colon between braces',
    `${ALERT}{ id: a, while:value < 3 }\n`,
    '8:18 a key needs a colon and a blank behind it. Write "while: ".',
  ],
  [
    'such a colon in a lone line',
    `watches:\n  - id:large\n`,
    '2:5 a watch is a map of keys and values. Write "id: ", with a colon and a blank.',
  ],
  [
    'the first key without a colon',
    'watches\n  - id: large\n',
    '1:1 a key needs a colon and a blank behind it. Write "watches: ".',
  ],
  [
    'a list without its key',
    '- id: large\n',
    '1:1 a file of rules begins with a key. Write "watches:" above the list, and indent the list.',
  ],
  [
    'a list on the line of its key',
    'watches: - id: large\n',
    '1:10 a list must begin on a line of its own. Write "- " on the next line.',
  ],
  [
    'a key that is indented too little',
    `${WATCH}   every: 1m\n`,
    '7:1 this is not indented like its neighbours. Keys of one map begin at the same column.',
  ],
  [
    'a key that is indented too much',
    `${WATCH}      every: 1m\n`,
    '6:13 the next line is indented deeper, and this key has a value already. Keys of one map begin at the same column.',
  ],
  [
    'two colons in a text',
    `${ALERT}id: a\n        title: low: now\n`,
    '9:16 a second ": " on this line. Put the text in quotes.',
  ],
  [
    'a text that begins with @',
    `${ALERT}id: a\n        title: @ops look\n`,
    "9:16 text that begins with @ needs quotes. Write title: '…'.",
  ],
  [
    'a text that begins with %',
    `${ALERT}{ id: a, title: %d }\n`,
    "8:25 text that begins with % needs quotes. Write title: '…'.",
  ],
  [
    'a text that begins with *',
    `${WATCH}    every: *slow\n`,
    '7:12 no anchor of this name stands above this alias. Put a text that begins with "*" in quotes.',
  ],
  [
    'a condition that begins with >',
    `${ALERT}id: a\n        while: > 3\n`,
    "9:18 text that begins with > needs quotes. Write while: '…'.",
  ],
  [
    'a condition in back quotes',
    `${ALERT}id: a\n        while: \`value < 3\`\n`,
    "9:16 text that begins with ` needs quotes. Write while: '…'.",
  ],
  [
    'a quote that is never closed',
    `${ALERT}id: a\n        title: 'low\n`,
    '9:16 this quote is never closed. Write the second one.',
  ],
  [
    'an apostrophe within quotes',
    `${ALERT}id: a\n        title: 'it's low'\n`,
    "9:20 the text ends at this quote. Within '…' a quote is written twice: ''.",
  ],
  [
    'words behind quotes',
    `${ALERT}id: a\n        title: "low" now\n`,
    '9:22 there is text behind the closing quote. Put all of it in one pair of quotes.',
  ],
  [
    'a backslash',
    `${ALERT}id: a\n        title: "a\\q"\n`,
    '9:18 there is no such escape in double quotes. Write \\\\ for a backslash, or use single quotes.',
  ],
  [
    'a comment without a blank',
    `${ALERT}id: a\n        title: "low"#now\n`,
    '9:21 a blank is missing in front of the # of a comment. Put a text with # in it in quotes.',
  ],
  [
    'a brace that is never closed',
    `${ALERT}{ id: a, while: value < 3\n`,
    '8:9 this { is never closed. Write the } behind its last part.',
  ],
  [
    'a bracket that is never closed',
    `${WATCH}    tokens: [USDC, ACME\n    every: 1m\n`,
    '7:13 this [ is never closed. Write the ] behind its last part.',
  ],
  ['a brace too many', `${ALERT}{ id: a, while: value < 3 }}\n`, '8:36 this } closes nothing. Remove it.'],
  [
    'no comma between braces',
    `${ALERT}{ id: a while: value < 3 }\n`,
    '8:15 a comma is missing between two parts of { } or [ ]',
  ],
  ['a comma too many', `${ALERT}{ id: a,, while: value < 3 }\n`, '8:17 a comma is too much here. Remove it.'],
])('%s', (_name, text, expected) => {
  expect(said(text)[0]).toBe(expected);
});

test.each([
  ['when', '{ id: a, when: value < 3 }', 'Did you mean while?'],
  ['expr', '{ id: a, expr: value < 3 }', 'Did you mean while?'],
  ['filter', '{ id: a, on: new, filter: value < 3 }', 'Did you mean if?'],
  ['event', '{ id: a, event: new }', 'Did you mean on?'],
  ['level', '{ id: a, on: new, level: critical }', 'Did you mean severity?'],
  ['message', '{ id: a, on: new, message: low }', 'Did you mean text?'],
  ['channels', '{ id: a, on: new, channels: ops }', 'Did you mean notify?'],
  ['name', '{ name: a, on: new }', 'Did you mean id?'],
])('a word of another tool: %s', (word, alert, hint) => {
  const complaint = expect.stringMatching(`unknown key "${word}". ${hint.replace('?', '\\?')}$`);
  expect(said(`${ALERT}${alert}\n`)).toContainEqual(complaint);
});

test.each([
  ['an alert in the watch', `${WATCH}    alert: { id: a, on: new }\n`, 'unknown key "alert". Did you mean alerts?'],
  [
    'rules instead of watches',
    `rules:\n  - id: large\n`,
    '"rules" is a key of the config. In a file of rules the list is called watches.',
  ],
  [
    'several addresses',
    WATCH.replace('vault', 'vault, treasury'),
    'several names are a list. Write [vault, treasury].',
  ],
])('%s', (_name, text, words) => {
  expect(said(text)).toContainEqual(expect.stringContaining(words));
});

test('what is in a file is not repeated in a hint: it may be a secret', () => {
  const [first] = said(`${ALERT}id: a\n        title: @hunter2\n`);
  expect(first).toMatch(/Write title: '…'/);
  expect(first).not.toContain('hunter2');
});
