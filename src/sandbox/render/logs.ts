// The logs of a block: events of tokens that move, of the vault, and those that the control API emits.
import { topicOf, parseEvent, type EventSignature } from '../../lib/abi/signature.ts';
import { keyOf } from '../chain/keys.ts';
import { METHODS, type EmittedLog, type Mined, type Transaction, type Transfer } from '../chain/transaction.ts';
import { ADDRESSES, CONTRACTS } from '../names.ts';
import { encodeValues } from './call-data.ts';

/** A log in its block. */
export interface MinedLog {
  readonly log: EmittedLog;
  readonly mined: Mined;
  readonly index: number;
}

/** The logs of the transactions of one block, numbered. */
export function logsIn(block: readonly Mined[]): MinedLog[] {
  return block
    .flatMap((mined) => logsOf(mined).map((log) => ({ log, mined })))
    .map((one, index) => ({ ...one, index }));
}

function logsOf({ transaction, height }: Mined): readonly EmittedLog[] {
  if (transaction.status === 'error') return [];
  return [...transaction.transfers.map(transferLog), ...vaultLogs(transaction, height), ...(transaction.logs ?? [])];
}

const TRANSFER = event('Transfer(address indexed from, address indexed to, uint256 value)');
const PIECE_TRANSFER = event('Transfer(address indexed from, address indexed to, uint256 indexed tokenId)');
const SINGLE = event(
  'TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
);

function transferLog({ token, from, to, value, tokenId }: Transfer): EmittedLog {
  if (tokenId === null) return emitted(token, TRANSFER, [from, to, String(value ?? 0n)]);
  if (value === null) return emitted(token, PIECE_TRANSFER, [from, to, tokenId]);
  return emitted(token, SINGLE, [from, from, to, tokenId, String(value)]);
}

const { treasury, vault, hot_wallet: hotWallet } = ADDRESSES;
const ADMIN = '0x'.padEnd(66, '0');

/** The events of the vault, one after the other. */
const VAULT_EVENTS: readonly EmittedLog[] = [
  emitted(vault, event('Paused(address account)'), [hotWallet]),
  emitted(vault, event('Unpaused(address account)'), [hotWallet]),
  emitted(vault, event('RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)'), [
    ADMIN,
    CONTRACTS.router,
    treasury,
  ]),
  emitted(vault, event('RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)'), [
    ADMIN,
    CONTRACTS.router,
    treasury,
  ]),
  emitted(vault, event('OwnershipTransferred(address indexed previousOwner, address indexed newOwner)'), [
    treasury,
    CONTRACTS.bridge,
  ]),
  emitted(vault, event('OwnershipTransferred(address indexed previousOwner, address indexed newOwner)'), [
    CONTRACTS.bridge,
    treasury,
  ]),
];

const VAULT_EVERY = 60;

/** One of four blocks has a deposit, so the vault emits one event in `VAULT_EVERY` blocks. */
function vaultLogs({ method, calls }: Transaction, height: number): readonly EmittedLog[] {
  const isDeposit = method === METHODS.deposit && calls.some(({ to }) => to !== null && keyOf(to) === keyOf(vault));
  if (!isDeposit || height % VAULT_EVERY > 3) return [];
  return VAULT_EVENTS.slice(Math.floor(height / VAULT_EVERY) % VAULT_EVENTS.length).slice(0, 1);
}

function event(text: string): EventSignature {
  const parsed = parseEvent(text);
  if ('mistake' in parsed) throw new TypeError(`${text}: ${parsed.mistake.message}`);
  return parsed.signature;
}

/** The log of an event with these values, as a contract writes it. */
export function emitted(address: string, signature: EventSignature, values: readonly string[]): EmittedLog {
  const args = signature.args.map((argument, i) => ({ ...argument, value: values[i] ?? '' }));
  const [indexed, plain] = [args.filter((one) => one.isIndexed), args.filter((one) => !one.isIndexed)];
  const topics = indexed.map(({ type, value }) => `0x${encodeValues([type], [value])}`);
  const data = encodeValues(
    plain.map(({ type }) => type),
    plain.map(({ value }) => value),
  );
  return { address, topics: [topicOf(signature), ...topics], data: `0x${data}` };
}
