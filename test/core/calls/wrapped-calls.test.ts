// Calls inside of call data, as another library encodes them.
import { describe, expect, test } from '@jest/globals';
import { AbiFunction, AbiParameters } from 'ox';
import { safeBatch, wrappedCalls, type WrappedCall } from '../../../src/core/calls/wrapped-calls.ts';
import { signatureOf, signaturesOf } from '../../../src/core/calls/catalogue.ts';
import { Address } from '../../../src/core/values/address.ts';
import { selectorOf } from '../../../src/lib/abi/signature.ts';
import { createDraw, mutated } from '../../lib/abi/random-calls.ts';

type Hex = `0x${string}`;

const VAULT: Hex = `0x${'11'.repeat(20)}`;
const TOKEN: Hex = `0x${'22'.repeat(20)}`;
const HASH: Hex = `0x${'ab'.repeat(32)}`;
const PAUSE: Hex = '0x8456cb59';
const OWNER: Hex = `0xf2fde38b${TOKEN.slice(2).padStart(64, '0')}`;

function encode(signature: string, args: readonly unknown[]): Hex {
  const text: readonly string[] = [`function ${signature}`];
  const item = AbiFunction.from(text);
  if (item.type !== 'function') throw new TypeError(signature);
  return AbiFunction.encodeData(item, args);
}

/** Address, data and coins of each call, and whether it is delegated. */
const shown = (calls: readonly WrappedCall[]) =>
  calls.map(({ to, data, value, isDelegated }) => [to.key, data, value, ...(isDelegated ? ['delegated'] : [])]);

const read = (data: string, own: Hex | null = null) =>
  shown(wrappedCalls(data, own === null ? null : (Address.parse(own) ?? null)));

interface Packed {
  readonly operation: number;
  readonly to: Hex;
  readonly value: bigint;
  readonly data: Hex;
}

function packed(calls: readonly Packed[]): Hex {
  const each = calls.map(({ operation, to, value, data }) =>
    AbiParameters.encodePacked(
      ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
      [operation, to, value, BigInt(data.length / 2 - 1), data],
    ).slice(2),
  );
  return `0x${each.join('')}`;
}

const multiSend = (bytes: Hex): Hex => encode('multiSend(bytes transactions)', [bytes]);

const SAFE =
  'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)';
const safe = (operation: number, data = OWNER): Hex =>
  encode(SAFE, [VAULT, 5n, data, operation, 0n, 0n, 0n, TOKEN, TOKEN, `0x${'ff'.repeat(65)}`]);

