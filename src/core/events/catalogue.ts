// Events that rules can name without their signature. A name has every layout that is in use: contracts differ in the
// arguments that they index, and the first topic does not show it.
import { nameIn, parseEvent, topicOf, type EventSignature } from '../../lib/abi/signature.ts';

/** An event with the name that rules and messages give it. */
export interface NamedEvent {
  readonly name: string;
  readonly signature: EventSignature;
}

const OWNERSHIP = [
  'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'OwnershipTransferred(address previousOwner, address newOwner)',
  'OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)',
  'OwnershipHandoverRequested(address indexed pendingOwner)',
  'OwnershipHandoverCanceled(address indexed pendingOwner)',
  'OwnerUpdated(address indexed user, address indexed newOwner)',
  'AuthorityUpdated(address indexed user, address indexed newAuthority)',
  'AuthorityUpdated(address authority)',
  'LogSetOwner(address indexed owner)',
  'LogSetAuthority(address indexed authority)',
  'NewOwner(address indexed previousOwner, address indexed newOwner)',
  'NewAdmin(address indexed newAdmin)',
  'NewPendingAdmin(address indexed newPendingAdmin)',
  'DefaultAdminTransferScheduled(address indexed newAdmin, uint48 acceptSchedule)',
  'DefaultAdminTransferCanceled()',
  'DefaultAdminDelayChangeScheduled(uint48 newDelay, uint48 effectSchedule)',
  'DefaultAdminDelayChangeCanceled()',
];

const ROLES = [
  'RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
  'RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)',
  'RoleGranted(uint64 indexed roleId, address indexed account, uint32 delay, uint48 since, bool newMember)',
  'RoleRevoked(uint64 indexed roleId, address indexed account)',
  'RolesUpdated(address indexed user, uint256 indexed roles)',
  'TargetFunctionRoleUpdated(address indexed target, bytes4 selector, uint64 indexed roleId)',
  'TargetClosed(address indexed target, bool closed)',
  'OperationScheduled(bytes32 indexed operationId, uint32 indexed nonce, uint48 schedule, address caller, address target, bytes data)',
  'OperationExecuted(bytes32 indexed operationId, uint32 indexed nonce)',
  'OperationCanceled(bytes32 indexed operationId, uint32 indexed nonce)',
  'MinterAdded(address indexed account)',
  'MinterRemoved(address indexed account)',
  'MinterConfigured(address indexed minter, uint256 minterAllowedAmount)',
  'Blacklisted(address indexed account)',
  'UnBlacklisted(address indexed account)',
];

const PAUSE = ['Paused(address account)', 'Unpaused(address account)', 'Pause()', 'Unpause()'];

const PROXIES = [
  'Upgraded(address indexed implementation)',
  'Upgraded(address implementation)',
  'Upgraded(string version, address indexed implementation)',
  'BeaconUpgraded(address indexed beacon)',
  'AdminChanged(address previousAdmin, address newAdmin)',
  'Initialized(uint64 version)',
  'Initialized(uint8 version)',
  'ProxyUpdated(address indexed newImplementation, address indexed oldImplementation)',
  'ProxyOwnerUpdate(address newOwner, address oldOwner)',
  'NewImplementation(address indexed oldImplementation, address indexed newImplementation)',
  'DiamondCut((address facetAddress, uint8 action, bytes4[] functionSelectors)[] cuts, address init, bytes data)',
];

const TOKENS = [
  'Transfer(address indexed from, address indexed to, uint256 value)',
  'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'Approval(address indexed owner, address indexed spender, uint256 value)',
  'Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
  'ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'URI(string value, uint256 indexed id)',
  'Deposit(address indexed dst, uint256 wad)',
  'Withdrawal(address indexed src, uint256 wad)',
  'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
  'Mint(address indexed minter, address indexed to, uint256 amount)',
  'Burn(address indexed burner, uint256 amount)',
];

const PERMIT2 = [
  'Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration)',
  'Permit(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration, uint48 nonce)',
  'Lockdown(address indexed owner, address token, address spender)',
];

