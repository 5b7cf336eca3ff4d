import { Address, shortHex } from '../../core/values/address.ts';
import { valueAt, type AnyView } from '../../core/values/fields.ts';
import type { EventOccasion, KindWording, Sentence, WatchNames } from '../../core/model/watch/wording.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import { addressWords, onPlace, ownValue, plainWording, textAt } from '../../core/wording/values.ts';
import { capital, quotedText } from '../../core/wording/words.ts';
import { blockWords } from './moves.ts';

type Occasion = Pick<EventOccasion, 'names' | 'view'>;

export const transferWording: KindWording = {
  ...plainWording({ noun: 'transfer' }),
  items: ({ of, token, explorer }) => {
    const what = [token, 'transfer'].filter((word) => word !== null).join(' ');
    return { one: `${what} of ${of ?? explorer}`, noun: `${of === null ? '' : `${of} `}${what}` };
  },
  place: ({ view }) => blockWords(view, 'transaction_hash').join(', '),
  event: newSentence,
};

function newSentence(occasion: EventOccasion): Sentence {
  const { names, view, compared } = occasion;
  const limit = occasion.limitOf('value_usd') ?? occasion.limitOf('amount');
  const asksPrice = compared.includes('value_usd');
  const worth = asksPrice ? [ownValue(occasion, 'value_usd') ?? 'no price known'] : [];
  const rest = [...worth, ...(limit === null ? [] : [limit])];
  const detail = [tokensMoved(occasion), ...rest].join(', ');
  return {
    title: [`${movedWords(occasion)}${onPlace(names)}`, ...rest].join(', '),
    detail,
    measured: ownValue(occasion, 'amount') ?? null,
    lines: linesOf(view),
    shows: SHOWN,
    // `raw > 0` is written to leave out transfers of nothing.
    implies: occasion.limitOf('raw') === 'above 0' ? ['raw'] : [],
  };
}

const SHOWN = [
  'type',
  'direction',
  'amount',
  'raw',
  'value_usd',
  'token_id',
  'token.address_hash',
  'from.hash',
  'to.hash',
  'block_number',
  'transaction_hash',
];

/** `vault sent 110,000 USDC to 0x3c54…b3AB` */
function movedWords(occasion: Occasion): string {
  const { names, view } = occasion;
  const moved = tokensMoved(occasion);
  const [from, to] = [addressAt(view, 'from.hash'), addressAt(view, 'to.hash')];
  const [sender, receiver] = [nameOf(names, from), nameOf(names, to)];
  switch (valueAt(view, 'type')) {
    case 'token_minting':
      return `${moved} minted to ${receiver}`;
    case 'token_burning':
      return `${moved} burned by ${sender}`;
    default:
      return !names.isWatched(from) && names.isWatched(to)
        ? `${receiver} received ${moved} from ${sender}`
        : `${sender}${sender.includes(',') ? ',' : ''} sent ${moved} to ${receiver}`;
  }
}

/** `110,000 USDC`, `5 of 0x9f2e…41c7`, `an unknown amount of ACME` */
function tokensMoved(occasion: Occasion): string {
  const { names, view } = occasion;
  const amount = ownValue(occasion, 'amount');
  const contract = addressAt(view, 'token.address_hash');
  const known = contract === undefined ? null : names.known(contract);
  const token = known ?? (contract === undefined ? 'an unknown token' : shortHex(contract.text));
  if (amount === undefined) return `an unknown amount of ${token}`;
  return known === null ? `${amount} of ${token}` : `${amount} ${token}`;
}

/** `Token id given: "17". Block 14,035,098, tx 0x0346…8120.` */
function linesOf(view: AnyView): readonly (readonly Segment[])[] {
  const piece = textAt(view, 'token_id');
  const place = capital(blockWords(view, 'transaction_hash').join(', '));
  const line = [
    ...(piece === undefined ? [] : [...quotedText('Token id given:', piece), { text: ' ' }]),
    ...(place === '' ? [] : [{ text: `${place}.` }]),
  ];
  return line.length === 0 ? [] : [line];
}

function addressAt(view: AnyView, path: string): Address | undefined {
  const value = valueAt(view, path);
  return value instanceof Address ? value : undefined;
}

/** `0x3c54…b3AB, which looks like payee_a and is not` */
function nameOf(names: WatchNames, address: Address | undefined): string {
  if (address === undefined) return 'an unknown address';
  const other = names.lookAlike(address);
  const like = other === null ? '' : `, which looks like ${other} and is not`;
  return `${addressWords(names, address)}${like}`;
}