describe('a call that takes other calls as arguments', () => {
  const both: readonly (readonly [Hex, Hex, bigint])[] = [
    [VAULT, PAUSE, 1n],
    [TOKEN, OWNER, 2n],
  ];
  const free = both.map(([to, data]) => [to, data, 0n]);
  const batch = both.map(([target, data, value]) => ({ target, value, data }));
  const batchOf7579 = AbiParameters.encode(
    AbiParameters.from(['struct Call { address target; uint256 value; bytes data; }', 'Call[] calls']),
    [batch],
  );
  const mode = (first: string): Hex => `0x${first.padEnd(64, '0')}`;
  const of7579 = (first: string, data: string): Hex =>
    encode('execute(bytes32 mode, bytes executionCalldata)', [mode(first), data]);
  const digits = (text: Hex): string => text.slice(2);
  const COINS = 7n.toString(16).padStart(64, '0');

  test.each<readonly [string, Hex, readonly unknown[]]>([
    ['a Safe', safe(0), [[VAULT, OWNER, 5n]]],
    ['a Safe that delegates it', safe(1), [[VAULT, OWNER, 5n, 'delegated']]],
    [
      'a module of a Safe',
      encode('execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation)', [
        VAULT,
        5n,
        OWNER,
        0,
      ]),
      [[VAULT, OWNER, 5n]],
    ],
    [
      'a timelock, later',
      encode(signaturesOf('schedule')[0] ?? '', [VAULT, 5n, OWNER, HASH, HASH, 60n]),
      [[VAULT, OWNER, 5n]],
    ],
    ['an access manager, later', encode(signaturesOf('schedule')[1] ?? '', [VAULT, OWNER, 60n]), [[VAULT, OWNER, 0n]]],
    [
      'a timelock, several later',
      encode(signaturesOf('scheduleBatch')[0] ?? '', [[VAULT, TOKEN], [1n, 2n], [PAUSE, OWNER], HASH, HASH, 60n]),
      both,
    ],
    [
      'a timelock, now',
      encode('execute(address target, uint256 value, bytes payload, bytes32 predecessor, bytes32 salt)', [
        VAULT,
        5n,
        OWNER,
        HASH,
        HASH,
      ]),
      [[VAULT, OWNER, 5n]],
    ],
    [
      'a timelock, several now',
      encode('executeBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt)', [
        [VAULT, TOKEN],
        [1n, 2n],
        [PAUSE, OWNER],
        HASH,
        HASH,
      ]),
      both,
    ],
    [
      'a governor',
      encode('execute(address[] targets, uint256[] values, bytes[] calldatas, bytes32 descriptionHash)', [
        [VAULT, TOKEN],
        [1n, 2n],
        [PAUSE, OWNER],
        HASH,
      ]),
      both,
    ],
    [
      'an account',
      encode('execute(address target, uint256 value, bytes data)', [VAULT, 5n, OWNER]),
      [[VAULT, OWNER, 5n]],
    ],
    [
      'an account, several without coins',
      encode('executeBatch(address[] targets, bytes[] payloads)', [
        [VAULT, TOKEN],
        [PAUSE, OWNER],
      ]),
      free,
    ],
    [
      'an account, several with an empty list of coins',
      encode('executeBatch(address[] targets, uint256[] values, bytes[] payloads)', [
        [VAULT, TOKEN],
        [],
        [PAUSE, OWNER],
      ]),
      free,
    ],
    [
      'an account, in one list',
      encode('executeBatch((address target, uint256 value, bytes data)[] batch)', [batch]),
      both,
    ],
    ['an account of ERC-7579', of7579('', `0x${digits(VAULT)}${COINS}${digits(PAUSE)}`), [[VAULT, PAUSE, 7n]]],
    ['an account of ERC-7579, several', of7579('01', batchOf7579), both],
    [
      'an account of ERC-7579 that delegates it',
      of7579('ff', `0x${digits(VAULT)}${digits(PAUSE)}`),
      [[VAULT, PAUSE, 0n, 'delegated']],
    ],
    [
      'Multicall3',
      encode('aggregate3((address target, bool allowFailure, bytes callData)[] calls)', [
        both.map(([target, callData]) => ({ target, allowFailure: true, callData })),
      ]),
      free,
    ],
    [
      'MultiSend',
      multiSend(
        packed([
          { operation: 0, to: VAULT, value: 1n, data: PAUSE },
          { operation: 1, to: TOKEN, value: 0n, data: OWNER },
          { operation: 0, to: TOKEN, value: 9n, data: '0x' },
        ]),
      ),
      [
        [VAULT, PAUSE, 1n],
        [TOKEN, OWNER, 0n, 'delegated'],
        [TOKEN, '0x', 9n],
      ],
    ],
  ])('%s', (_who, data, calls) => {
    expect(read(data)).toEqual(calls);
  });

  test('multicall calls the contract that it is called on, and nobody if that is unknown', () => {
    const own = [
      [VAULT, PAUSE, 0n],
      [VAULT, OWNER, 0n],
    ];
    const plain = encode('multicall(bytes[] data)', [[PAUSE, OWNER]]);
    const timed = encode('multicall(uint256 deadline, bytes[] data)', [9n, [PAUSE, OWNER]]);
    expect([read(plain, VAULT), read(timed, VAULT)]).toEqual([own, own]);
    expect(read(plain)).toEqual([]);
  });

  test('two pointers may lead to one text, as contracts allow it', () => {
    const word = (number: number): string => number.toString(16).padStart(64, '0');
    const data = `0xac9650d8${[32, 2, 64, 64, 4].map(word).join('')}${PAUSE.slice(2).padEnd(64, '0')}`;
    expect(read(data, VAULT)).toEqual([
      [VAULT, PAUSE, 0n],
      [VAULT, PAUSE, 0n],
    ]);
  });

  test('one level is read, and no more', () => {
    const batch = multiSend(packed([{ operation: 0, to: VAULT, value: 0n, data: PAUSE }]));
    const data = encode('execute(address target, uint256 value, bytes data)', [TOKEN, 0n, batch]);
    expect(read(data)).toEqual([[TOKEN, batch, 0n]]);
  });
});

