// Answers of the JSON-RPC. Explorers before 6.3 answer no calls of contracts, and later ones can switch it off. Releases up
// to 11 refuse with a text, later ones with an object.
import { isRow } from '../../core/values/fields.ts';
import { Missed, type Question } from '../../core/model/watch/question.ts';
import type { MissReason } from '../../core/model/observation.ts';
import { plain, untrusted } from '../../lib/untrusted.ts';
import { MOST_ROWS } from '../http/json-bounds.ts';
import { RequestFault } from '../http/fault.ts';
import { NO_CALLS } from './resources/rpc-answer.ts';

const MOST_SHOWN = 120;

const REFUSALS: readonly MissReason[] = ['wrong-path', 'not-found', 'forbidden', 'not-json', 'http', 'unprocessable'];

/** True for calls of contracts: each has an answer of its own. Else the answer is one list of rows. */
export function isOfCalls(question: Question): boolean {
  return question.root === 'rpc' && question.shape === 'list' && question.range === undefined;
}

/** Says of refused calls that the explorer answers none. */
export async function askedByRpc<T>(question: Question, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (
      !isOfCalls(question) ||
      !(error instanceof Missed) ||
      !REFUSALS.includes(error.reason) ||
      error.message.includes(NO_CALLS)
    )
      throw error;
    throw new Missed('wrong-path', `${error.message}. It ${NO_CALLS}`);
  }
}

/** The answers to the calls of a request, each of which may be a refusal. Throws `RequestFault` without such a list. */
export function rpcAnswers(raw: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(raw)) throw refusalOf(isRow(raw) ? (raw['error'] ?? raw['message']) : undefined, where);
  if (raw.length > MOST_ROWS) throw new RequestFault('too-large', `${where}: more than ${MOST_ROWS} answers`);
  return raw as readonly unknown[];
}

/** `error`: as text, or as an object with a message. */
function refusalOf(error: unknown, where: string): RequestFault {
  const said = isRow(error) ? error['message'] : error;
  const words = typeof said === 'string' && said !== '' ? ` (${plain(untrusted(said), MOST_SHOWN)})` : '';
  return new RequestFault('wrong-path', `${where}: the explorer ${NO_CALLS}${words}`);
}

/** The place of a block in a body that is posted. */
export function placeOf(param: string): string {
  return `{${param}}`;
}

/**
 * The body of a request to the JSON-RPC, with the blocks of its range, or the height of the block at which its calls are
 * made.
 */
export function postedBody({ path }: Question, params: Readonly<Record<string, string>>): string {
  const body = path.slice(path.indexOf('?') + 1);
  const filled = Object.entries(params).reduce(
    (text, [name, block]) => text.replace(JSON.stringify(placeOf(name)), () => JSON.stringify(tagOf(block))),
    body,
  );
  const { block } = params;
  return block === undefined ? filled : filled.replaceAll(/"head-\d+"/g, JSON.stringify(block));
}

function tagOf(block: string): string {
  return /^\d+$/.test(block) ? `0x${Number(block).toString(16)}` : block;
}
