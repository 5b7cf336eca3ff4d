// Recorded answers in the place of an explorer: what is asked is looked up, decoded as the client decodes it, and
// never guessed.
import type { AnyView, Fields, View } from '../core/values/fields.ts';
import type { Head } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import type { Coin } from '../core/model/kind.ts';
import {
  type Cursor,
  type ListQuestion,
  type OneQuestion,
  type Page,
  type Question,
  type Read,
} from '../core/model/question.ts';
import { problemOf } from '../explorer/http/answer-problem.ts';
import { decodeAnswer } from '../explorer/reading/decode.ts';
import { createPageSizes } from '../explorer/reading/page-sizes.ts';
import type { RecordedAnswer } from './model.ts';

/** A test did not give an answer that was asked for: its author has to. */
export class MissingAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface AnswerReader {
  readonly read: Read;
  /** Where the chain was by the blocks that were read; null when none were. */
  head(): Head | null;
}

/** Answers with one path are the pages of one list, in order. */
export function readAnswers(
  answers: readonly RecordedAnswer[],
  { coin, at }: { coin: Coin; at: Instant },
): AnswerReader {
  const pages = new Map<string, number>();
  let head: Head | null = null;

  function answerTo(question: Question, cursor: Cursor | null): AnyView | Page {
    const { path } = question;
    const place = (of: Cursor) => `${path}?${JSON.stringify(of)}`;
    const index = cursor === null ? 0 : (pages.get(place(cursor)) ?? 0);
    const answer = answers.filter((one) => one.path === path)[index];
    if (answer === undefined) throw new MissingAnswer(missing(path, index, answers));
    const value = valueOf(answer, question, coin, at);
    if ('rows' in value && value.next !== null) pages.set(place(value.next), index + 1);
    if (question.shape === 'list' && question.head !== undefined && cursor === null)
      head = question.head((value as Page).rows, at);
    return value;
  }

  return {
    head: () => head,
    // The casts say what the decoder made sure of: the value is what the question's shape and record promise.
    read: {
      one: async <F extends Fields>(question: OneQuestion<F>) => answerTo(toAny(question), null) as View<F>,
      page: async <F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null) =>
        answerTo(toAny(question), cursor) as Page<F>,
      pageAgain: async <F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null) =>
        answerTo(toAny(question), cursor) as Page<F>,
    },
  };
}

function toAny<F extends Fields>(question: OneQuestion<F> | ListQuestion<F>): Question {
  return question;
}

function valueOf({ status, body }: RecordedAnswer, question: Question, coin: Coin, now: Instant): AnyView | Page {
  const bytes = Buffer.from(body);
  const asked = { where: question.path, hasKey: true, redact: (text: string) => text, now };
  const problem = problemOf({ status, headers: {} }, bytes, asked);
  if (problem !== null) throw problem;
  const context = { units: { coin: coin.decimals }, where: question.path, pageSizes: createPageSizes() };
  return decodeAnswer(bytes, question, context).value;
}

function missing(path: string, index: number, answers: readonly RecordedAnswer[]): string {
  const page = index === 0 ? '' : `, page ${index + 1}`;
  const given = [...new Set(answers.map((answer) => answer.path))].join(', ');
  return `no answer is given for ${path}${page}; there is one for ${given}`;
}
