import { z } from 'zod';
import { Address } from '../core/values/address.ts';
import { dollarsOf, isPrice } from '../core/values/amount.ts';
import { sourceOf, valueAt, type AnyView, type View } from '../core/values/fields.ts';
import type { DetectedEvent, Detection } from '../core/model/detection.ts';
import type { ClaimContext, Kind, KindAdvice, ListHistory } from '../core/model/watch/kind.ts';
import { Missed } from '../core/model/watch/question.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { Target } from '../core/model/watch/target.ts';
import type { Steps } from '../lib/steps.ts';
import { rawText } from '../lib/untrusted.ts';
import { addressTokenTransfers, addressTransfersOf, blocks, tokenTransfers } from '../explorer/operations.ts';
import { AddressRef } from '../explorer/reading/resources/address.ts';
import { decimalsOf, Token } from '../explorer/reading/resources/token.ts';
import { ListedTransfer } from '../explorer/reading/resources/token-transfer.ts';
import { bothForms, nameOf, SYNTHETIC_DECIMALS, syntheticAddress, syntheticHash } from './synthetic.ts';
import { detailsBy } from './calls/details.ts';
import { coverageOf } from './lists/coverage.ts';
import { numberedRows, readingWhole, type EqualRows } from './lists/equal-rows.ts';
import { eventsOf, NEW_ROW } from './list-events.ts';
import { syntheticBlock, ListState, startingAt, startOption, type StartOption } from './list-state.ts';
import type { ListReading } from './lists/list-reading.ts';
import { readNamed, withRows } from './lists/named-rows.ts';
import { historyOf, placeOf, type RowKey } from './lists/row-key.ts';
import { detectEvents, observeList, writtenReading } from './newest-first-list.ts';
import { transferWording } from './wording/transfers.ts';

type Row = typeof ListedTransfer.fields;
type Transfer = View<Row>;
interface Options extends StartOption {
  readonly direction?: 'in' | 'out' | undefined;
  readonly emitter?: 'any' | undefined;
}

/**
 * The transaction, the content and the number among equal transfers of the transaction identify a transfer, so it stays
 * the same if it is mined again in another block, at another place. A transfer without a block has no identity, since
 * it cannot be distinguished from an old one.
 */
const row: RowKey<Row> = {
  identityOf(transfer) {
    const content = contentOf(transfer);
    const { transaction_hash: hash } = transfer;
    return hash === undefined || content === undefined || transfer.block_number === undefined
      ? undefined
      : `${hash}:${content}:${numberByTransfer.get(transfer) ?? 1}`;
  },
  blockOf: ({ block_number }) => block_number,
  happenedAt: ({ timestamp }) => timestamp,
  cursorFrom: ({ block_number, log_index }) =>
    block_number === undefined || log_index === undefined
      ? null
      : { block_number: `${block_number}`, index: `${log_index}` },
};

/** The number of a transfer among equal ones of its transaction. */
const numberByTransfer = new WeakMap<AnyView, number>();

/** Undefined: the transfer cannot be identified. */
function contentOf({ token, from, to, token_id: piece, raw }: Transfer): string | undefined {
  const ends = [token?.address_hash?.key, from?.hash?.key, to?.hash?.key];
  if (ends.includes(undefined)) return undefined;
  return [...ends, piece === undefined ? '' : rawText(piece), raw ?? ''].join(' ');
}

const TRANSFER_ADVICE: KindAdvice = {
  fields: {},
  doubts: [],
  needs: { direction: { key: 'of', hint: 'Name an address in of.' } },
  claims: {
    unless: ['token.address_hash', 'value_usd'],
    message: 'any contract can emit this; a token that the config does not name is sent as a warning',
    hint: 'Add token.address_hash in tokens.',
  },
};

const ofRow = (view: AnyView): Transfer => view as Transfer;

function equalRows({ address }: Target): EqualRows {
  return {
    transactionOf: (view) => ofRow(view).transaction_hash,
    blockOf: (view) => ofRow(view).block_number,
    blockHashOf(view) {
      const hash = view[sourceOf]?.row['block_hash'];
      return typeof hash === 'string' ? hash : undefined;
    },
    placeOf: (view) => ofRow(view).log_index,
    contentOf: (view) => contentOf(ofRow(view)) ?? '',
    cursorFrom: (view) => row.cursorFrom(ofRow(view)),
    numbered(view, number) {
      const known = directedByRow.get(view);
      const directed = known ?? ListedTransfer.over(view, { direction: directionOf(ofRow(view), address) });
      directedByRow.set(view, directed);
      numberByTransfer.set(directed, number);
      return directed;
    },
    assertUsable(views) {
      if (views.length > 0 && views.every((view) => ofRow(view).block_number === undefined))
        throw new Missed('not-found', 'its token transfers name no block; explorers show it since release 6.9');
    },
  };
}

