// Reads rows a second time by another record type, which has more fields of the same row.
import type { AnyRecord, AnyView, Fields, View } from '../../core/values/fields.ts';
import { sourceOf } from '../../core/values/fields.ts';
import type { Page, Read } from '../../core/model/watch/question.ts';
import { remembered } from '../../lib/remembered.ts';

/** Reads a row again by `record`. Each row is read once: a second call with the same object returns the same result. */
export function createAgain(record: AnyRecord): (view: AnyView) => AnyView {
  return remembered((view) => {
    const source = view[sourceOf];
    return (source === null ? undefined : record.read(source.row, source.units)) ?? record.over(view, {});
  });
}

/** Reads pages as `read` does; their rows have the fields of `record`. */
export function createRereading(record: AnyRecord): (read: Read) => Read {
  const again = createAgain(record);
  const reread = async <F extends Fields>(page: Promise<Page<F>>): Promise<Page<F>> =>
    new RereadPage(await page, again);
  return (read) => {
    const { sweepPage } = read;
    return {
      ...read,
      page: (question, cursor) => reread(read.page(question, cursor)),
      pageAgain: (question, cursor) => reread(read.pageAgain(question, cursor)),
      ...(sweepPage === undefined ? {} : { sweepPage: (question, cursor) => reread(sweepPage(question, cursor)) }),
    };
  };
}

/** Most pages contain only known rows, so a row is read again only when it is used. */
class RereadPage<F extends Fields> implements Page<F> {
  readonly #page: Page<F>;
  readonly #again: (view: AnyView) => AnyView;

  constructor(page: Page<F>, again: (view: AnyView) => AnyView) {
    this.#page = page;
    this.#again = again;
  }

  get content(): object | undefined {
    return this.#page.content;
  }

  get rows(): readonly View<F>[] {
    return this.#page.rows.map((row) => this.#again(row) as View<F>);
  }

  get next(): Page<F>['next'] {
    return this.#page.next;
  }

  get isCutOff(): boolean {
    return this.#page.isCutOff === true;
  }

  get isUnfinished(): boolean {
    return this.#page.isUnfinished === true;
  }
}
