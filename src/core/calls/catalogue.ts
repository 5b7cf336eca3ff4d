// Functions that rules can name without their signature. A name has every layout that is in use.
import { nameIn, parseSignature, selectorOf, type Signature } from '../../lib/abi/signature.ts';

/** A function with the name that rules and messages give it. */
export interface NamedFunction {
  readonly name: string;
  readonly signature: Signature;
}

const OWNERSHIP = [
  'transferOwnership(address newOwner)',
  'renounceOwnership()',
  'acceptOwnership()',
  'claimOwnership()',
  'setOwner(address newOwner)',
  'changeOwner(address newOwner)',
  'setAuthority(address newAuthority)',
  'setPendingAdmin(address newAdmin)',
  'acceptAdmin()',
  'requestOwnershipHandover()',
  'cancelOwnershipHandover()',
  'completeOwnershipHandover(address pendingOwner)',
  'beginDefaultAdminTransfer(address newAdmin)',
  'acceptDefaultAdminTransfer()',
  'cancelDefaultAdminTransfer()',
  'changeDefaultAdminDelay(uint48 newDelay)',
  'rollbackDefaultAdminDelay()',
];

const ROLES = [
  'grantRole(bytes32 role, address account)',
  'grantRole(uint64 roleId, address account, uint32 executionDelay)',
  'revokeRole(bytes32 role, address account)',
  'revokeRole(uint64 roleId, address account)',
  'renounceRole(bytes32 role, address account)',
  'renounceRole(uint64 roleId, address account)',
  'grantRoles(address user, uint256 roles)',
  'revokeRoles(address user, uint256 roles)',
  'renounceRoles(uint256 roles)',
  'setRoleAdmin(uint64 roleId, uint64 adminId)',
  'setRoleGuardian(uint64 roleId, uint64 guardianId)',
  'setTargetFunctionRole(address target, bytes4[] selectors, uint64 roleId)',
  'setTargetClosed(address target, bool closed)',
  'addMinter(address account)',
  'removeMinter(address account)',
  'configureMinter(address minter, uint256 minterAllowedAmount)',
  'blacklist(address account)',
  'unBlacklist(address account)',
];

const PAUSE = ['pause()', 'unpause()', 'setPaused(bool paused)'];

const PROXIES = [
  'upgradeTo(address newImplementation)',
  'upgradeToAndCall(address newImplementation, bytes data)',
  'upgradeBeaconToAndCall(address newBeacon, bytes data)',
  'upgrade(address proxy, address implementation)',
  'upgradeAndCall(address proxy, address implementation, bytes data)',
  'changeAdmin(address newAdmin)',
  'changeProxyAdmin(address proxy, address newAdmin)',
  'setImplementation(address newImplementation)',
  'diamondCut((address facetAddress, uint8 action, bytes4[] functionSelectors)[] cuts, address init, bytes data)',
];

const TOKENS = [
  'transfer(address to, uint256 value)',
  'transferFrom(address from, address to, uint256 value)',
  'approve(address spender, uint256 value)',
  'increaseAllowance(address spender, uint256 addedValue)',
  'decreaseAllowance(address spender, uint256 subtractedValue)',
  'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
  'mint(address to, uint256 value)',
  'burn(uint256 value)',
  'burn(address account, uint256 value)',
  'burnFrom(address account, uint256 value)',
  'deposit()',
  'deposit(uint256 value)',
  'deposit(uint256 assets, address receiver)',
  'mint(uint256 shares, address receiver)',
  'withdraw(uint256 value)',
  'withdraw(uint256 assets, address receiver, address owner)',
  'redeem(uint256 shares)',
  'redeem(uint256 shares, address receiver, address owner)',
  'safeTransferFrom(address from, address to, uint256 tokenId)',
  'safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
  'safeTransferFrom(address from, address to, uint256 tokenId, uint256 value, bytes data)',
  'safeBatchTransferFrom(address from, address to, uint256[] tokenIds, uint256[] values, bytes data)',
  'setApprovalForAll(address operator, bool approved)',
];

const PERMIT2 = [
  'approve(address token, address spender, uint160 value, uint48 expiration)',
  'permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) permitSingle, bytes signature)',
  'transferFrom(address from, address to, uint160 value, address token)',
  'lockdown((address token, address spender)[] approvals)',
  'invalidateNonces(address token, address spender, uint48 newNonce)',
];

const SAFE = [
  'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
  'execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation)',
  'execTransactionFromModuleReturnData(address to, uint256 value, bytes data, uint8 operation)',
  'multiSend(bytes transactions)',
  'approveHash(bytes32 hashToApprove)',
  'addOwnerWithThreshold(address owner, uint256 threshold)',
  'removeOwner(address prevOwner, address owner, uint256 threshold)',
  'swapOwner(address prevOwner, address oldOwner, address newOwner)',
  'changeThreshold(uint256 threshold)',
  'enableModule(address module)',
  'disableModule(address prevModule, address module)',
  'setGuard(address guard)',
  'setModuleGuard(address moduleGuard)',
  'setFallbackHandler(address handler)',
  'changeMasterCopy(address masterCopy)',
];

