import { describe, expect, test } from '@jest/globals';
import { AbiFunction } from 'ox';
import { canonicalSignature, parseSignature, parseView, selectorOf } from '../../../src/lib/abi/signature.ts';
import { canonicalType } from '../../../src/lib/abi/types.ts';

/** The mistake with the part of the text that it points at. */
function mistakeIn(text: string): string {
  const parsed = parseSignature(text);
  if ('signature' in parsed) return 'none';
  const { message, start, end } = parsed.mistake;
  return `${message} [${text.slice(start, end)}]`;
}

describe('a signature is read as Solidity writes it', () => {
  test.each([
    ['pause()', 'pause()', '0x8456cb59'],
    ['function transfer(address to, uint amount) external returns (bool)', 'transfer(address,uint256)', '0xa9059cbb'],
    ['multicall(bytes[] calldata data) payable', 'multicall(bytes[])', '0xac9650d8'],
    ['f((address to, uint256[2] amounts)[] orders, tuple(bool a) b)', 'f((address,uint256[2])[],(bool))', null],
    ['function pay(address to, uint256 amount) external;', 'pay(address,uint256)', null],
    ['  pay( address payable to )  ', 'pay(address)', null],
  ])('%s', (text, canonical, selector) => {
    const parsed = parseSignature(text);
    if ('mistake' in parsed) throw new Error(parsed.mistake.message);
    expect(canonicalSignature(parsed.signature)).toBe(canonical);
    const expected = selector ?? AbiFunction.getSelector(`function ${canonical}`);
    expect(selectorOf(parsed.signature)).toBe(expected);
  });
});

describe('a mistake in a signature has its place', () => {
  test.each([
    ['transfer(address to, uint257 amount)', 'no type "uint257" [uint257]'],
    ['transfer(address, uint256 amount)', 'an argument needs a name [address]'],
    ['transfer(address)', 'an argument needs a name [address]'],
    ['transfer(address to, uint256 to)', 'two arguments have the name to [to]'],
    ['paused(address indexed account)', 'only events have indexed arguments [indexed]'],
    ['transfer', '( is missing [r]'],
    ['transfer(address to', 'arguments are divided by commas [o]'],
    ['(address to)', 'a signature begins with the name of the function [(]'],
    ['pause() pause()', 'the signature ends before this [pause]'],
    ['f(uint256[0] a)', 'an array has from 1 to 4096 items [[0]]'],
    ['f(uint256[][][][][][][][][] a)', 'types are nested at most 8 deep [[]]'],
    ['f(() a)', 'a tuple has at least one part [(]'],
    ['f(uint256 constructor)', 'constructor cannot be the name of an argument here [constructor]'],
    ['f(uint256 in)', 'in cannot be the name of an argument here [in]'],
    ['f(uint256 $a)', '$a cannot be the name of an argument here [$a]'],
    ['f(address to,, uint256 a)', 'a type is missing before , [,]'],
    ['f(uint256 a,)', 'a type is missing before ) [)]'],
    ['f(IERC20 token)', 'no type "IERC20" [IERC20]'],
    ['f(tuple a)', '( is missing [a]'],
    ['f(uint256 a); g()', 'the signature ends before this [g]'],
    ['f(uint256 a) returns (bool', 'a bracket is not closed [l]'],
    ['', 'a signature begins with the name of the function []'],
    [`f(${'('.repeat(500)}`, 'types are nested at most 8 deep [(]'],
    ['x'.repeat(5000), 'a signature has at most 4096 characters [x]'],
  ])('%s', (text, mistake) => {
    expect(mistakeIn(text)).toBe(mistake);
  });
});

describe('a function that is asked', () => {
  test.each([
    ['totalAssets() view returns (uint256)', [['value', 'uint256']]],
    ['function name() external view returns (string memory)', [['value', 'string']]],
    ['price() external pure returns (uint256 perShare);', [['perShare', 'uint256']]],
    [
      'getReserves() public view returns (uint112 first, uint112 second)',
      [
        ['first', 'uint112'],
        ['second', 'uint112'],
      ],
    ],
    ['slot() view returns ((address to, uint256 amount))', [['value', '(address,uint256)']]],
  ])('%s', (text, outputs) => {
    const parsed = parseView(text);
    if ('mistake' in parsed) throw new Error(parsed.mistake.message);
    expect(parsed.signature.outputs.map(({ name, type }) => [name, canonicalType(type)])).toEqual(outputs);
  });

  test.each([
    ['pause()', 'only a view or pure function can be called'],
    ['pause() payable returns (uint256)', 'only a view or pure function can be called'],
    ['total() view', '"returns" is missing'],
    ['total() view returns ()', 'the function returns nothing'],
    ['total() view returns (uint256, bool ok)', 'an argument needs a name'],
    ['total() view returns (uint256 a, bool a)', 'two arguments have the name a'],
    ['total() view returns (uint256', 'the signature is not complete'],
    ['total() view returns (uint256) more', 'the signature ends before this'],
  ])('%s is none', (text, message) => {
    const parsed = parseView(text);
    expect('mistake' in parsed ? parsed.mistake.message : '').toContain(message);
  });
});
