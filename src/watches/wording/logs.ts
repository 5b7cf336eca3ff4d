// Words for events of contracts: `vault was paused by admin`.
import { isTopic } from '../../core/events/catalogue.ts';
import { roleName } from '../../core/events/roles.ts';
import { Address, shortHex } from '../../core/values/address.ts';
import { Amount } from '../../core/values/amount.ts';
import { exactOf, valueAt } from '../../core/values/fields.ts';
import { isUnlimited } from '../../core/values/unlimited.ts';
import type {
  EventOccasion,
  KindWording,
  Sentence,
  WatchNames,
  WordingContext,
} from '../../core/model/watch/wording.ts';
import { addressWords, onPlace, ownValue, plainWording, textAt } from '../../core/wording/values.ts';
import { capital, lineOf, showAmount, showSpan } from '../../core/wording/words.ts';
import { Transaction } from '../../explorer/reading/resources/transaction.ts';
import { rawText } from '../../lib/untrusted.ts';
import { argumentLimit, argumentLine, shownArguments } from './arguments.ts';
import { wrappedWords } from './calls.ts';
import { blockWords } from './moves.ts';

export const logWording: KindWording = {
  ...plainWording({ noun: 'event' }),
  items: ({ of, explorer }) => ({ one: `event of ${of ?? explorer}`, noun: `${of ?? explorer} event` }),
  place: ({ view }) => blockWords(view, 'transaction_hash').join(', '),
  event: eventSentence,
};

function eventSentence(occasion: EventOccasion): Sentence {
  const { names, view } = occasion;
  const place = blockWords(view, 'transaction_hash').join(', ');
  const line = [...argumentLine(occasion), ...(place === '' ? [] : [{ text: `${capital(place)}.` }])];
  const subject = subjectOf(occasion);
  const shown = shownArguments(view).flatMap((path) => [path, path.replace('args.', 'raw.')]);
  return {
    title: `${subject}${onPlace(names)}${argumentLimit(occasion, subject)}`,
    detail: null,
    measured: null,
    lines: [...scheduledLine(occasion), ...(line.length === 0 ? [] : [line])],
    shows: ['event', 'address', 'block_number', 'transaction_hash', ...shown],
  };
}

/** Events with a call in `target` and `data`. */
const OF_CALLS: ReadonlySet<unknown> = new Set(['CallScheduled', 'CallExecuted', 'OperationScheduled']);

/** `Written in the event: transferOwnership on vault.` Empty if the config does not name the address. */
function scheduledLine({ names, view }: EventOccasion): Sentence['lines'] {
  const [to, data, value] = [valueAt(view, 'args.target'), textAt(view, 'args.data'), valueAt(view, 'args.value')];
  if (!OF_CALLS.has(valueAt(view, 'event')) || !(to instanceof Address) || data === undefined) return [];
  const call = { to, data: rawText(data), value: typeof value === 'bigint' ? value : 0n, isDelegated: false };
  const words = wrappedWords(names, call, Transaction);
  return lineOf(words === null ? null : `Written in the event: ${words}.`);
}

/** Makes the words of an event; null if the event lacks an argument that they contain. */
type Words = (event: EventWords) => string | null;

interface EventWords {
  readonly of: string;
  /** The value of an argument; null if it is unknown, or text from the chain. */
  readonly arg: (name: string) => string | null;
  readonly context: Pick<WordingContext, 'names' | 'view'>;
}

const isNow =
  (what: string, argument: string, former: string): Words =>
  ({ of, arg }) => {
    const [now, was] = [arg(argument), arg(former)];
    return now === null ? null : `${what} of ${of} is now ${now}${was === null ? '' : `, was ${was}`}`;
  };

/** `{account}` stands for an argument, `{of}` for the contract. */
const saying =
  (text: string): Words =>
  ({ of, arg }) => {
    const valueOf = (name: string): string | null => (name === 'of' ? of : arg(name));
    const isKnown = [...text.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => valueOf(name) !== null);
    return isKnown ? text.replace(/\{(\w+)\}/g, (_all, name: string) => valueOf(name) ?? '') : null;
  };

