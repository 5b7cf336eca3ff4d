// An 'error' event that nobody listens for ends the process. Whoever opens something that gives such events listens for
// as long as it lives, which `once` does not.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const OPENS =
  /\b(?:createServer|createConnection|createReadStream|createWriteStream|spawn|fork|execFile|client\.stream(?:\.\w+)?|(?:net|tls)\.connect|https?\.request|new (?:Worker|WebSocket|SMTPConnection|EventEmitter))\(/g;
const LISTENS = /\.on\('error', |absorbErrors\(/;

const opened = globSync('src/**/*.ts').flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(OPENS)].map(([call]) => ({ file, call, isHeard: LISTENS.test(text) }));
});

test('every socket, stream, server and child has an error listener that stays', () => {
  expect(opened.length).toBeGreaterThan(4);
  expect(opened.filter(({ isHeard }) => !isHeard)).toEqual([]);
});