/** A list is of one address, so each row has one direction. */
const directedByRow = new WeakMap<AnyView, AnyView>();

function directionOf({ from, to }: Transfer, address: Address | null): 'in' | 'out' | 'self' | undefined {
  if (address === null) return undefined;
  const [isFrom, isTo] = [from, to].map((end) => end?.hash?.equals(address) === true);
  if (isFrom) return isTo ? 'self' : 'out';
  return isTo ? 'in' : undefined;
}

export const transfers: Kind<Options, ListState, ListReading<Row>> = {
  name: 'transfers',
  summary: 'Token transfers from and to an address, or of a token.',
  noun: 'transfer',
  fields: ListedTransfer,
  events: { new: NEW_ROW },
  while: null,
  of: 'either',
  token: 'either',
  needsOf: ['direction'],
  fieldOptions: ['emitter'],
  advice: TRANSFER_ADVICE,
  options: z.strictObject({
    ...startOption,
    direction: z
      .enum(['in', 'out'])
      .optional()
      .describe('Only what the address receives, or only what it sends; what it sends to itself is both.'),
    emitter: z.literal('any').optional().describe('Tokens that the config does not name are believed like the others.'),
  }),
  state: ListState,
  comparedByDefault: [],
  shown: [
    'type',
    'direction',
    'amount',
    'token_id',
    'token.address_hash',
    'from.hash',
    'to.hash',
    'transaction_hash',
    'log_index',
    'block_number',
  ],
  fleeting: ['token', 'value_usd', 'method', 'block_number', 'timestamp', 'log_index'],
  placeInBlock: ['log_index'],
  wording: transferWording,
  question,
  head: ({ explorer }) => blocks(explorer),
  page: (_target, view) => pageOf(view),
  async observe(target, state, read, downTo) {
    const before = state ?? startingAt(target.options);
    const whole = readingWhole(read, equalRows(target), target.maxPages);
    const isAsked = (transfer: Transfer): boolean => isAskedFor(target, transfer);
    const options = { ...row, maxPages: target.maxPages, downTo, isAskedFor: isAsked };
    const reading = await observeList(question(target), before, whole, options);
    if (before === null || reading.partial === null) return reading;
    const named = await readNamed(namedQuestions(target), before, whole, options);
    return { ...reading, seen: withRows(reading.seen, named.filter(isAsked)) };
  },
  detect: (target, state, seen, scope): Steps<Detection<ListState>> =>
    detectEvents(state ?? startingAt(target.options), seen, {
      row,
      scope,
      question: question(target),
      toDetection: (list) => eventsOf(list, newTransfer),
    }),
  claimantOf,
  details: detailsBy('transaction_hash'),
  coverage: coverageOf,
  history: { ...historyOf(row), identityOf: (view) => logOf(ofRow(view)) } satisfies ListHistory,
  examples: { resembles: 'raw > 0 && resembles(to.hash, from.hash)' },
  rowsOf: (seen) => seen,
  sourceOf: (path) => (path === 'value_usd' ? 'token.exchange_rate' : path === 'direction' ? null : path),
  script: {
    rows: 'items',
    record: ListedTransfer,
    synthesize(target, { rows }, state) {
      const written = rows.map((one, i) => synthesize(target, one, { state, above: rows.length - i }));
      const numbered = numberedRows<Row>(written, equalRows(target));
      return writtenReading<Row>(numbered.filter((transfer) => isAskedFor(target, transfer)));
    },
  },
};

/**
 * The token that reports a transfer, if the transfer is only a claim of this token; otherwise null. Tokens that the
 * config names are believed. Other tokens are believed only if the rule compares dollars and the explorer shows a price
 * for the token: a made-up token has no price. A transfer of 0 is a claim with every token, because most tokens let
 * anybody move 0 from any address.
 */
function claimantOf(
  { token, options }: Target<Options>,
  view: AnyView,
  { reads, known }: ClaimContext,
): Address | null {
  const { token: moved, raw } = ofRow(view);
  const contract = moved?.address_hash;
  if (contract === undefined) return null;
  if (raw === 0n) return contract;
  if (options.emitter === 'any') return null;
  if (token?.equals(contract) === true || known(contract) !== null) return null;
  const isPriced = isPrice(moved?.exchange_rate) && moved.reputation !== 'scam';
  return isPriced && reads.includes('value_usd') ? null : contract;
}