describe('a batch that a Safe is told to delegate', () => {
  const inner: readonly Packed[] = [
    { operation: 0, to: VAULT, value: 1n, data: PAUSE },
    { operation: 1, to: TOKEN, value: 0n, data: OWNER },
  ];
  const batch = multiSend(packed(inner));
  const found = (data: string) => {
    const safes = safeBatch(data);
    return safes === null ? null : [safes.contract.key, shown(safes.calls)];
  };
  const both = [
    VAULT,
    [
      [VAULT, PAUSE, 1n],
      [TOKEN, OWNER, 0n, 'delegated'],
    ],
  ];

  test.each(['execTransactionFromModule', 'execTransactionFromModuleReturnData'])('is read in %s', (name) => {
    expect(found(encode(signaturesOf(name)[0] ?? '', [VAULT, 0n, batch, 1]))).toEqual(both);
  });

  test('is read in execTransaction', () => {
    expect(found(safe(1, batch))).toEqual(both);
  });

  test('is not read deeper', () => {
    const nested: Packed = { operation: 1, to: TOKEN, value: 0n, data: batch };
    expect(found(safe(1, multiSend(packed([nested]))))).toEqual([VAULT, [[TOKEN, batch, 0n, 'delegated']]]);
    const other = safe(1, batch);
    expect(found(safe(1, multiSend(packed([{ operation: 0, to: TOKEN, value: 0n, data: other }]))))).toEqual([
      VAULT,
      [[TOKEN, other, 0n]],
    ]);
  });

  test.each<readonly [string, string]>([
    ['where the call is not delegated', safe(0, batch)],
    ['where the operation is not known', safe(2, batch)],
    ['in a delegated call of another function', safe(1)],
    ['in a delegated multicall', safe(1, encode('multicall(bytes[] data)', [[PAUSE]]))],
    ['where the batch is empty', safe(1, multiSend('0x'))],
    ['where bytes follow the batch', safe(1, multiSend(`${packed(inner)}00`))],
    ['where the batch ends within a call', safe(1, multiSend(packed(inner).slice(0, -2) as Hex))],
    ['in multiSend itself', batch],
    ['in a timelock', encode(signaturesOf('schedule')[0] ?? '', [VAULT, 0n, batch, HASH, HASH, 60n])],
    [
      'in an account that delegates',
      encode('execute(bytes32 mode, bytes executionCalldata)', [`0xff${'0'.repeat(62)}`, `${VAULT}${batch.slice(2)}`]),
    ],
    [
      'in data above 64 kB',
      safe(1, multiSend(packed([{ operation: 0, to: VAULT, value: 0n, data: `0x${'00'.repeat(70_000)}` }]))),
    ],
    ['in a plain transfer', '0x'],
  ])('is not found %s', (_where, data) => {
    expect(found(data)).toBeNull();
  });
});

describe('no call is found', () => {
  const lists = (targets: readonly Hex[], values: readonly bigint[], data: readonly Hex[]): Hex =>
    encode('executeBatch(address[] targets, uint256[] values, bytes[] payloads)', [targets, values, data]);
  const one = packed([{ operation: 0, to: VAULT, value: 0n, data: OWNER }]);

  test.each([
    ['in a function that takes none', encode('transfer(address to, uint256 value)', [VAULT, 1n])],
    [
      'in a function with an address and bytes that calls nothing',
      `${selectorOf(signatureOf('upgradeToAndCall(address newImplementation, bytes data)'))}00`,
    ],
    ['in a function that is not known', '0x12345678'],
    ['without data', '0x'],
    ['in what is no data', 'no data'],
    ['in a proposal by its number', encode('execute(uint256 proposalId)', [1n])],
    ['where a Safe refuses the operation', safe(2)],
    ['where the last word is missing', safe(0).slice(0, -64)],
    ['in lists of different lengths', lists([VAULT, TOKEN], [], [PAUSE])],
    ['with coins for some of them', lists([VAULT, TOKEN], [1n], [PAUSE, OWNER])],
    ['in an empty list', lists([], [], [])],
    ['in an empty MultiSend', multiSend('0x')],
    ['where MultiSend ends within a call', multiSend(one.slice(0, -2) as Hex)],
    ['where bytes follow the last one', multiSend(`${one}00`)],
    ['where a length is larger than the data', multiSend(one.replace('24'.padStart(64, '0'), 'f'.repeat(64)) as Hex)],
    ['where MultiSend refuses the operation', multiSend(packed([{ operation: 2, to: VAULT, value: 0n, data: PAUSE }]))],
    [
      'in a mode of ERC-7579 that is not known',
      encode('execute(bytes32 mode, bytes executionCalldata)', [HASH, PAUSE]),
    ],
  ])('%s', (_where, data) => {
    expect(read(data, VAULT)).toEqual([]);
  });

  const word = (number: bigint): string => number.toString(16).padStart(64, '0');
  const changed = (data: string, index: number, text: string): string => {
    const at = 10 + index * 64;
    return data.slice(0, at) + text + data.slice(at + 64);
  };
  const HUGE = 'f'.repeat(64);

  test.each([
    ['where the address has digits before it', changed(safe(1), 0, `01${VAULT.slice(2).padStart(62, '0')}`)],
    ['where the operation has more than one byte', changed(safe(1), 3, word(257n))],
    ['where the pointer is near 2^256', changed(safe(1), 2, HUGE)],
    ['where the pointer leads to the end', changed(safe(1), 2, word(BigInt(safe(1).length / 2)))],
    ['where the length is near 2^256', changed(safe(1), 10, HUGE)],
  ])('%s', (_where, data) => {
    expect(read(data)).toEqual([]);
  });

  test('where many pointers lead to one long text', () => {
    const count = 200;
    const pointers = word(BigInt(count * 32)).repeat(count);
    const text = word(16_000n) + '00'.repeat(16_000);
    expect(read(`0xac9650d8${word(32n)}${word(BigInt(count))}${pointers}${text}`, VAULT)).toEqual([]);
  });

  test('in data above 64 kB', () => {
    const large: Hex = `0x${'00'.repeat(70_000)}`;
    expect(read(encode('execute(address target, uint256 value, bytes data)', [VAULT, 0n, large]))).toEqual([]);
  });
});