const WORDS: Readonly<Record<string, Words>> = {
  Paused: saying('{of} was paused by {account}'),
  Unpaused: saying('{of} was unpaused by {account}'),
  Pause: saying('{of} was paused'),
  Unpause: saying('{of} was unpaused'),
  OwnershipTransferred: isNow('owner', 'newOwner', 'previousOwner'),
  OwnershipTransferStarted: saying('{of} offers its ownership to {newOwner}'),
  RoleGranted: (event) => roleWords(event, 'got', 'from'),
  RoleRevoked: (event) => roleWords(event, 'lost', 'by'),
  Upgraded: saying('{of} upgraded to {implementation}'),
  BeaconUpgraded: saying('{of} upgraded to beacon {beacon}'),
  AdminChanged: isNow('admin', 'newAdmin', 'previousAdmin'),
  Approval: approvalWords,
  ApprovalForAll: approvalForAllWords,
  AddedOwner: saying('{owner} is an owner of {of} now'),
  RemovedOwner: saying('{owner} is no owner of {of} any more'),
  ChangedThreshold: ({ of, arg }) => {
    const threshold = arg('threshold');
    return threshold === null ? null : `${of} needs ${threshold} signature${threshold === '1' ? '' : 's'} now`;
  },
  ExecutionFailure: saying('{of} executed a transaction that failed'),
  ProposalCreated: saying('new proposal of {proposer} to {of}'),
  CallScheduled: scheduledWords,
};

function subjectOf({ names, view }: EventOccasion): string {
  const event = ownValue({ names, view }, 'event');
  const emitter = valueAt(view, 'address');
  // The emitter may be a token of the config. `names.of` is the name of the watched address only.
  const named = emitter instanceof Address ? names.known(emitter) : null;
  const of = named ?? names.of ?? (emitter instanceof Address ? addressWords(names, emitter) : names.explorer);
  if (event === undefined) return `${of} emitted an event`;
  const arg = (name: string): string | null => argumentOf(names, { names, view }, name);
  const words = Object.hasOwn(WORDS, event) ? WORDS[event] : undefined;
  return words?.({ of, arg, context: { names, view } }) ?? `${of} emitted ${isTopic(event) ? shortHex(event) : event}`;
}

const ZERO = `0x${'0'.repeat(40)}`;

function argumentOf(names: WatchNames, { view }: Pick<WordingContext, 'names' | 'view'>, name: string): string | null {
  const value = valueAt(view, `args.${name}`);
  // Other addresses may have the same short form as the zero address.
  if (value instanceof Address && value.key === ZERO) return names.known(value) ?? 'the zero address';
  if (value instanceof Address) return addressWords(names, value);
  return ownValue({ names, view }, `args.${name}`) ?? null;
}

function roleWords({ of, arg, context: { view } }: EventWords, verb: string, by: string): string | null {
  const [account, sender] = [arg('account'), arg('sender')];
  const hash = valueAt(view, 'args.role');
  const id = arg('roleId');
  const role =
    typeof hash === 'string' ? (roleName(hash) ?? `role ${arg('role') ?? ''}`) : id === null ? null : `role ${id}`;
  if (account === null || role === null) return null;
  return `${account} ${verb} ${role} on ${of}${sender === null ? '' : `, ${by} ${sender}`}`;
}

/** `treasury approved 0x3c54…b3AB to spend 5,000 USDC`: the contract is the token. */
function approvalWords({ of, arg, context: { view } }: EventWords): string | null {
  const [owner, spender] = [arg('owner'), arg('spender')];
  const value = valueAt(view, 'args.value');
  const raw = exactOf(valueAt(view, 'raw.value') ?? value);
  if (owner === null || spender === null || raw === undefined) return null;
  const approved = `${owner} approved ${spender} to spend`;
  if (isUnlimited(raw)) return `${approved} ${of} without limit`;
  return value instanceof Amount
    ? `${approved} ${showAmount(value)} ${of}`
    : `${approved} ${of}, value ${arg('value') ?? ''}`;
}

function approvalForAllWords({ of, arg, context: { view } }: EventWords): string | null {
  const [owner, operator] = [arg('owner'), arg('operator')];
  const approved = valueAt(view, 'args.approved');
  if (owner === null || operator === null || typeof approved !== 'boolean') return null;
  return approved
    ? `${owner} approved ${operator} for all ${of}`
    : `${owner} ended the approval of ${operator} for all ${of}`;
}

function scheduledWords({ of, arg, context: { view } }: EventWords): string | null {
  const target = arg('target');
  const delay = valueAt(view, 'args.delay');
  if (target === null) return null;
  const isSpan = typeof delay === 'bigint' && delay <= LONGEST_DELAY_S;
  return `${of} scheduled a call to ${target}${isSpan ? `, executable in ${showSpan(Number(delay) * 1000)}` : ''}`;
}

const LONGEST_DELAY_S = 315_576_000n;
