import { Amount } from '../../core/values/amount.ts';
import { valueAt } from '../../core/values/fields.ts';
import type { EventOccasion, KindWording, Sentence } from '../../core/model/watch/wording.ts';
import { ownValue, plainWording } from '../../core/wording/values.ts';
import { capital, lineOf } from '../../core/wording/words.ts';
import { argumentLimit } from './arguments.ts';
import {
  calledTitle,
  CALLED,
  callLine,
  callWords,
  creationTitle,
  functionWords,
  wrappedLine,
  shownOfCall,
} from './calls.ts';
import { blockWords, endWords, movedSentence, paidSentence, placeLine } from './moves.ts';

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
  const [place = []] = placeLine(occasion, { reason, hash: 'hash' });
  const lines = [...wrappedLine(occasion), [...callLine(occasion), ...place]];
  const called = functionWords(occasion);
  const shown = [...SHOWN, ...shownOfCall(occasion)];
  if (isMove && status !== 'error') {
    const moved = called === null ? movedSentence(occasion, value) : paidSentence(occasion, value, called);
    return { ...moved, lines, shows: [...shown, 'value'] };
  }
  const shows = reason === null ? shown : [...shown, reason];
  return { title: newTitle(occasion, called), detail: null, measured: null, lines, shows };
}

function newTitle(occasion: EventOccasion, called: string | null): string {
  const status = valueAt(occasion.view, 'status');
  const end = status === 'error' ? ' failed' : status === undefined ? ' is waiting' : '';
  if (called === null)
    return (end === '' ? creationTitle(occasion) : null) ?? `Transaction ${endWords(occasion)}${end}`;
  const title = end === '' ? calledTitle(occasion, called) : `${callWords(occasion, called)}${end}`;
  return `${title}${argumentLimit(occasion)}`;
}

function minedSentence(occasion: EventOccasion): Sentence {
  const status = ownValue(occasion, 'status');
  const place = capital(blockWords(occasion.view, 'hash').join(', '));
  const end = lineOf(status === undefined ? null : `Status ${status}.`, place === '' ? null : `${place}.`);
  const lines = [...wrappedLine(occasion), ...end];
  const called = functionWords(occasion);
  const words = called === null ? `Transaction ${endWords(occasion)}` : callWords(occasion, called);
  const title = `${words} was mined`;
  const shows = ['status', 'block_number', 'hash', ...(called === null ? [] : CALLED)];
  return { title, detail: null, measured: null, lines, shows };
}

/** A status of `ok` is implied by words that say no failure. */
const SHOWN = ['status', 'from.hash', 'to.hash', 'created_contract.hash', 'block_number', 'hash'];
