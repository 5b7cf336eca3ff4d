import { Amount } from '../../core/values/amount.ts';
import { valueAt } from '../../core/values/fields.ts';
import type { EventOccasion, KindWording } from '../../core/model/watch/wording.ts';
import { ownValue, plainWording } from '../../core/wording/values.ts';
import { argumentLimit } from './arguments.ts';
import {
  calledByTitle,
  callLine,
  callWords,
  creationTitle,
  delegatedTitle,
  destroyedTitle,
  wrappedLine,
  shownOfCall,
} from './calls.ts';
import { blockWords, endWords, movedSentence, paidSentence, placeLine } from './moves.ts';

export const callWording: KindWording = {
  ...plainWording({ noun: 'call' }),
  items: ({ of, explorer }) => ({ one: `call to ${of ?? explorer}`, noun: `${of ?? explorer} call` }),
  reasonPath: (view) => (valueAt(view, 'success') === false ? 'error' : null),
  place: ({ view }) => blockWords(view, 'transaction_hash').join(', '),
  event(occasion) {
    const isFailed = valueAt(occasion.view, 'success') === false;
    const value = valueAt(occasion.view, 'value');
    const called = ownValue(occasion, 'called') ?? null;
    const [place = []] = placeLine(occasion, { reason: isFailed ? 'error' : null, hash: 'transaction_hash' });
    const lines = [...wrappedLine(occasion), [...callLine(occasion), ...place]];
    const isPlain = valueAt(occasion.view, 'type') === 'call';
    const shown = [...SHOWN, ...(isPlain ? ['type'] : []), ...shownOfCall(occasion)];
    if (!isFailed && value instanceof Amount && value.digits > 0n) {
      const moved =
        called === null ? movedSentence(occasion, value, ' in a call') : paidSentence(occasion, value, called);
      return { ...moved, lines, shows: [...shown, 'value'] };
    }
    const special = isFailed ? null : specialTitle(occasion, called);
    const title = special === null ? titleOf(occasion, called, isFailed) : `${special}${argumentLimit(occasion)}`;
    const shows = [...shown, ...(isFailed ? ['error'] : []), ...(special === null ? [] : ['type'])];
    return { title, detail: null, measured: null, lines, shows };
  },
};

function titleOf(occasion: EventOccasion, called: string | null, isFailed: boolean): string {
  const end = isFailed ? ' failed' : '';
  if (called === null) return `Call ${endWords(occasion)}${end}`;
  const title = isFailed ? callWords(occasion, called) : calledByTitle(occasion, called);
  return `${title}${end}${argumentLimit(occasion)}`;
}

/** For rows that are no plain call. */
function specialTitle(occasion: EventOccasion, called: string | null): string | null {
  switch (valueAt(occasion.view, 'type')) {
    case 'delegatecall':
    case 'callcode':
      return delegatedTitle(occasion, called);
    case 'create':
    case 'create2':
      return creationTitle(occasion);
    case 'selfdestruct':
      return destroyedTitle(occasion);
    default:
      return null;
  }
}

/** Success is implied by words that say no failure. */
const SHOWN = ['success', 'from.hash', 'to.hash', 'block_number', 'transaction_hash'];
