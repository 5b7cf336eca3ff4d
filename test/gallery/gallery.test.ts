// The messages to people and programs change on purpose only. `npm run gallery` writes the texts beside this file anew, and
// with them a page to look at, into `data/gallery`.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { htmlOf, textOf } from './page.ts';
import { serveAll, type Payload, type Receivers } from './receivers.ts';
import { SITUATIONS } from './situations.ts';
import { play, type Situation } from './stage.ts';

const SHOWN = join(import.meta.dirname, 'shown');
const PAGE = join(import.meta.dirname, '../../data/gallery');
const isWriting = process.env['GALLERY'] === '1';

const shown: { situation: Situation; payloads: readonly Payload[] }[] = [];
let receivers: Receivers;

beforeAll(async () => {
  receivers = await serveAll();
});

afterAll(async () => {
  await receivers[Symbol.asyncDispose]();
  if (!isWriting) return;
  write(PAGE, 'index.html', htmlOf(shown));
  for (const { situation, payloads } of shown) write(PAGE, `${situation.name}.txt`, textOf(situation, payloads));
});

test.each(SITUATIONS.map((situation) => [situation.name, situation] as const))('%s', async (name, situation) => {
  const payloads = await play(situation, receivers);
  shown.push({ situation, payloads });
  const text = textOf(situation, payloads);
  if (isWriting) write(SHOWN, `${name}.txt`, text);
  expect(text).toBe(readFileSync(join(SHOWN, `${name}.txt`), 'utf8'));
});

test('every text is of a situation', () => {
  expect(readdirSync(SHOWN).toSorted()).toEqual(SITUATIONS.map(({ name }) => `${name}.txt`).toSorted());
});

function write(folder: string, file: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), text);
}
