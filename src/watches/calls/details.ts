// How events of transactions get details: the questions about one transaction, and which of them failed.
import type { ReadCalls } from '../../core/calls/call-fields.ts';
import { noDetails, NONE_IN_TIME, type DetailLine, type DetailPart } from '../../core/model/details.ts';
import type { MissReason } from '../../core/model/observation.ts';
import type { KindDetails } from '../../core/model/watch/kind.ts';
import { Missed, type Question, type Read } from '../../core/model/watch/question.ts';
import type { WatchNames } from '../../core/model/watch/wording.ts';
import type { AnyView, View } from '../../core/values/fields.ts';
import { stateChanges, transactionCalls, transactionDetails } from '../../explorer/operations.ts';
import type { Transaction } from '../../explorer/reading/resources/transaction.ts';
import { balanceLines, callLines, transactionLines } from '../wording/details.ts';

interface PartOptions {
  /** The functions that the rule names; null: none. */
  readonly calls: ReadCalls | null;
  readonly names: WatchNames;
}

/** `path`: of the hash of an item's transaction. */
export function detailsBy<E>(path: string, callsOf: (options: E) => ReadCalls | null = () => null): KindDetails<E> {
  return {
    transaction: path,
    questions: ({ explorer }, hash, parts) => parts.map((part) => questionFor(part, explorer, hash)),
    async read({ target, names, transaction, parts }, read) {
      const of = { explorer: target.explorer, hash: transaction };
      const answers = await Promise.all(parts.map((part) => answerOf(part, of, read)));
      return linesOf(parts, answers, { calls: callsOf(target.options), names });
    },
  };
}

function questionFor(part: DetailPart, explorer: string, hash: string): Question {
  switch (part) {
    case 'transaction':
      return transactionDetails(explorer, hash);
    case 'calls':
      return transactionCalls(explorer, hash);
    case 'balances':
      return stateChanges(explorer, hash);
  }
}

type Answer =
  | { readonly part: 'transaction'; readonly view: View<typeof Transaction.fields> }
  | { readonly part: 'calls' | 'balances'; readonly rows: readonly AnyView[] }
  | { readonly part: 'none'; readonly why: string };

async function answerOf(
  part: DetailPart,
  { explorer, hash }: { readonly explorer: string; readonly hash: string },
  read: Read,
): Promise<Answer> {
  try {
    switch (part) {
      case 'transaction':
        return { part, view: await read.one(transactionDetails(explorer, hash)) };
      case 'calls': {
        const { rows, isUnfinished } = await read.page(transactionCalls(explorer, hash), null);
        return isUnfinished === true && rows.length === 0 ? { part: 'none', why: UNTRACED } : { part, rows };
      }
      case 'balances':
        return { part, rows: (await read.page(stateChanges(explorer, hash), null)).rows };
    }
  } catch (error) {
    if (!(error instanceof Missed)) throw error;
    return { part: 'none', why: WHY[error.reason] };
  }
}

function linesOf(parts: readonly DetailPart[], answers: readonly Answer[], options: PartOptions): DetailLine[] {
  const missing = new Set(answers.flatMap((answer) => (answer.part === 'none' ? answer.why : [])));
  const [why] = missing;
  if (why !== undefined && missing.size === 1 && answers.every(({ part }) => part === 'none')) return [noDetails(why)];
  const price = answers.find((answer) => answer.part === 'transaction')?.view.exchange_rate;
  return answers.flatMap((answer, i): readonly DetailLine[] => {
    switch (answer.part) {
      case 'transaction':
        return transactionLines(answer.view, options);
      case 'calls':
        return callLines(answer.rows, options);
      case 'balances':
        return balanceLines(answer.rows, { ...options, price });
      case 'none':
        return [noDetails(answer.why, parts[i])];
    }
  });
}

const UNTRACED = 'the explorer has not traced its block yet';
const REFUSES = 'the explorer refuses the question';
const SILENT = 'the explorer does not answer';
const UNPAID = 'the plan has no credits for them now';

const WHY: Readonly<Record<MissReason, string>> = {
  'not-found': 'the explorer has none',
  'wrong-path': REFUSES,
  unprocessable: REFUSES,
  unauthorized: REFUSES,
  'out-of-credits': UNPAID,
  'no-key': REFUSES,
  forbidden: REFUSES,
  blocked: REFUSES,
  'rate-limited': 'the explorer limits requests now',
  'server-error': SILENT,
  redirect: REFUSES,
  http: SILENT,
  'not-json': REFUSES,
  shape: REFUSES,
  truncated: SILENT,
  'too-large': 'the answer is too large',
  encoding: REFUSES,
  timeout: NONE_IN_TIME,
  dns: SILENT,
  tls: SILENT,
  network: SILENT,
  'no-explorer': SILENT,
  plan: UNPAID,
  'other-chain': REFUSES,
};