function newTransfer(transfer: Transfer, novelty: DetectedEvent['novelty']): DetectedEvent {
  const item = {
    key: row.identityOf(transfer) ?? '',
    view: transfer,
    happenedAt: transfer.timestamp?.getTime() ?? null,
  };
  return { on: 'new', ...item, novelty, before: null, changed: [], block: placeOf(row, transfer), slot: null };
}

function question({ explorer, address, token, options }: Target<Options>) {
  if (address !== null) return addressTokenTransfers(explorer, address, sideOf(options));
  if (token === null) throw new TypeError('transfers needs an address or a token');
  return tokenTransfers(explorer, token);
}

/** Anybody can fill the list of an address, but not with transfers of these tokens. */
function namedQuestions({ explorer, address, token, namedTokens, options }: Target<Options>) {
  if (address === null) return [];
  const tokens = token === null ? [...(namedTokens ?? [])] : [token.key];
  return tokens.map((one) => addressTransfersOf(explorer, address, { side: sideOf(options), token: one }));
}

function sideOf({ direction }: Options): 'to' | 'from' | undefined {
  return direction === undefined ? undefined : direction === 'in' ? 'to' : 'from';
}

/** The list of an address contains all tokens. Servers without the filter also send both directions. */
function isAskedFor({ address, token, options: { direction } }: Target<Options>, transfer: Transfer): boolean {
  const contract = transfer.token?.address_hash;
  if (address !== null && token !== null && contract?.equals(token) !== true) return false;
  const own = transfer.direction;
  return direction === undefined || own === undefined || own === 'self' || own === direction;
}

function pageOf(view: AnyView): string | null {
  const hash = valueAt(view, 'transaction_hash');
  return typeof hash === 'string' ? `/tx/${hash}?tab=token_transfers` : null;
}

/** The identity of a row within one reading. */
function logOf({ transaction_hash: hash, log_index: index, token_id: piece }: Transfer): string | undefined {
  if (hash === undefined || index === undefined) return undefined;
  return `${hash}:${index}:${piece === undefined ? '' : rawText(piece)}`;
}

const NOBODY = '0x0000000000000000000000000000000000000000';

function synthesize(
  target: Target<Options>,
  written: SyntheticRow,
  { state, above }: { readonly state: ListState | null; readonly above: number },
): Transfer {
  const transfer = ofRow(written.view);
  const { says } = written;
  const name = nameOf(written);
  const token = syntheticToken(target, transfer);
  const { balance: amount, raw } = bothForms(
    { balance: transfer.amount, raw: transfer.raw },
    new Set([...says].map((path) => (path === 'amount' ? 'balance' : path))),
    decimalsOf(token) ?? SYNTHETIC_DECIMALS,
  );
  const value_usd = says.has('value_usd') ? transfer.value_usd : dollarsOf(amount, token.exchange_rate);
  const ends = endsOf(target, transfer, name);
  const transaction_hash = transfer.transaction_hash ?? syntheticHash(name);
  const log_index = transfer.log_index ?? BigInt(above);
  const named = ListedTransfer.over(transfer, { ...ends, token, amount, raw, value_usd, transaction_hash, log_index });
  const placed = ListedTransfer.over(named, { block_number: transfer.block_number ?? 0n });
  const block = transfer.block_number ?? syntheticBlock(state, row.identityOf(placed), above);
  return ListedTransfer.over(named, { block_number: block });
}

function syntheticToken({ token }: Target, { token: written }: Transfer): View<typeof Token.fields> {
  const made = { address_hash: token ?? syntheticAddress('token'), decimals: SYNTHETIC_DECIMALS };
  if (written === undefined) return Token.make(made);
  const { address_hash = made.address_hash } = written;
  return Token.over(written, { address_hash, decimals: decimalsOf(written) ?? made.decimals });
}

/** An end that the test leaves out is the watched address, if the other end is not. */
function endsOf({ address, options }: Target<Options>, { from, to, direction, type }: Transfer, name: string) {
  const own = address === null ? undefined : AddressRef.make({ hash: address });
  const isOut = (direction ?? options.direction ?? (to === undefined ? 'in' : 'out')) !== 'in';
  const other = AddressRef.make({ hash: syntheticAddress(`${name} other end`) });
  const nobody = AddressRef.make({ hash: Address.parse(NOBODY) });
  return {
    from: from ?? (type === 'token_minting' ? nobody : isOut || direction === 'self' ? (own ?? other) : other),
    to: to ?? (type === 'token_burning' ? nobody : isOut && direction !== 'self' ? other : (own ?? other)),
  };
}
