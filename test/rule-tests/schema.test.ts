import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { testsJsonSchema } from '../../src/rule-tests/schema.ts';
import { kinds } from '../../src/watches/index.ts';

const schema = z.fromJSONSchema(testsJsonSchema(kinds));

/** What an editor would say, which reads numbers, booleans and null as such. */
function accepts(text: string): boolean {
  return schema.safeParse(parse(text)).success;
}

test.each(['treasury', 'vault', 'token', 'chain'])('editors find nothing wrong in rules/%s.test.yaml', (name) => {
  expect(accepts(readFileSync(`rules/${name}.test.yaml`, 'utf8'))).toBe(true);
});

const GOOD = `rules: x.yaml
tests: [{ name: a, watch: w, saw: [{ at: 0m, balance: 1 }], expect: [{ at: 0m, alert: low, state: firing }] }]`;

test.each<[string, string, string]>([
  ['an unknown key of the file', 'rules:', 'rulez: y\nrules:'],
  ['an unknown key of a test', 'name: a', 'name: a, wach: w'],
  ['an unknown key of an expectation', 'alert: low', 'alert: low, sevrity: info'],
  ['a severity that there is not', 'alert: low', 'alert: low, severity: bad'],
  ['a reason that there is not', 'balance: 1', 'missed: eror'],
  ['rows that are no list', 'balance: 1', 'items: 5'],
  ['no expectations', ', expect: [{ at: 0m, alert: low, state: firing }]', ''],
])('editors show %s', (_name, from, to) => {
  expect(accepts(GOOD)).toBe(true);
  expect(accepts(GOOD.replace(from, to))).toBe(false);
});