const SAFE = [
  'SafeSetup(address indexed initiator, address[] owners, uint256 threshold, address initializer, address fallbackHandler)',
  'AddedOwner(address indexed owner)',
  'AddedOwner(address owner)',
  'RemovedOwner(address indexed owner)',
  'RemovedOwner(address owner)',
  'ChangedThreshold(uint256 threshold)',
  'EnabledModule(address indexed module)',
  'EnabledModule(address module)',
  'DisabledModule(address indexed module)',
  'DisabledModule(address module)',
  'ChangedGuard(address indexed guard)',
  'ChangedGuard(address guard)',
  'ChangedFallbackHandler(address indexed handler)',
  'ChangedFallbackHandler(address handler)',
  'ChangedMasterCopy(address singleton)',
  'ExecutionSuccess(bytes32 indexed txHash, uint256 payment)',
  'ExecutionSuccess(bytes32 txHash, uint256 payment)',
  'ExecutionFailure(bytes32 indexed txHash, uint256 payment)',
  'ExecutionFailure(bytes32 txHash, uint256 payment)',
  'ExecutionFromModuleSuccess(address indexed module)',
  'ExecutionFromModuleFailure(address indexed module)',
  'ApproveHash(bytes32 indexed approvedHash, address indexed owner)',
  'SafeReceived(address indexed sender, uint256 value)',
];

const GOVERNOR = [
  'ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description)',
  'ProposalQueued(uint256 proposalId, uint256 etaSeconds)',
  'ProposalExecuted(uint256 proposalId)',
  'ProposalCanceled(uint256 proposalId)',
  'VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)',
  'VotingDelaySet(uint256 oldVotingDelay, uint256 newVotingDelay)',
  'VotingPeriodSet(uint256 oldVotingPeriod, uint256 newVotingPeriod)',
  'ProposalThresholdSet(uint256 oldProposalThreshold, uint256 newProposalThreshold)',
  'QuorumNumeratorUpdated(uint256 oldQuorumNumerator, uint256 newQuorumNumerator)',
  'TimelockChange(address oldTimelock, address newTimelock)',
];

const TIMELOCK = [
  'CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)',
  'CallExecuted(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data)',
  'CallSalt(bytes32 indexed id, bytes32 salt)',
  'Cancelled(bytes32 indexed id)',
  'MinDelayChange(uint256 oldDuration, uint256 newDuration)',
  'QueueTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)',
  'ExecuteTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)',
  'CancelTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)',
  'NewDelay(uint256 indexed newDelay)',
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
];

const BY_NAME: ReadonlyMap<string, readonly string[]> = Map.groupBy(CATALOGUE, nameIn);

/** Names of events that say who controls a contract, or which code it runs. */
export const CONTROL_EVENTS: ReadonlySet<string> = new Set([
  ...[...OWNERSHIP, ...ROLES, ...PROXIES].map(nameIn),
  'AddedOwner',
  'RemovedOwner',
  'ChangedThreshold',
  'EnabledModule',
  'DisabledModule',
  'ChangedGuard',
  'ChangedFallbackHandler',
  'ChangedMasterCopy',
  'TimelockChange',
]);

/** `Transfer`, `Paused`: each name once. */
export const CATALOGUE_NAMES: readonly string[] = [...BY_NAME.keys()];

/** The signatures of a name; empty if the catalogue does not have it. */
export function eventsNamed(name: string): readonly string[] {
  return BY_NAME.get(name) ?? [];
}

/** True for the first topic of an event, in lower case. */
export function isTopic(text: string): boolean {
  return /^0x[0-9a-f]{64}$/.test(text);
}

/** The known layouts of the events with this first topic. */
export function knownLayouts(topic: string): readonly EventSignature[] {
  byTopic ??= Map.groupBy(CATALOGUE.map(eventOf), topicOf);
  return byTopic.get(topic) ?? [];
}

// Made on first use: hashing the signatures takes some milliseconds.
let byTopic: ReadonlyMap<string, readonly EventSignature[]> | undefined;

/** A signature, or a topic, that was read before, so it has no mistake. */
export function eventOf(text: string): EventSignature {
  if (isTopic(text)) return { name: text, args: [], topic: text };
  const parsed = parseEvent(text);
  if ('mistake' in parsed) throw new TypeError(`${text}: ${parsed.mistake.message}`);
  return parsed.signature;
}
