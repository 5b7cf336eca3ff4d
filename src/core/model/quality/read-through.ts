// Builds a `Read` from any source of answers: an explorer, a recording, the answers of a rule test.
import type { AnyView, Fields, View } from '../../values/fields.ts';
import type { Cursor, ListQuestion, OneQuestion, Page, Question, Read } from '../watch/question.ts';

/** Resolves with the shape and record of the question. Rejects with `Missed`. */
export type AskPage = (question: Question, cursor: Cursor | null) => Promise<AnyView | Page>;

interface Answers {
  readonly answer: AskPage;
  /** Sends the question again, and never uses a shared answer. */
  readonly again: AskPage;
  /** Left out if nothing is read again. */
  readonly sweep?: AskPage;
}

/** The casts are needed: TypeScript cannot tie the type of an answer to the record in the question. */
export function readThrough({ answer, again, sweep }: Answers): Read {
  const pageBy =
    (one: AskPage) =>
    <F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null) =>
      one(question, cursor) as Promise<Page<F>>;
  return {
    one: <F extends Fields>(question: OneQuestion<F>) => answer(question, null) as Promise<View<F>>,
    page: pageBy(answer),
    pageAgain: pageBy(again),
    ...(sweep === undefined ? {} : { sweepPage: pageBy(sweep) }),
  };
}