const GOVERNOR = [
  'propose(address[] targets, uint256[] values, bytes[] calldatas, string description)',
  'propose(address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, string description)',
  'castVote(uint256 proposalId, uint8 support)',
  'castVoteWithReason(uint256 proposalId, uint8 support, string reason)',
  'castVoteWithReasonAndParams(uint256 proposalId, uint8 support, string reason, bytes params)',
  'queue(uint256 proposalId)',
  'queue(address[] targets, uint256[] values, bytes[] calldatas, bytes32 descriptionHash)',
  'execute(uint256 proposalId)',
  'execute(address[] targets, uint256[] values, bytes[] calldatas, bytes32 descriptionHash)',
  'cancel(uint256 proposalId)',
  'cancel(address[] targets, uint256[] values, bytes[] calldatas, bytes32 descriptionHash)',
  'delegate(address delegatee)',
  'relay(address target, uint256 value, bytes data)',
  'setVotingDelay(uint48 newVotingDelay)',
  'setVotingDelay(uint256 newVotingDelay)',
  'setVotingPeriod(uint32 newVotingPeriod)',
  'setVotingPeriod(uint256 newVotingPeriod)',
  'setProposalThreshold(uint256 newProposalThreshold)',
  'updateQuorumNumerator(uint256 newQuorumNumerator)',
  'updateTimelock(address newTimelock)',
];

const TIMELOCK = [
  'schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)',
  'schedule(address target, bytes data, uint48 when)',
  'scheduleBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt, uint256 delay)',
  'execute(address target, uint256 value, bytes payload, bytes32 predecessor, bytes32 salt)',
  'execute(address target, bytes data)',
  'executeBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt)',
  'cancel(bytes32 id)',
  'updateDelay(uint256 newDelay)',
  'queueTransaction(address target, uint256 value, string signature, bytes data, uint256 eta)',
  'executeTransaction(address target, uint256 value, string signature, bytes data, uint256 eta)',
  'cancelTransaction(address target, uint256 value, string signature, bytes data, uint256 eta)',
  'setDelay(uint256 newDelay)',
];

/** The calls of an account in one list: `executeBatch`, and the batch of ERC-7579. */
export const BATCH = 'executeBatch((address target, uint256 value, bytes data)[] batch)';

const ACCOUNTS = [
  'execute(address target, uint256 value, bytes data)',
  'execute(bytes32 mode, bytes executionCalldata)',
  'executeBatch(address[] targets, bytes[] payloads)',
  'executeBatch(address[] targets, uint256[] values, bytes[] payloads)',
  BATCH,
];

const MULTICALL = [
  'multicall(bytes[] data)',
  'multicall(uint256 deadline, bytes[] data)',
  'aggregate3((address target, bool allowFailure, bytes callData)[] calls)',
];

export const CATALOGUE: readonly string[] = [
  ...OWNERSHIP,
  ...ROLES,
  ...PAUSE,
  ...PROXIES,
  ...TOKENS,
  ...PERMIT2,
  ...SAFE,
  ...GOVERNOR,
  ...TIMELOCK,
  ...ACCOUNTS,
  ...MULTICALL,
];

/** Functions that use a contract and do not change who controls it. Only the order of calls in messages depends on it. */
const EVERYDAY: ReadonlySet<string> = new Set([
  ...[...TOKENS, ...PERMIT2].map(nameIn),
  'approveHash',
  'propose',
  'castVote',
  'castVoteWithReason',
  'castVoteWithReasonAndParams',
  'queue',
  'cancel',
  'delegate',
  'queueTransaction',
  'cancelTransaction',
]);

const BY_NAME: ReadonlyMap<string, readonly string[]> = Map.groupBy(CATALOGUE, nameIn);

/** `transfer`, `approve`: each name once. */
export const CATALOGUE_NAMES: readonly string[] = [...BY_NAME.keys()];

/** The signatures of a name; empty if the catalogue does not have it. */
export function signaturesOf(name: string): readonly string[] {
  return BY_NAME.get(name) ?? [];
}

/** The function of a selector: `knownFunction('0x8456cb59')?.name // 'pause'`. */
export function knownFunction(selector: string): NamedFunction | undefined {
  bySelector ??= new Map(CATALOGUE.map(entryOf));
  return bySelector.get(selector);
}

/** The function changes or uses the control of a contract: `transferOwnership`, `pause`, `execute`. False if it is not known. */
export function isAdministrative(selector: string): boolean {
  const called = knownFunction(selector);
  return called !== undefined && !EVERYDAY.has(called.name);
}

// Made on first use: hashing the signatures takes some milliseconds.
let bySelector: ReadonlyMap<string, NamedFunction> | undefined;

function entryOf(text: string): readonly [string, NamedFunction] {
  const named = { name: nameIn(text), signature: signatureOf(text) };
  return [selectorOf(named.signature), named];
}

/** A signature that was read before, so it has no mistake. */
export function signatureOf(text: string): Signature {
  const parsed = parseSignature(text);
  if ('mistake' in parsed) throw new TypeError(`${text}: ${parsed.mistake.message}`);
  return parsed.signature;
}
