// Anybody can add rows to some lists, and a list may have more new rows than a poll reads. Then the rows of contracts
// that the config names are requested in addition, one contract after the other, so that other rows cannot hide them.
import type { MissReason } from '../../core/model/observation.ts';
import type { Fields, View } from '../../core/values/fields.ts';
import { Missed, type ListQuestion, type Read } from '../../core/model/watch/question.ts';
import { readNewestFirst } from '../../explorer/reading/paging.ts';
import { highestBlock, isKnown, knownRowsOf, type ListState } from '../list-state.ts';
import type { ListReading } from './list-reading.ts';
import { positionOf, type RowKey } from './row-key.ts';

interface NamedOptions<F extends Fields> extends RowKey<F> {
  readonly maxPages: number;
}

/** If there are more contracts, a poll requests the rows of only this number of them. */
const MOST_ASKED = 20;
/** The limit of pages for one contract: anybody can cause some rows of a contract, such as transfers of 0. */
const MOST_PAGES = 3;

/**
 * The newest rows of each question. The plan may not pay for all questions, so the first one depends on the height of
 * the list.
 */
export async function readNamed<F extends Fields>(
  questions: readonly ListQuestion<F>[],
  state: ListState,
  read: Pick<Read, 'page'>,
  options: NamedOptions<F>,
): Promise<readonly View<F>[]> {
  const highest = highestBlock(state);
  const first = questions.length === 0 ? 0 : highest % questions.length;
  const inTurn = [...questions.slice(first), ...questions.slice(0, first)].slice(0, MOST_ASKED);
  const known = knownRowsOf(state);
  const limits = {
    ...options,
    maxPages: Math.min(MOST_PAGES, options.maxPages),
    isKnown: (view: View<F>) => isKnown(known, positionOf(options, view)),
    downTo: null,
    examinedTo: BigInt(highest),
  };
  const rows: View<F>[] = [];
  let unusable = 0;
  for (const question of inTurn) {
    const reading = await readNewestFirst(read, question, limits).catch(missed);
    if (!(reading instanceof Missed)) rows.push(...reading.rows);
    else if (!OF_ONE_ANSWER.has(reading.reason) || (unusable += 1) === MOST_UNUSABLE) break;
  }
  return rows;
}

/** Reasons that may concern a single contract. After others, the next request would fail too. */
const OF_ONE_ANSWER: ReadonlySet<MissReason> = new Set([
  'not-found',
  'unprocessable',
  'server-error',
  'http',
  'not-json',
  'shape',
  'truncated',
  'too-large',
  'timeout',
]);
/** After this number of failed requests, the server probably fails for all contracts. */
const MOST_UNUSABLE = 3;

function missed(error: unknown): Missed {
  if (error instanceof Missed) return error;
  throw error;
}

/** Adds rows to a reading. The reading may not cover the blocks of these rows. */
export function withRows<F extends Fields>(seen: ListReading<F>, rows: readonly View<F>[]): ListReading<F> {
  if (rows.length === 0) return seen;
  const older = seen.older ?? { rows: [], gaps: [], sweep: null, covered: [] };
  return { ...seen, older: { ...older, rows: [...older.rows, ...rows] } };
}
