// Answers of the JSON-RPC. Explorers before 6.3 answer no calls of contracts, and later ones can switch it off. Releases up
// to 11 refuse with a text, later ones with an object.
import { isRow } from '../../core/values/fields.ts';
import { Missed } from '../../core/model/watch/question.ts';
import type { MissReason } from '../../core/model/observation.ts';
import { plain, untrusted } from '../../lib/untrusted.ts';
import { MOST_ROWS } from '../http/json-bounds.ts';
import { RequestFault } from '../http/fault.ts';
import { NO_CALLS } from './resources/rpc-answer.ts';

const MOST_SHOWN = 120;

const REFUSALS: readonly MissReason[] = ['wrong-path', 'not-found', 'forbidden', 'not-json', 'http', 'unprocessable'];

/** Says of a refused request that the explorer answers no calls. */
export async function askedByRpc<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Missed) || !REFUSALS.includes(error.reason) || error.message.includes(NO_CALLS)) throw error;
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
