import { describe, expect, test } from '@jest/globals';
import { AbiFunction } from 'ox';
import { argumentsIn, selectorIn } from '../../../src/core/calls/call-data.ts';
import { CATALOGUE, knownFunction, signatureOf } from '../../../src/core/calls/catalogue.ts';
import { canonicalSignature, selectorOf } from '../../../src/lib/abi/signature.ts';

const TO = { hash: '0x1111111111111111111111111111111111111111' };

describe('the selector of a transaction', () => {
  test.each([
    ['that calls a function', { to: TO, raw_input: '0xA9059CBB00' }, '0xa9059cbb'],
    ['that sends coins only', { to: TO, raw_input: '0x' }, '0x'],
    ['with less than four bytes, which calls no function', { to: TO, raw_input: '0xa9059c' }, '0x'],
    ['that creates a contract', { to: null, raw_input: '0x6080604052' }, '0x'],
    ['without call data, but decoded', { to: TO, decoded_input: { method_id: 'a9059cbb' } }, '0xa9059cbb'],
    ['without call data', { to: TO, raw_input: null, decoded_input: null }, undefined],
    ['with call data that is none', { to: TO, raw_input: '0xwat' }, undefined],
    ['with call data of another type', { to: TO, raw_input: 7 }, undefined],
  ])('%s', (_name, row, selector) => {
    expect(selectorIn(row)).toBe(selector);
  });
});

describe('without call data the arguments are those that the explorer decoded', () => {
  const { args } = signatureOf('f(address to, uint8[] counts, (bool on, bytes4 id) part, string note)');
  const parameters = [
    { name: 'x', type: 'address', value: `0x${'Ab'.repeat(20)}` },
    { name: 'y', type: 'uint8[]', value: ['1', '255'] },
    { name: 'z', type: 'tuple(bool,bytes4)', value: ['true', '0x01020304'] },
    { name: 'n', type: 'string', value: 'hello' },
  ];
  const read = (told: unknown) => argumentsIn({ decoded_input: { parameters: told } }, args);

  test('where number and types fit', () => {
    expect(read(parameters)).toEqual([`0x${'ab'.repeat(20)}`, [1n, 255n], [true, '0x01020304'], 'hello']);
  });

  test.each([
    ['another number of them', parameters.slice(1)],
    ['another type', [{ ...parameters[0], type: 'bytes20' }, ...parameters.slice(1)]],
    ['a number that the type cannot have', parameters.with(1, { name: 'y', type: 'uint8[]', value: ['256'] })],
    ['no list at all', 'nothing'],
  ])('not with %s', (_name, told) => {
    expect(read(told)).toBeNull();
  });
});

describe('every signature of the catalogue', () => {
  test('has a selector of its own, as another library makes it', () => {
    const selectors = CATALOGUE.map((text) => selectorOf(signatureOf(text)));
    expect(new Set(selectors).size).toBe(CATALOGUE.length);
    const theirs = CATALOGUE.map((text) =>
      AbiFunction.getSelector(`function ${canonicalSignature(signatureOf(text))}`),
    );
    expect(selectors).toEqual(theirs);
  });

  test.each([
    ['0xf2fde38b', 'transferOwnership'],
    ['0x8456cb59', 'pause'],
    ['0x2f2ff15d', 'grantRole'],
    ['0x4f1ef286', 'upgradeToAndCall'],
    ['0xa9059cbb', 'transfer'],
    ['0xd505accf', 'permit'],
    ['0x8fcbaf0c', 'permit'],
    ['0x87517c45', 'approve'],
    ['0x6a761202', 'execTransaction'],
    ['0x0d582f13', 'addOwnerWithThreshold'],
    ['0x8d80ff0a', 'multiSend'],
    ['0x7d5e81e2', 'propose'],
    ['0x01d5062a', 'schedule'],
    ['0x134008d3', 'execute'],
    ['0x82ad56cb', 'aggregate3'],
    ['0x1f931c1c', 'diamondCut'],
  ])('is found: %s is %s', (selector, name) => {
    expect(knownFunction(selector)?.name).toBe(name);
  });
});
