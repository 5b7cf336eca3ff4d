// Recorded answers in place of an explorer. An answer is found by its path, and decoded as the client decodes it.
import type { AnyView } from '../core/values/fields.ts';
import type { Head } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import type { Coin } from '../core/model/watch/target.ts';
import { Missed, shownPath, type Cursor, type Page, type Question, type Read } from '../core/model/watch/question.ts';
import { readThrough, type AskPage } from '../core/model/quality/read-through.ts';
import { problemOf } from '../explorer/http/answer-reader.ts';
import { decodeAnswer } from '../explorer/reading/decode.ts';
import { createPageSizes } from '../explorer/reading/page-sizes.ts';
import { isOfCalls } from '../explorer/reading/rpc.ts';
import type { AnswerFixture } from './model.ts';

/** Thrown if the test has no answer to a question that the kind asks. */
export class MissingAnswer extends Error {
  override readonly name = 'MissingAnswer';
}

export interface AnswerContext {
  readonly coin: Coin;
  readonly at: Instant;
  /** Called for each first page of a list that shows the chain's head. `head`: null if the rows do not show it. */
  readonly onHeadPage: (rows: readonly AnyView[], head: Head | null) => void;
}

/** Reads recorded answers. Answers with the same path are the pages of one list, in order. Throws `MissingAnswer`. */
export function readAnswers(answers: readonly AnswerFixture[], { coin, at, onHeadPage }: AnswerContext): Read {
  const pages = new Map<string, number>();

  function answerTo(question: Question, cursor: Cursor | null): AnyView | Page {
    const path = shownPath(question);
    const place = (of: Cursor) => `${path}?${JSON.stringify(of)}`;
    // Several requests of one poll may be posted to one path. Their answers stand in the order of the requests.
    const isPosted = question.root === 'rpc';
    const index = isPosted ? (pages.get(path) ?? 0) : cursor === null ? 0 : (pages.get(place(cursor)) ?? 0);
    if (isPosted) pages.set(path, index + 1);
    const answer = answers.filter((one) => one.path === path)[index];
    // The answers may be those of an explorer that the config did not allow to ask by JSON-RPC, and then of another question.
    if (answer === undefined && isPosted && !isOfCalls(question))
      throw new Missed('wrong-path', `${path}: not answered`);
    if (answer === undefined) throw new MissingAnswer(missing(path, index, answers));
    const value = valueOf(answer, question, coin, at);
    if (!isPage(value)) return value;
    if (value.next !== null) pages.set(place(value.next), index + 1);
    if (question.shape === 'list' && question.head !== undefined && cursor === null)
      onHeadPage(value.rows, question.head(value.rows, at));
    return value;
  }

  const answer: AskPage = async (question, cursor) => answerTo(question, cursor);
  return readThrough({ answer, again: answer });
}

function isPage(value: AnyView | Page): value is Page {
  return 'rows' in value;
}

function valueOf({ status, body }: AnswerFixture, question: Question, coin: Coin, now: Instant): AnyView | Page {
  const bytes = Buffer.from(body);
  const asked = { where: shownPath(question), hasKey: true, redact: (text: string) => text, now };
  const problem = problemOf({ status, headers: {} }, bytes, asked);
  if (problem !== null) throw problem;
  const context = { units: { coin: coin.decimals }, where: shownPath(question), pageSizes: createPageSizes() };
  return decodeAnswer(bytes, question, context).value;
}

function missing(path: string, index: number, answers: readonly AnswerFixture[]): string {
  const page = index === 0 ? '' : `, page ${index + 1}`;
  const given = [...new Set(answers.map((answer) => answer.path))].join(', ');
  return `no answer is given for ${path}${page}; there is one for ${given}`;
}
