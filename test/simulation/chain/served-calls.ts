// Calls of contracts as they are asked and answered, read from the bytes by hand: see served-rows.ts.
import type { Answer, Facts } from '../model.ts';
import { COINS, functionAt, slotAt, valueIn, type Answered } from './values.ts';

/** `aggregate3` of a contract that makes several calls in one. */
const JOINING = '0x82ad56cb';
/** `getEthBalance` of the same contract. */
const COINS_OF = '0x4d2301cc';
const BLOCK: Answered = { name: 'block', as: 'number' };

/** A call that is asked for; several where they are joined in one. `isExact`: the answer has whole words. */
interface AskedCall {
  readonly values: readonly Answered[];
  readonly isJoined: boolean;
  readonly isExact: boolean;
}

/** A request for several calls. */
export interface AskedCalls {
  readonly calls: readonly AskedCall[];
  /** The block of which they are asked; null: the newest one. */
  readonly height: number | null;
}

/** Names of values that are asked below the newest block. */
const BELOW = 'deep ';

/** `body`: as it was posted. */
export function askedCalls(body: string): AskedCalls {
  const requests = JSON.parse(body) as readonly { method: string; params: readonly unknown[] }[];
  const tags = requests.flatMap(({ method, params }) => (method === 'eth_blockNumber' ? [] : [String(params.at(-1))]));
  const [tag = 'latest'] = tags;
  return { calls: requests.map(callOf), height: tag === 'latest' ? null : Number(tag) };
}

function callOf({ method, params }: { readonly method: string; readonly params: readonly unknown[] }): AskedCall {
  const alone = (value: Answered, isExact: boolean): AskedCall => ({ values: [value], isJoined: false, isExact });
  switch (method) {
    case 'eth_blockNumber':
      return alone(BLOCK, false);
    case 'eth_getBalance':
      return alone(COINS, false);
    case 'eth_getStorageAt':
      return alone(slotAt(String(params[1])), false);
    case 'eth_call': {
      const { to, input } = params[0] as { to: string; input: string };
      if (!input.startsWith(JOINING)) return alone(functionAt(to, input), true);
      return { values: joinedIn(input), isJoined: true, isExact: true };
    }
    default:
      throw new Error(`nothing in the simulation asks ${method}`);
  }
}

/** Each is an address, whether it may revert, and the data of a call. */
function joinedIn(input: string): readonly Answered[] {
  const words = wordsOf(input.slice(10));
  return tuplesIn(words).map((tuple) => {
    const to = `0x${(words[tuple] ?? '').slice(24)}`;
    const data = `0x${words.slice(tuple + 4).join('')}`;
    return data.startsWith(COINS_OF) ? COINS : functionAt(to, data);
  });
}

/** A list of tuples: where the words of each of them begin. */
function tuplesIn(words: readonly string[]): readonly number[] {
  const list = numberIn(words[0]) / 32;
  const count = numberIn(words[list]);
  return Array.from({ length: count }, (_, n) => list + 1 + numberIn(words[list + 1 + n]) / 32);
}

function wordsOf(digits: string): readonly string[] {
  return digits.match(/.{1,64}/g) ?? [];
}

function numberIn(word = ''): number {
  const number = Number(`0x${word}`);
  return Number.isSafeInteger(number) && number < 10_000 ? number : 0;
}

/** The names of all that is asked, as the log writes them: those of joined calls stand together. */
export function writtenCalls({ calls, height }: AskedCalls): string {
  const prefix = height === null ? '' : BELOW;
  return calls.map(({ values }) => values.map(({ name }) => prefix + name).join('+')).join(',');
}

/** Null for what is no answer to the question. */
export function readCalls({ calls, height }: AskedCalls, text: string): Answer | null {
  const answers = parse(text);
  if (!Array.isArray(answers)) return null;
  const facts = calls.map((call, id) =>
    factsOf(
      call,
      answers.filter((one) => isRow(one) && one['id'] === id),
    ),
  );
  const all = Object.assign({}, ...facts) as Facts;
  if (height === null) return { type: 'one', facts: all };
  const below = Object.entries(all).map(([name, value]) => [BELOW + name, value] as const);
  return { type: 'one', facts: { ...Object.fromEntries(below), at: String(height) } };
}

type Row = Readonly<Record<string, unknown>>;

const REVERTED = 'reverted';

function factsOf({ values, isJoined, isExact }: AskedCall, answers: readonly Row[]): Facts {
  const [answer] = answers;
  const result = answers.length === 1 ? answer?.['result'] : undefined;
  const error = answers.length === 1 ? answer?.['error'] : undefined;
  if (typeof result !== 'string')
    return factsWith(values, () =>
      !isJoined && isRow(error) && error['message'] === 'execution reverted' ? REVERTED : null,
    );
  if (!isJoined) return factsWith(values, ({ as }) => valueIn(result, as, isExact));
  const words = wordsOf(result.slice(2));
  const tuples = tuplesIn(words);
  if (tuples.length !== values.length) return factsWith(values, () => null);
  return factsWith(values, ({ as }, n) => joinedFact(words, tuples[n] ?? 0, as));
}

/** A tuple says whether the call succeeded, and has the bytes that it returned. */
function joinedFact(words: readonly string[], tuple: number, as: Answered['as']): string | null {
  if (numberIn(words[tuple]) === 0) return REVERTED;
  const bytes = tuple + numberIn(words[tuple + 1]) / 32;
  return numberIn(words[bytes]) === 32 ? valueIn(`0x${words[bytes + 1] ?? ''}`, as, true) : null;
}

function factsWith(values: readonly Answered[], factOf: (value: Answered, n: number) => string | null): Facts {
  return Object.fromEntries(values.map((value, n) => [value.name, factOf(value, n)]));
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
