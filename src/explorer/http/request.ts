import type { Question } from '../../core/model/watch/question.ts';
import type { Spend } from '../../core/spending/spend.ts';

/** A question in the form of a request. */
export interface Request {
  readonly question: Question;
  /** The whole address, without the key. */
  readonly address: string;
  /** `explorer.example.com/api/v2/tokens/{address}`: the address as messages show it. */
  readonly where: string;
  readonly spend: Spend;
}
