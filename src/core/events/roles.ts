// Names of roles. Events have only the hash of the name.
import { keccak_256 } from '@noble/hashes/sha3.js';

const NAMES = [
  'MINTER_ROLE',
  'BURNER_ROLE',
  'PAUSER_ROLE',
  'UNPAUSER_ROLE',
  'UPGRADER_ROLE',
  'PROPOSER_ROLE',
  'EXECUTOR_ROLE',
  'CANCELLER_ROLE',
  'TIMELOCK_ADMIN_ROLE',
  'ADMIN_ROLE',
  'OPERATOR_ROLE',
  'MANAGER_ROLE',
  'GOVERNOR_ROLE',
  'GUARDIAN_ROLE',
  'KEEPER_ROLE',
  'SNAPSHOT_ROLE',
  'RELAYER_ROLE',
  'BLACKLISTER_ROLE',
  'WITHDRAWER_ROLE',
];

const ADMIN_OF_ALL = `0x${'0'.repeat(64)}`;

/** `roleName('0x9f2d…56a6') // 'MINTER_ROLE'`; undefined for a role that is not known here. */
export function roleName(role: string): string | undefined {
  nameByHash ??= new Map([[ADMIN_OF_ALL, 'DEFAULT_ADMIN_ROLE'], ...NAMES.map((name) => [hashOf(name), name] as const)]);
  return nameByHash.get(role.toLowerCase());
}

// Made on first use, as hashing takes a millisecond.
let nameByHash: ReadonlyMap<string, string> | undefined;

function hashOf(name: string): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(name, 'ascii'))).toString('hex')}`;
}
