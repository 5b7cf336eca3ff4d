// The meaning of answers to calls. A revert is an answer of the contract; a refusal is one of the explorer.
import { argumentValue } from '../../core/calls/argument-fields.ts';
import { Missed, type Page, type Read } from '../../core/model/watch/question.ts';
import { valueAt } from '../../core/values/fields.ts';
import { NO_CALLS } from '../../explorer/reading/resources/rpc-answer.ts';
import { decodeArguments, LARGEST_DATA } from '../../lib/abi/decode.ts';
import type { Argument } from '../../lib/abi/types.ts';
import { plain, rawText, type Untrusted } from '../../lib/untrusted.ts';
import { BLOCK, type AskedCalls } from './calls.ts';
import { blocksText, outputsOf, valueType, type ReadSpec } from './option.ts';

export type Answer =
  | { readonly type: 'value'; readonly hex: string }
  | { readonly type: 'reverted' }
  /** The node behind the explorer could not answer. */
  | { readonly type: 'failed'; readonly why: string }
  /** The explorer does not pass the call on. */
  | { readonly type: 'refused'; readonly why: string };

export type Answers = ReadonlyMap<string, Answer>;

const MOST_SHOWN = 120;

/** Asks one request after the other, and returns the answers to each. */
export async function askAll(asked: readonly AskedCalls[], read: Read): Promise<readonly Answers[]> {
  const parts: Answers[] = [];
  for (const { question, names } of asked) {
    const page = await read.page(question, null);
    parts.push(new Map(names.map((name, i) => [name, answerIn(page, i)])));
  }
  return parts;
}

/**
 * Throws `Missed` if no call for a value has an answer. The answer with the newest block is not enough, since the
 * explorer knows this block without its node. `at`: the block of the calls, if it is not the newest one.
 */
export function assertAnswered(parts: readonly Answers[], at: BlockBelow | null): void {
  const values = parts.flatMap((part) => [...part].flatMap(([name, answer]) => (name === BLOCK ? [] : [answer])));
  const missing = values.filter((answer) => 'why' in answer);
  if (missing.length === 0 || missing.length < values.length) return;
  assertNotRefused(missing);
  const failed = missing.find(({ type }) => type === 'failed');
  throw new Missed('server-error', `the node behind the explorer failed${placeText(at)}: ${failed?.why ?? ''}`);
}

/** Throws `Missed` if the explorer refuses all of these calls. */
export function assertNotRefused(answers: readonly Answer[]): void {
  const refused = answers.flatMap((answer) => (answer.type === 'refused' ? [answer.why] : []));
  const [why] = refused;
  if (why !== undefined && refused.length === answers.length)
    throw new Missed('wrong-path', `the explorer ${NO_CALLS} (${why})`);
}

/** A block that is `confirmations` below the newest one. */
export interface BlockBelow {
  readonly height: number;
  readonly confirmations: number;
}

/** ` at block 88, 12 blocks below the newest` */
function placeText(at: BlockBelow | null): string {
  return at === null ? '' : ` at block ${at.height}, ${blocksText(at.confirmations)} below the newest`;
}

function answerIn({ rows }: Page, id: number): Answer {
  const [row, ...others] = rows.filter((one) => valueAt(one, 'id') === BigInt(id));
  if (row === undefined) return { type: 'failed', why: 'no answer' };
  if (others.length > 0) return { type: 'failed', why: 'several answers' };
  const result = valueAt(row, 'result');
  if (result !== undefined) return { type: 'value', hex: rawText(result as Untrusted) };
  if (valueAt(row, 'is_revert') === true) return { type: 'reverted' };
  const message = valueAt(row, 'error_message');
  const why = message === undefined ? 'no reason' : plain(message as Untrusted, MOST_SHOWN);
  return { type: valueAt(row, 'is_refusal') === true ? 'refused' : 'failed', why };
}

/** Why a name has no value. */
export type Lack = 'reverted' | 'no-code' | 'misfit' | 'failed' | 'refused' | 'no-decimals';

export interface ValueOf {
  /** In the form in which an explorer would send it; undefined: unknown. */
  readonly raw: unknown;
  readonly lack: Lack | null;
}

/** `units`: a number of decimals, or the address of a token. `decimalsOf`: undefined: unknown. */
export function valueOf(
  { spec, units }: { readonly spec: ReadSpec; readonly units: string | null },
  answer: Answer | undefined,
  decimalsOf: (token: string) => number | undefined,
): ValueOf {
  if (answer?.type !== 'value') return lacking(answer?.type ?? 'failed');
  const isWord = /^0x[0-9a-f]{1,64}$/.test(answer.hex);
  if (spec.type === 'balance') return known(isWord ? BigInt(answer.hex).toString() : undefined);
  const outputs = outputsOf(spec);
  if (spec.type === 'slot') return known(isWord ? decoded(outputs, wordOf(answer.hex), null) : undefined);
  if (answer.hex === '0x') return lacking('no-code');
  const decimals = units === null ? null : units.startsWith('0x') ? decimalsOf(units) : Number(units);
  const value = known(decoded(outputs, answer.hex, decimals ?? null));
  return decimals === undefined && value.lack === null ? lacking('no-decimals') : value;
}

/** The decimals that a token answers; undefined: unknown. */
export function decimalsIn(answer: Answer | undefined): number | undefined {
  if (answer?.type !== 'value') return undefined;
  const decimals = decoded([{ name: 'value', type: { type: 'integer', bits: 8, isSigned: false } }], answer.hex, null);
  return typeof decimals === 'string' && Number(decimals) <= MOST_DECIMALS ? Number(decimals) : undefined;
}

const MOST_DECIMALS = 77;

function lacking(lack: Lack): ValueOf {
  return { raw: undefined, lack };
}

function known(raw: unknown): ValueOf {
  return { raw, lack: raw === undefined ? 'misfit' : null };
}

/** Longer texts are unknown: every value is remembered. */
const LONGEST_TEXT = 4096;

function decoded(outputs: readonly Argument[], hex: string, decimals: number | null): unknown {
  if (hex.length % 2 === 1 || hex.length > 2 + LARGEST_DATA * 2) return undefined;
  const values = decodeArguments(outputs, Buffer.from(hex.slice(2), 'hex'));
  const value = outputs.length === 1 ? values?.[0] : values;
  const raw = value === undefined || value === null ? undefined : argumentValue(valueType(outputs), value, decimals);
  return typeof raw === 'string' && raw.length > LONGEST_TEXT ? undefined : raw;
}

/** Nodes write a word with or without its leading zeros. */
function wordOf(hex: string): string {
  return `0x${hex.slice(2).padStart(64, '0')}`;
}
