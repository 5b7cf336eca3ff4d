// The logs of a contract by the list of its address, the newest first: for hosts that refuse the Etherscan-style API. The
// list can be narrowed to one topic, at any of the four places, so its rows are checked again here.
import { sourceOf, valueAt, type AnyView, type Fields } from '../../core/values/fields.ts';
import type { Reading } from '../../core/model/watch/kind.ts';
import {
  Missed,
  unfiltered,
  type Cursor,
  type ListQuestion,
  type Page,
  type Read,
} from '../../core/model/watch/question.ts';
import type { Target } from '../../core/model/watch/target.ts';
import type { Log } from '../../explorer/reading/resources/log.ts';
import { highestBlock, type ListState } from '../list-state.ts';
import { readingWhole, type EqualRows } from '../lists/equal-rows.ts';
import type { ListReading } from '../lists/list-reading.ts';
import type { RowKey } from '../lists/row-key.ts';
import { observeList } from '../newest-first-list.ts';
import { contentOf, isAskedFor, withNumber, type LogRow } from './own-rows.ts';
import { askedTopics, type EventOptions } from './where.ts';

type Row = typeof Log.fields;

interface Listed {
  readonly target: Target<EventOptions>;
  readonly question: ListQuestion<Row>;
  readonly state: ListState | null;
  readonly downTo: number | null;
  readonly row: RowKey<Row>;
  /** Reads a row by the fields of the watch. */
  readonly again: (row: LogRow) => LogRow;
}

/** Blocks that are read again, since a reorganisation may have moved a log. The sweep finds what moved deeper. */
const READ_AGAIN = 12;

export function observeListed(
  { target, question, state, downTo, row, again }: Listed,
  read: Read,
): Promise<Reading<ListReading<Row>>> {
  const whole = readingWhole(readingPastTopic(read), equalLogs(again, row), target.maxPages);
  const top = state === null ? 0 : Math.max(highestBlock(state), state.range?.examined ?? 0);
  return observeList(question, state, whole, {
    ...row,
    maxPages: target.maxPages,
    downTo,
    mixed: { newFrom: top + 1, downTo: top - READ_AGAIN },
    isAskedFor: isAskedFor(target),
  });
}

/** The last topic that all questions of the watch have, which most other logs do not have; null: there is none. */
export function sharedTopic(options: EventOptions): string | null {
  const [first = [], ...others] = askedTopics(options);
  return first.findLast((topic) => topic !== null && others.every((topics) => topics.includes(topic))) ?? null;
}

const ofRow = (view: AnyView): LogRow => view as LogRow;

function equalLogs(again: Listed['again'], row: RowKey<Row>): EqualRows {
  return {
    transactionOf: (view) => ofRow(view).transaction_hash,
    blockOf: (view) => ofRow(view).block_number,
    blockHashOf(view) {
      const hash = view[sourceOf]?.row['block_hash'];
      return typeof hash === 'string' ? hash : undefined;
    },
    placeOf: (view) => ofRow(view).log_index,
    contentOf: (view) => contentOf(ofRow(view)),
    cursorFrom: (view) => row.cursorFrom(ofRow(view)),
    numbered: (view, number) => withNumber(again(ofRow(view)), number - 1),
    assertUsable(views) {
      if (views.length > 0 && views.every((view) => ofRow(view).block_number === undefined))
        throw new Missed('not-found', 'its logs name no block');
    },
  };
}

/** Release 5.1.5 ignores the cursor beside a topic: the first page comes again. Then the list is read on without it. */
function readingPastTopic(read: Read): Read {
  const { sweepPage } = read;
  let isIgnored = false;
  const past = async <F extends Fields>(
    ask: (question: ListQuestion<F>, cursor: Cursor | null) => Promise<Page<F>>,
    question: ListQuestion<F>,
    cursor: Cursor | null,
  ): Promise<Page<F>> => {
    if (cursor === null || question.params['topic'] === undefined) return ask(question, cursor);
    if (!isIgnored) {
      const page = await ask(question, cursor);
      if (page.rows.every((view) => isBelow(view, cursor))) return page;
      isIgnored = true;
    }
    // Old releases repeat the parameters of the request in the cursor.
    const { topic: _topic, ...position } = cursor;
    return ask(unfiltered(question), position);
  };
  return {
    ...read,
    page: (question, cursor) => past((one, at) => read.page(one, at), question, cursor),
    pageAgain: (question, cursor) => past((one, at) => read.pageAgain(one, at), question, cursor),
    ...(sweepPage === undefined
      ? {}
      : { sweepPage: (question, cursor) => past((one, at) => sweepPage(one, at), question, cursor) }),
  };
}

function isBelow(view: AnyView, { block_number: block, index }: Cursor): boolean {
  const [height, place] = [valueAt(view, 'block_number'), valueAt(view, 'log_index')];
  if (typeof height !== 'bigint' || block === undefined) return true;
  if (String(height) !== block) return height < Number(block);
  return typeof place !== 'bigint' || index === undefined || place < Number(index);
}
