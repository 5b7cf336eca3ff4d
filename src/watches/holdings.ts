import { z } from 'zod';
import { Address } from '../core/values/address.ts';
import { dollarsOf } from '../core/values/amount.ts';
import { valueAt, type AnyView } from '../core/values/fields.ts';
import type { SourceRows } from '../core/model/quality/sightings.ts';
import type { Detection } from '../core/model/detection.ts';
import type { Kind, Reading } from '../core/model/watch/kind.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { Target } from '../core/model/watch/target.ts';
import type { Steps } from '../lib/steps.ts';
import { addressTokens, blocks } from '../explorer/operations.ts';
import { decimalsOf, Token, TokenBalance } from '../explorer/reading/resources/token.ts';
import { baseline, compare } from './holdings/comparison.ts';
import { type HoldingRow, type HoldingsReading, KnownPage, readHoldings, seenIn } from './holdings/reading.ts';
import { type HoldingItem, unpackItems } from './holdings/items.ts';
import { HoldingsState } from './holdings/state.ts';
import { Holding, readingTotals, TOTAL_PATHS, type TotalOptions, totalsOf } from './holdings/totals.ts';
import { dollarAdvice } from './balance/dollar-advice.ts';
import { bothForms, syntheticAddress, SYNTHETIC_DECIMALS } from './synthetic.ts';
import { CHANGED } from './one-change.ts';
import { createUnchangedAnswers } from './unchanged.ts';
import { holdingsWording } from './wording/holdings.ts';

export const holdings: Kind<TotalOptions, HoldingsState, HoldingsReading> = {
  name: 'holdings',
  summary: 'Every token an address holds: what arrives, leaves and changes.',
  noun: 'holding',
  fields: Holding,
  fieldOptions: ['tokens', 'readsTotals'],
  forReads: readingTotals,
  advice: { ...dollarAdvice('token.exchange_rate'), ofNamedTokens: { total_usd: 'tokens: all' } },
  events: {
    added: { doc: 'an item that came into the list', inBlocks: false },
    removed: { doc: 'an item that two successive polls of the whole list lack', inBlocks: false },
    changed: CHANGED,
  },
  while: { measured: null, only: TOTAL_PATHS, exported: ['total_usd'] },
  of: 'required',
  token: 'none',
  options: z.strictObject({
    tokens: z
      .literal('all')
      .optional()
      .describe('all: `total_usd` also counts scam tokens, and tokens that the config does not name'),
  }),
  state: HoldingsState,
  comparedByDefault: ['balance'],
  shown: ['token.symbol', 'token.address_hash', 'token.reputation', 'balance', 'token_id'],
  fleeting: [],
  wording: holdingsWording,
  question,
  head: ({ explorer }) => blocks(explorer),
  page: ({ address }, view) => pageOf(view) ?? (address === null ? null : `/address/${address.text}`),
  async observe(target, state, read): Promise<Reading<HoldingsReading>> {
    const page = await read.page(question(target), null);
    if (state !== null && unchanged.isUnchanged(page.content, state))
      return { seen: new KnownPage(page), partial: null };
    return readHoldings(read, question(target), { first: page, maxPages: target.maxPages });
  },
  *detect(target, state, seen, scope): Steps<Detection<HoldingsState>> {
    const detection = yield* unchanged.detect(seen.content, state, scope, () =>
      state === null || !state.hasBaseline ? baseline(state, seen, scope) : compare(state, seen, scope),
    );
    if (detection.doubt !== null) return detection;
    return { ...detection, now: yield* totalsOf(target, detection.state, seen, scope) };
  },
  scams: ({ items }) => [...unpackItems(items).values()].filter(isScam).length,
  history: null,
  examples: {},
  rowsOf,
  sourceOf: (path) => SOURCES.get(path) ?? path,
  script: {
    rows: 'holdings',
    record: TokenBalance,
    synthesize: (_target, { rows }) => ({ ...seenIn(rows.map(synthesize)), isWritten: true }),
  },
};

const SOURCES: ReadonlyMap<string, string> = new Map([
  ['balance_usd', 'token.exchange_rate'],
  ['total_usd', 'token.exchange_rate'],
  ['unpriced', 'token.exchange_rate'],
]);

const unchanged = createUnchangedAnswers<HoldingsState>();

function rowsOf(seen: HoldingsReading): SourceRows {
  return {
    content: seen.content,
    get rows() {
      return [...seen.rows.values()];
    },
  };
}

function isScam({ values }: HoldingItem): boolean {
  return values['token.reputation'] === 'scam';
}

function question({ explorer, address }: Target) {
  if (address === null) throw new TypeError('holdings needs an address');
  return addressTokens(explorer, address);
}

function pageOf(view: AnyView): string | null {
  const contract = valueAt(view, 'token.address_hash');
  return contract instanceof Address ? `/token/${contract.text}` : null;
}

/** Tests write lists as a whole, so a token without address and id is identified by its place in the list. */
function synthesize({ view, says, id }: SyntheticRow, index: number): HoldingRow {
  const written = view as HoldingRow;
  const token = written.token ?? Token.make({});
  const contract = token.address_hash ?? syntheticAddress(id ?? `holding ${index}`);
  const amounts = bothForms(written, says, decimalsOf(token) ?? SYNTHETIC_DECIMALS);
  return TokenBalance.over(written, {
    ...amounts,
    balance_usd: says.has('balance_usd') ? written.balance_usd : dollarsOf(amounts.balance, token.exchange_rate),
    token: Token.over(token, { address_hash: contract }),
  });
}
