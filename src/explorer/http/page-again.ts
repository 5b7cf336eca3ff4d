import type { Page } from '../../core/model/watch/question.ts';
import type { AnswerReader } from './answer-reader.ts';
import type { HttpAnswer } from './exchange.ts';
import { freeOwnMemory } from './body.ts';
import type { Request } from './http-transport.ts';

/**
 * A page with the same bytes as the last answer to its request. Its rows are decoded on first use; most polls do not
 * need them, since these rows were examined before. Its bytes are kept until there was a `release` for each `retain`.
 */
export class PageAgain implements Page {
  readonly content: object;
  #answer: HttpAnswer | null;
  readonly #request: Request;
  readonly #reader: AnswerReader;
  #page: Page | null = null;
  #retained = 0;

  constructor(content: object, answer: HttpAnswer, request: Request, reader: AnswerReader) {
    this.content = content;
    this.#answer = answer;
    this.#request = request;
    this.#reader = reader;
  }

  get rows(): Page['rows'] {
    return this.#whole().rows;
  }

  get next(): Page['next'] {
    return this.#whole().next;
  }

  get isCutOff(): boolean {
    return this.#whole().isCutOff === true;
  }

  get isUnfinished(): boolean {
    return this.#whole().isUnfinished === true;
  }

  retain(): void {
    this.#retained += 1;
  }

  /** After the last release, reading rows that were not decoded yet throws. */
  release(): void {
    this.#retained -= 1;
    if (this.#retained > 0) return;
    this.#answer?.free();
    this.#answer = null;
  }

  #whole(): Page {
    return (this.#page ??= this.#decoded());
  }

  #decoded(): Page {
    const whole = this.#answer === null ? null : this.#reader.readSmall(this.#answer, this.#request);
    if (whole === null) throw new Error(`${this.#request.where}: a page is looked at after its tick has ended`);
    freeOwnMemory([whole.body]);
    return whole.decoded.value as Page;
  }
}
