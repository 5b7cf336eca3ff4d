// The functions of contracts that can be asked. Their values follow from the ledger, as those of all other answers do.
import { parseView, selectorOf } from '../../lib/abi/signature.ts';
import type { AbiType } from '../../lib/abi/types.ts';
import { isAddress, keyOf } from '../chain/keys.ts';
import type { TokenBase } from '../chain/catalogue.ts';
import { ADDRESSES, CONTRACTS, TOKENS } from '../names.ts';
import { encodeValues } from '../render/call-data.ts';
import type { SetWord } from '../overlay.ts';
import type { World } from '../world.ts';
import { callMulticall, isMulticall, type Called } from './multicall.ts';

/** `words`: the arguments, as numbers. Undefined: the contract has no such value. */
type Answer = (world: World, target: string, words: readonly bigint[]) => string | undefined;

interface KnownFunction {
  readonly types: readonly AbiType[];
  readonly answer: Answer;
}

/** Shares of the vault: the price of one changes as its assets do. */
const SHARES = 8_000_000n * 10n ** 18n;

const ofToken = (read: (token: TokenBase, world: World, words: readonly bigint[]) => string | undefined): Answer => {
  return (world, target, words) => {
    const token = world.tokens.find(target);
    return token === undefined ? undefined : read(token, world, words);
  };
};

const TOKEN_FUNCTIONS = functionsOf({
  'balanceOf(address account) view returns (uint256)': ofToken((token, world, [holder = 0n]) => {
    const pieces = world.holdings(addressOf(holder)).filter((one) => keyOf(one.token.address) === keyOf(token.address));
    return String(pieces.reduce((sum, { value }) => sum + value, 0n));
  }),
  'totalSupply() view returns (uint256)': ofToken(
    (token, world) => world.tokens.view(token, world.head()).total_supply ?? undefined,
  ),
  'decimals() view returns (uint8)': ofToken(({ decimals }) => (decimals === null ? undefined : String(decimals))),
  'name() view returns (string)': ofToken(({ name }) => name ?? ''),
  'symbol() view returns (string)': ofToken(({ symbol }) => symbol ?? ''),
});

const VAULT_FUNCTIONS = functionsOf({
  'asset() view returns (address)': () => TOKENS.USDC,
  'totalAssets() view returns (uint256)': (world) => String(assetsOf(world)),
  'convertToAssets(uint256 shares) view returns (uint256)': (world, _target, [shares = 0n]) =>
    String((shares * assetsOf(world)) / SHARES),
  'totalSupply() view returns (uint256)': () => String(SHARES),
  'decimals() view returns (uint8)': () => '18',
  'name() view returns (string)': () => 'Vault',
  'owner() view returns (address)': () => ADDRESSES.treasury,
  'paused() view returns (bool)': () => 'false',
});

export function callContract(world: World, target: string, data: string): Called {
  if (isMulticall(target)) return callMulticall(world, data, (other, input) => callContract(world, other, input));
  if (!world.ref(world.tokens.find(target)?.address ?? target).is_contract) return { hasCode: false, result: null };
  const selector = data.slice(0, 10).toLowerCase();
  const functions = keyOf(target) === keyOf(ADDRESSES.vault) ? VAULT_FUNCTIONS : TOKEN_FUNCTIONS;
  const name = `${keyOf(target)} ${selector}`;
  const isReverting = world.overlay.reverting.has(name);
  const set = wordAt(world, world.overlay.results.get(name));
  if (set !== undefined && !isReverting) return { hasCode: true, result: set };
  const called = isReverting ? undefined : functions.get(selector);
  const words = (data.slice(10).match(/[0-9a-f]{64}/gi) ?? []).map((word) => BigInt(`0x${word}`));
  const value = called?.answer(world, target, words);
  if (called === undefined || value === undefined) return { hasCode: true, result: null };
  return { hasCode: true, result: `0x${encodeValues(called.types, [value])}` };
}

/** The assets that the vault has on its books: what it holds by the chain's plan, whatever was taken from it. */
function assetsOf(world: World): bigint {
  return world.planned(ADDRESSES.vault, TOKENS.USDC);
}

const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const ADMIN_SLOT = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103';

export function storageAt(world: World, target: string, slot: string): string {
  const set = wordAt(world, world.overlay.slots.get(`${keyOf(target)} ${slot}`));
  if (set !== undefined) return set;
  if (keyOf(target) !== keyOf(ADDRESSES.vault)) return wordOf('0x0');
  const implementation = world.overlay.upgrades.get(keyOf(target))?.implementation ?? CONTRACTS.implementation;
  return wordOf({ [ADMIN_SLOT]: ADDRESSES.treasury, [IMPLEMENTATION_SLOT]: implementation }[slot] ?? '0x0');
}

function wordAt(world: World, words: readonly SetWord[] = []): string | undefined {
  return words.findLast(({ since }) => since <= world.head())?.word;
}

function wordOf(hex: string): string {
  return `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`;
}

function addressOf(word: bigint): string {
  const text = `0x${word.toString(16).padStart(40, '0')}`;
  return isAddress(text) ? text : '0x';
}

function functionsOf(answers: Readonly<Record<string, Answer>>): ReadonlyMap<string, KnownFunction> {
  return new Map(
    Object.entries(answers).map(([text, answer]) => {
      const parsed = parseView(text);
      if ('mistake' in parsed) throw new TypeError(`${text}: ${parsed.mistake.message}`);
      const types = parsed.signature.outputs.map(({ type }) => type);
      return [selectorOf(parsed.signature), { types, answer }];
    }),
  );
}
