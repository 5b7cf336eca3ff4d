import { shortHex } from '../../core/values/address.ts';
import { valueAt, type AnyView } from '../../core/values/fields.ts';
import type {
  ComparedValue,
  EventOccasion,
  KindWording,
  Sentence,
  WordingContext,
} from '../../core/model/watch/wording.ts';
import { ownValue, plainWording } from '../../core/wording/values.ts';
import { lineOf, showExactTime } from '../../core/wording/words.ts';

export const blockWording: KindWording = {
  ...plainWording({ noun: 'block', thing: ({ explorer }) => explorer }),
  place: (occasion) => `block ${ownValue(occasion, 'height') ?? 'of unknown height'}`,
  event: (occasion) => (occasion.on === 'reorg' ? reorgSentence(occasion) : newSentence(occasion)),
  compared: (occasion) => (occasion.path === 'age' ? ageSentence(occasion) : null),
};

function newSentence(occasion: EventOccasion): Sentence {
  const height = ownValue(occasion, 'height') ?? 'of unknown height';
  const count = ownValue(occasion, 'transactions_count');
  const parts = [
    timeOf(occasion, ''),
    count === undefined ? undefined : `${count} transaction${count === '1' ? '' : 's'}`,
  ];
  const said = parts.filter((part) => part !== undefined).join(', ');
  const limit = occasion.limitOf('height');
  const detail = `${height}${limit === null ? '' : `, ${limit}`}`;
  return {
    title: `block ${detail}`,
    detail,
    measured: null,
    lines: lineOf(said === '' ? null : `${said}.`),
    shows: ['height', 'timestamp', 'transactions_count'],
  };
}

/** `2 blocks replaced from 14,035,131` */
function reorgSentence(occasion: EventOccasion): Sentence {
  const { view, before } = occasion;
  const depth = ownValue(occasion, 'depth') ?? 'some';
  const height = ownValue(occasion, 'height') ?? 'an unknown height';
  const blocks = `${depth} ${depth === '1' ? 'block' : 'blocks'}`;
  const limit = occasion.limitOf('depth');
  const replaced = `${blocks}${limit === null ? '' : `, ${limit},`}`;
  const detail = `${replaced} from ${height}`;
  const [old, now] = [hashOf(before), hashOf(view)];
  const lines = lineOf(old === undefined || now === undefined ? null : `Old ${old}, new ${now}.`);
  return {
    title: `${replaced} replaced from ${height}`,
    detail,
    measured: null,
    lines,
    shows: ['depth', 'height', 'hash'],
  };
}

function hashOf(view: AnyView | null): string | undefined {
  const hash = view === null ? undefined : valueAt(view, 'hash');
  return typeof hash === 'string' ? shortHex(hash) : undefined;
}

/** `ethereum: no block for 9 s (limit 5 s)`, and its end. */
function ageSentence(occasion: ComparedValue): Sentence | null {
  const { operator, value: measured, bound, isOver, isStale } = occasion;
  const detail = `${measured} (limit ${bound})`;
  const height = ownValue(occasion, 'head.height') ?? 'of unknown height';
  const time = timeOf(occasion, 'head.');
  const at = time === undefined ? '' : ` at ${time}`;
  const { explorer } = occasion.names;
  if (isOver) return { title: `${explorer}: new block ${height}`, detail, measured: null, lines: lineOf(`Made${at}.`) };
  if (operator !== '>' && operator !== '>=') return null;
  const paused = isStale ? 'Other conditions on this explorer are paused.' : null;
  return {
    title: `${explorer}: no block for ${detail}`,
    detail,
    measured,
    lines: lineOf(`Last ${height}${at}.`, paused),
  };
}

/** `21:17:48 UTC`, with its date if the head is not of the same day. */
function timeOf({ view, names: { zone } }: WordingContext, record: 'head.' | ''): string | undefined {
  const [made, age] = [valueAt(view, `${record}timestamp`), valueAt(view, 'age')];
  if (!(made instanceof Date)) return undefined;
  const now = record === '' ? made.getTime() : made.getTime() + (typeof age === 'number' ? age : 0);
  return showExactTime(made.getTime(), { now, zone });
}
