// Whatever explorers, replicas and nodes answer meanwhile, a read tells no wrong state, and the true one once they are well.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { itemsOf, decodeArguments } from '../../src/lib/abi/decode.ts';
import { encodeArguments } from '../../src/lib/abi/encode.ts';
import { parseView } from '../../src/lib/abi/signature.ts';
import { ADDRESSES, TOKENS } from '../../src/sandbox/names.ts';
import type { Replica, Row } from '../support/engine/replicas.ts';
import { createWorld, type World } from '../support/world.ts';

const ASSETS = 'totalAssets()';
const PRICE = 'convertToAssets(uint256 shares)';
const ADMIN_SLOT = `0x${'5'.repeat(64)}`;
const READS = [
  `assets: { call: '${ASSETS} view returns (uint256)', units: USDC }`,
  "held: { of: USDC, call: 'balanceOf(address account) view returns (uint256)', with: [vault], units: USDC }",
  `price: { call: '${PRICE} view returns (uint256)', with: [1_000_000] }`,
  'coins: { balance: true }',
  "owner: { call: 'owner() view returns (address)' }",
  `admin: { slot: '${ADMIN_SLOT}', as: uint256 }`,
  "supply: { of: USDC, call: 'totalSupply() view returns (uint256)' }",
  'x: { slot: 7, as: bool }',
  'y: { slot: 8, as: bool }',
];

/** With 6 names, all of them one by one are as few requests as what reverts is alone; with 9 they are more. */
function rulesOf(names: number, confirmations: number): string {
  return `
watches:
  - id: w
    kind: read
    of: vault
    every: 1m
    ${confirmations === 0 ? '' : `confirmations: ${confirmations}`}
    read: { ${READS.slice(0, names).join(', ')} }
    alerts:
      - { id: insolvent, while: held < assets * 0.98, severity: critical }
      - { id: price, while: reverted.price == true }
      - { id: assets, while: reverted.assets == true }
      - { id: admin, on: changed, if: admin != before.admin }
`;
}

type Life = 'drain' | 'admin' | 'price' | 'assets' | 'gas' | 'restart' | 'confirmations' | 'names' | 'quiet';
const LIVES: readonly Life[] = [
  ...(['drain', 'admin', 'price', 'assets', 'gas', 'restart'] as const),
  ...(['confirmations', 'names', 'quiet'] as const),
];

const joined = '0xca11bde05977b3631167028862be2a173976ca11';
const isJoined = (call: Row): boolean => JSON.stringify(call).includes(joined);
const isNewest = (call: Row): boolean => call['method'] === 'eth_blockNumber';
const isSlot = (call: Row): boolean => call['method'] === 'eth_getStorageAt';
const NODE = { error: { code: -32000, message: 'no peers' } };
const REFUSAL = { error: { code: -32603, message: 'Internal error' } };
const NOTHING = { result: '0x' };

/** Calls that are answered otherwise in one poll. */
const ODD: readonly (readonly [(call: Row) => boolean, object])[] = [
  [isJoined, NOTHING],
  [isJoined, REFUSAL],
  [isJoined, NODE],
  [isSlot, NOTHING],
  [isSlot, REFUSAL],
  [isNewest, NODE],
  [isNewest, { result: '0x5f' }],
  [(call) => !isJoined(call) && call['method'] === 'eth_call', NODE],
  [(call) => !isNewest(call), NOTHING],
];

