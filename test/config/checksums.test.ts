import { expect, test } from '@jest/globals';
import { checksumWarnings } from '../../src/config/values/checksums.ts';
import { checksummed } from '../../src/lib/abi/checksum.ts';
import { summarize } from '../../src/config/problem.ts';
import { parseYaml } from '../../src/config/yaml/yaml.ts';

// The examples of EIP-55.
const RIGHT = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
];

function warningsOf(text: string): string[] {
  const parsed = parseYaml('a.yaml', text);
  if ('problems' in parsed) throw new Error('not read');
  return checksumWarnings(parsed.source).map(summarize);
}

test('addresses are spelled with their checksum, as the standard has it', () => {
  expect(RIGHT.map((address) => checksummed(address.toLowerCase()))).toEqual(RIGHT);
});

test('a mistyped digit of an address is said before it is watched for months, wherever it is written', () => {
  const [right = ''] = RIGHT;
  const wrong = right.replace('Aed', 'Aee');
  const said = (address: string): string =>
    'the upper and lower case of this address does not match its checksum: a digit may be wrong. ' +
    `If all digits are right, write ${checksummed(address)}.`;
  expect(warningsOf(`of: ${wrong}\nwhile: from.hash == '${wrong}'\nlist: [${right}]\n`)).toEqual([
    `a.yaml:1:5 of: ${said(wrong)}`,
    `a.yaml:2:22 while: ${said(wrong)}`,
  ]);
});

test('what carries no checksum is not doubted', () => {
  const [right = ''] = RIGHT;
  const digits = right.slice(2);
  expect(
    warningsOf(`a: 0x${digits.toLowerCase()}\nb: 0x${digits.toUpperCase()}\nc: ${right}\nd: '${right}ff'\n`),
  ).toEqual([]);
});
