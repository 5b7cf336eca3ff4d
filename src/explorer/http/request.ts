import type { Question } from '../../core/model/watch/question.ts';
import type { Spend } from '../../core/spending/spend.ts';

/** A question in the form of a request. */
export interface Request {
  readonly question: Question;
  /** The whole address, without the key. */
  readonly address: string;
  /** JSON that is posted; null: the request is a GET. */
  readonly body: string | null;
  /** `explorer.example.com/api/v2/tokens/{address}`: the address as messages show it. */
  readonly where: string;
  readonly spend: Spend;
}

/** Requests with equal keys get one answer. */
export function requestKey({ address, body }: Pick<Request, 'address' | 'body'>): string {
  return body === null ? address : `${address} ${body}`;
}
