import { z } from 'zod';
import { Address } from '../core/values/address.ts';
import { valueAt, type AnyView, type View } from '../core/values/fields.ts';
import type { Kind } from '../core/model/watch/kind.ts';
import type { Target } from '../core/model/watch/target.ts';
import { track } from '../core/values/encoded.ts';
import { inOneStep } from '../lib/steps.ts';
import { blocks, tokenDetails } from '../explorer/operations.ts';
import { Token } from '../explorer/reading/resources/token.ts';
import { CHANGED, oneChange } from './one-change.ts';
import { Values } from './values.ts';
import { plainWording } from '../core/wording/values.ts';

type TokenReading = View<typeof Token.fields>;

export const token: Kind<object, Values, TokenReading> = {
  name: 'token',
  summary: 'Details of one token: reputation, supply, price, holders.',
  noun: 'token',
  fields: Token,
  events: { changed: CHANGED },
  while: { measured: 'total_supply', exported: ['total_supply', 'holders_count', 'exchange_rate'] },
  of: 'none',
  token: 'required',
  options: z.strictObject({}),
  state: Values,
  comparedByDefault: ['total_supply', 'reputation', 'name', 'symbol', 'decimals'],
  shown: ['symbol', 'name', 'reputation', 'total_supply', 'address_hash'],
  fleeting: [],
  wording: plainWording({ noun: 'token', thing: (names) => names.token ?? '' }),
  question,
  head: ({ explorer }) => blocks(explorer),
  page: (_target, view) => pageOf(view),
  async observe(target, _state, read) {
    return { seen: await read.one(question(target)), partial: null };
  },
  detect: (_target, state, seen, scope) =>
    inOneStep(oneChange(state, track(state?.values ?? null, seen, scope.tracked), { now: seen, at: scope.at })),
  history: null,
  examples: {},
  rowsOf: (seen) => ({ rows: [seen] }),
  sourceOf: (path) => path,
  script: {
    rows: null,
    record: Token,
    synthesize: ({ token: address }, { rows: [row] }) => {
      const written = (row?.view ?? Token.make({})) as TokenReading;
      return Token.over(written, { address_hash: written.address_hash ?? address ?? undefined });
    },
  },
};

function question({ explorer, token: address }: Target) {
  if (address === null) throw new TypeError('token needs a token');
  return tokenDetails(explorer, address);
}

function pageOf(view: AnyView): string | null {
  const address = valueAt(view, 'address_hash');
  return address instanceof Address ? `/token/${address.text}` : null;
}
