import { Amount } from '../../core/values/amount.ts';
import { valueAt } from '../../core/values/fields.ts';
import type { EventOccasion, KindWording, Sentence } from '../../core/model/watch/wording.ts';
import { plainWording } from '../../core/wording/change-sentence.ts';
import { ownValue } from '../../core/wording/values.ts';
import { capital, lineOf } from '../../core/wording/words.ts';
import { blockWords, endWords, movedSentence, placeLine } from './moves.ts';

export const transactionWording: KindWording = {
  ...plainWording({ noun: 'transaction' }),
  items: ({ of, explorer }) => ({
    one: `transaction of ${of ?? explorer}`,
    noun: `${of === null ? '' : `${of} `}transaction`,
  }),
  reasonPath: (view) => (valueAt(view, 'status') === 'error' ? 'revert_reason' : null),
  place: ({ view }) => blockWords(view, 'hash').join(', '),
  event: (occasion) => (occasion.on === 'mined' ? minedSentence(occasion) : newSentence(occasion)),
};

function newSentence(occasion: EventOccasion): Sentence {
  const status = valueAt(occasion.view, 'status');
  const value = valueAt(occasion.view, 'value');
  const isMove = value instanceof Amount && value.digits > 0n;
  const reason = status === 'error' ? 'revert_reason' : null;
  const lines = placeLine(occasion, { reason, hash: 'hash' });
  if (isMove && status !== 'error') return { ...movedSentence(occasion, value), lines, shows: [...SHOWN, 'value'] };
  const end = status === 'error' ? ' failed' : status === undefined ? ' is waiting' : '';
  const shows = reason === null ? SHOWN : [...SHOWN, reason];
  return { title: `Transaction ${endWords(occasion)}${end}`, detail: null, measured: null, lines, shows };
}

function minedSentence(occasion: EventOccasion): Sentence {
  const status = ownValue(occasion, 'status');
  const place = capital(blockWords(occasion.view, 'hash').join(', '));
  const lines = lineOf(status === undefined ? null : `Status ${status}.`, place === '' ? null : `${place}.`);
  const title = `Transaction ${endWords(occasion)} was mined`;
  return { title, detail: null, measured: null, lines, shows: ['status', 'block_number', 'hash'] };
}

/** A status of `ok` is implied by words that say no failure. */
const SHOWN = ['status', 'from.hash', 'to.hash', 'created_contract.hash', 'block_number', 'hash'];