const step = fc.record({
  life: fc.constantFrom(...LIVES),
  odd: fc.option(fc.constantFrom(...ODD), { freq: 2 }),
  lag: fc.constantFrom(0, 0, 0, 1, 5),
  fault: fc.constantFrom(null, null, null, null, 'server-error', 'blocked', 'not-found'),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test('no wrong state is told, and the true one is told when all is well', async () => {
  const story = fc.array(step, { minLength: 1, maxLength: 8 });
  await fc.assert(fc.asyncProperty(story, holds), { numRuns: 25 });
});

const HALF_HOUR = 1_800_000;

/** What is so. */
interface Truth {
  insolvent: boolean;
  price: boolean;
  assets: boolean;
  admin: number;
  /** The call of the assets uses up all gas when it reverts. */
  gas: boolean;
  names: 6 | 9;
  confirmations: 0 | 3;
}

async function holds(steps: readonly Step[]): Promise<void> {
  const truth: Truth = {
    insolvent: false,
    price: false,
    assets: false,
    admin: 0,
    gas: false,
    names: 6,
    confirmations: 0,
  };
  await using world = await createWorld(rulesOf(truth.names, truth.confirmations));
  const told = { insolvent: false, price: false, assets: false, admin: 0 };
  const poll = async (): Promise<void> => {
    world.sandbox.mine({ blocks: 4 });
    await world.poll();
    for (const { alert, type, title } of world.messages) {
      if (alert === 'admin') told.admin = Number(/admin (\d+)/.exec(title)?.[1]);
      else told[alert as 'price'] = type === 'alert.firing';
      expect([title, told[alert as 'price']]).toEqual([title, truth[alert as 'price']]);
    }
  };
  await poll();
  for (const one of steps) {
    // So no alert is flapping.
    await world.clock.advance(HALF_HOUR);
    await lives(one.life, truth, world);
    world.replicas.use(replicaOf(one, truth));
    if (one.fault !== null) world.sandbox.fail({ fault: one.fault, times: 2, operation: 'eth-rpc' });
    await poll();
  }
  world.sandbox.clearFaults();
  world.replicas.use(replicaOf({ odd: null, lag: 0 }, truth));
  await poll();
  await poll();
  const { price, assets, admin } = truth;
  expect(told).toEqual({ price, assets, admin, insolvent: assets ? told.insolvent : truth.insolvent });
}

async function lives(life: Life, truth: Truth, world: World): Promise<void> {
  const { sandbox } = world;
  if (life === 'drain') {
    const [from, to] = truth.insolvent ? (['hot_wallet', 'vault'] as const) : (['vault', 'hot_wallet'] as const);
    sandbox.moveBalance({ from: ADDRESSES[from], to: ADDRESSES[to], token: TOKENS.USDC, value: 500_000_000_000n });
    truth.insolvent = !truth.insolvent;
  }
  if (life === 'admin')
    sandbox.setSlot({ slot: ADMIN_SLOT, value: `0x${(truth.admin += 1).toString(16).padStart(64, '0')}` });
  if (life === 'price') sandbox.revertCall({ call: PRICE, reverts: (truth.price = !truth.price) });
  if (life === 'assets') sandbox.revertCall({ call: ASSETS, reverts: (truth.assets = !truth.assets) });
  if (life === 'gas') truth.gas = !truth.gas;
  if (life === 'restart') await world.restart();
  if (life === 'confirmations') truth.confirmations = truth.confirmations === 0 ? 3 : 0;
  if (life === 'names') truth.names = truth.names === 6 ? 9 : 6;
  if (life === 'confirmations' || life === 'names') await world.load(rulesOf(truth.names, truth.confirmations));
}

/** Only the one that answers all calls itself may be behind. */
function replicaOf({ odd, lag }: Pick<Step, 'odd' | 'lag'>, { gas, assets }: Truth): Replica {
  const isStarved = gas && assets;
  if (odd === null && !isStarved) return lag === 0 ? {} : { lag };
  return {
    answersCall(call, answer) {
      const [isOdd, other] = odd ?? [() => false, {}];
      if (isOdd(call)) return { id: call['id'], ...other };
      return isStarved && isJoined(call) ? starved(answer) : answer;
    },
  };
}

/** The answer of Multicall3 where its first call used up all gas. */
function starved(answer: Row): Row {
  const parsed = parseView('aggregate3() view returns ((bool success, bytes returnData)[] results)');
  if ('mistake' in parsed) throw new Error(parsed.mistake.message);
  const { outputs } = parsed.signature;
  const [results] = decodeArguments(outputs, Buffer.from(String(answer['result']).slice(2), 'hex')) ?? [];
  const types = outputs.map(({ type }) => type);
  const failed = itemsOf(results).map(() => [false, '0x']);
  return { ...answer, result: `0x${encodeArguments(types, [failed])}` };
}