describe('random data', () => {
  const draw = createDraw(11);
  const bytes = (size: number): Hex =>
    `0x${Array.from({ length: size }, () => draw(256).toString(16).padStart(2, '0')).join('')}`;
  const randomCalls = (): readonly Packed[] =>
    Array.from({ length: 1 + draw(5) }, () => ({
      operation: draw(2),
      to: bytes(20),
      value: BigInt(bytes(32)),
      data: bytes(draw(70)),
    }));

  test('of MultiSend is read as it was written, and what is read of damaged data is all that stands there', () => {
    for (let i = 0; i < 2000; i += 1) {
      const calls = randomCalls();
      expect(wrappedCalls(multiSend(packed(calls)), null).map(again)).toEqual(calls);
      const damaged = damage(packed(calls));
      const found = wrappedCalls(multiSend(damaged), null);
      if (found.length > 0) expect(packed(found.map(again))).toBe(damaged);
    }
  });

  test('of a batch of a Safe is read as it was written, and damage never adds a call', () => {
    for (let i = 0; i < 1000; i += 1) {
      const calls = randomCalls();
      expect(safeBatch(safe(1, multiSend(packed(calls))))?.calls.map(again)).toEqual(calls);
      const inside = damage(packed(calls));
      const found = safeBatch(safe(1, multiSend(inside)));
      if (found !== null) expect(packed(found.calls.map(again))).toBe(inside);
    }
  });

  test('of a Safe outside of its batch is read or refused, and never an error', () => {
    let readable = 0;
    for (let i = 0; i < 2000; i += 1) {
      const whole = safe(1, multiSend(packed(randomCalls())));
      const data = Buffer.from(mutated(draw, Buffer.from(whole.slice(10), 'hex'))).toString('hex');
      const found = safeBatch(whole.slice(0, 10) + data);
      readable += found === null ? 0 : 1;
      for (const { data: inner } of found?.calls ?? []) expect(data).toContain(inner.slice(2));
    }
    expect(readable).toBeGreaterThan(100);
  });

  test('of any function is read or refused, and never an error', () => {
    let readable = 0;
    for (let i = 0; i < 5000; i += 1) {
      const data = Buffer.from(mutated(draw, Buffer.from(safe(draw(2)).slice(10), 'hex'))).toString('hex');
      const found = wrappedCalls(safe(0).slice(0, 10) + data, null);
      readable += found.length;
      expect(found.length).toBeLessThanOrEqual(1);
    }
    expect(readable).toBeGreaterThan(100);
  });

  function damage(data: Hex): Hex {
    const at = 2 + 2 * draw(data.length / 2 - 1);
    return draw(2) === 0
      ? (data.slice(0, at) as Hex)
      : (`${data.slice(0, at)}${bytes(1).slice(2)}${data.slice(at + 2)}` as Hex);
  }

  function again({ isDelegated, to, value, data }: WrappedCall): Packed {
    return { operation: isDelegated ? 1 : 0, to: to.key as Hex, value, data: data as Hex };
  }
});
