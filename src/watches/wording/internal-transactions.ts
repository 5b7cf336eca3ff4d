import { Amount } from '../../core/values/amount.ts';
import { valueAt } from '../../core/values/fields.ts';
import type { KindWording } from '../../core/model/watch/wording.ts';
import { plainWording } from '../../core/wording/change-sentence.ts';
import { blockWords, endWords, movedSentence, placeLine } from './moves.ts';

export const callWording: KindWording = {
  ...plainWording({ noun: 'call' }),
  items: ({ of, explorer }) => ({ one: `call to ${of ?? explorer}`, noun: `${of ?? explorer} call` }),
  reasonPath: (view) => (valueAt(view, 'success') === false ? 'error' : null),
  place: ({ view }) => blockWords(view, 'transaction_hash').join(', '),
  event(occasion) {
    const isFailed = valueAt(occasion.view, 'success') === false;
    const value = valueAt(occasion.view, 'value');
    const lines = placeLine(occasion, { reason: isFailed ? 'error' : null, hash: 'transaction_hash' });
    if (!isFailed && value instanceof Amount && value.digits > 0n)
      return { ...movedSentence(occasion, value, ' in a call'), lines, shows: [...SHOWN, 'value'] };
    const title = `Call ${endWords(occasion)}${isFailed ? ' failed' : ''}`;
    return { title, detail: null, measured: null, lines, shows: isFailed ? [...SHOWN, 'error'] : SHOWN };
  },
};

/** Success is implied by words that say no failure. */
const SHOWN = ['success', 'from.hash', 'to.hash', 'block_number', 'transaction_hash'];
