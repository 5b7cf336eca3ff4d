// A list of rows of any contracts, read by ranges of blocks. Explorers search it slowly, so a request has few blocks, and
// the head is asked for first. Anybody can add rows. So after some full pages in a row, the rows of the contracts that the
// config names are asked for in place of the list, for an hour.
import type { Fields } from '../../core/values/fields.ts';
import type { Reading } from '../../core/model/watch/kind.ts';
import type { ListQuestion, Read } from '../../core/model/watch/question.ts';
import type { ListReading } from '../lists/list-reading.ts';
import { depthOf } from '../lists/look-back.ts';
import type { ListState } from '../list-state.ts';
import { FULL_PAGES, headOf, readingOf, startOf, type RangeReading } from './range-list.ts';
import type { RangeOptions } from './range-options.ts';
import { joined, limitOf, nullIfMissed, readEachUpwards, type Blocks, type UpwardLimit } from './read-upwards.ts';
import { sweepRange } from './sweep-range.ts';

export interface BoundedOptions<F extends Fields> extends Omit<RangeOptions<F>, 'all'> {
  /** A question for each contract that the config names. */
  readonly named: readonly ListQuestion<F>[];
}

/** The largest number of blocks in a request. */
export const MOST_BLOCKS = 1000;
/** If there are more questions, a poll asks only this number of them, and the next poll begins with another one. */
const MOST_NAMED = 20;

export async function observeBounded<F extends Fields>(
  state: ListState | null,
  read: Read,
  bounded: BoundedOptions<F>,
): Promise<Reading<ListReading<F>>> {
  const options = { ...bounded, all: null, mostBlocks: MOST_BLOCKS };
  const head = await headOf(options.explorer, read);
  const from = state === null ? Math.max(0, head - depthOf([])) : Math.min(head, startOf(state, options.downTo));
  const isSweep = state !== null && state.sweep.open !== null && read.sweepPage !== undefined;
  const sweepPages = isSweep ? Math.max(1, Math.floor(options.maxPages / 4)) : 0;
  const limit = limitOf(read, options, Math.max(1, options.maxPages - sweepPages));
  const named = inTurn(bounded.named, head);
  const isBusy = state?.range?.isBusy === true && named.length > 0;
  const reading = await readBounded({ from, to: head }, limit, { each: isBusy ? [] : options.each, named });
  const asked = { ...options, each: reading.isBusy ? named : options.each, isBusy: true };
  const older = isSweep ? await sweepRange(state, read, { ...asked, below: from, maxPages: sweepPages }) : null;
  const upTo = reading.stopped === null ? { top: head } : {};
  if (state !== null) return readingOf(reading, { older, from, isBusy: reading.isBusy, ...upTo }, options);
  return readingOf({ ...reading, stopped: null }, { older, from, isBusy: reading.isBusy, head }, options);
}

interface Questions<F extends Fields> {
  /** Empty while the questions in `named` are asked in their place. */
  readonly each: readonly ListQuestion<F>[];
  readonly named: readonly ListQuestion<F>[];
}

async function readBounded<F extends Fields>(
  { from, to }: Blocks,
  limit: UpwardLimit<F>,
  { each, named }: Questions<F>,
): Promise<RangeReading<F>> {
  if (each.length === 0) return { ...(await readEachUpwards(named, { from, to }, limit)), isBusy: true };
  const first = await readEachUpwards(each, { from, to }, { ...limit, mostFull: FULL_PAGES });
  if (first.stopped === null || named.length === 0) return { ...first, isBusy: false };
  const { isFull, isMissed } = first.stopped;
  if (!isFull && !isMissed) return { ...first, isBusy: false };
  const blocks = { from: first.stopped.from, to };
  const rest = await readEachUpwards(named, blocks, { ...limit, mostFull: FULL_PAGES }).catch(nullIfMissed);
  if (rest === null) return { ...first, isBusy: false };
  return isFull
    ? { ...joined([{ ...first, stopped: null }, rest]), isBusy: true }
    : { ...joined([first, rest]), isBusy: false };
}

/** The first question depends on the height, so that each question is asked in some polls. */
function inTurn<Q>(questions: readonly Q[], height: number): readonly Q[] {
  const first = questions.length === 0 ? 0 : height % questions.length;
  return [...questions.slice(first), ...questions.slice(0, first)].slice(0, MOST_NAMED);
}
