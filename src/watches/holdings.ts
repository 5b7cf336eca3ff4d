import { z } from 'zod';
import { Address } from '../core/values/address.ts';
import { valueAt, type AnyView, type View } from '../core/values/fields.ts';
import { idOf } from '../core/model/identity.ts';
import type { DetectedEvent, Detection, Kind, Reading, Scope, SyntheticRow, Target } from '../core/model/kind.ts';
import { track, viewOf, type Remembered } from '../core/values/tracked.ts';
import { rawText } from '../lib/untrusted.ts';
import { needOf } from '../core/chain/tick-chain.ts';
import { addressTokens, blocks } from '../explorer/reading/endpoints.ts';
import type { Page } from '../core/model/question.ts';
import { again, readAll, type Pages } from '../explorer/reading/paging.ts';
import { decimalsOf, Token, TokenBalance } from '../explorer/reading/resources.ts';
import { bothForms, syntheticAddress, SYNTHETIC_DECIMALS } from './synthetic.ts';
import { createUnchangedAnswers } from './unchanged.ts';
import { firstCount, remembered } from './values.ts';

type Fields = typeof TokenBalance.fields;
type Row = View<Fields>;

interface Item {
  readonly values: Remembered;
  /** The counter when it arrived, and when it last changed: they make each occurrence's key its own. */
  readonly arrival: number;
  readonly change: number;
}

interface State {
  readonly items: Readonly<Record<string, Item>>;
  /** Counts occurrences, so that a second arrival of a token is news. */
  readonly counter: number;
  /** Polls in a row that showed an empty list after a full one: the third is believed. */
  readonly empty: number;
  /** Height of the chain's head when a token last arrived: an explorer that has not read so far removes none. */
  readonly head: number | null;
  /** False: so far the list was empty. What it shows first is the baseline. */
  readonly hasBaseline: boolean;
}

const State: z.ZodType<State> = z.object({
  items: z.record(z.string(), z.object({ values: remembered, arrival: z.number(), change: z.number() })),
  counter: z.number(),
  empty: z.number(),
  head: z.number().nullable().default(null),
  hasBaseline: z.boolean().default(true),
});

interface HoldingsReading {
  /** Of the page, where the whole list is one. */
  readonly content?: object | undefined;
  readonly rows: ReadonlyMap<string, Row>;
  /** Rows without a token: they cannot be told from others, so nothing is judged to be gone. */
  readonly nameless: number;
  /** Written by a test: an empty list is believed at once. */
  readonly isWritten?: true;
}

// A token that is gone has to be named from memory.
const ALWAYS_TRACKED = ['token.address_hash', 'token.symbol'];
const EMPTY_POLLS_NEEDED = 3;

export const holdings: Kind<object, State, HoldingsReading> = {
  name: 'holdings',
  summary: 'Every token an address holds: what arrives, leaves and changes.',
  noun: 'holding',
  fields: TokenBalance,
  events: ['added', 'removed', 'changed'],
  conditions: false,
  of: 'required',
  token: 'none',
  options: z.strictObject({}),
  state: State,
  comparedByDefault: ['balance'],
  shown: ['token.symbol', 'token.address_hash', 'token.reputation', 'balance', 'token_id'],
  fleeting: [],
  measured: null,
  exported: [],
  question,
  head: ({ explorer }) => blocks(explorer),
  page: (_target, view) => pageOf(view),
  async observe(target, state, read): Promise<Reading<HoldingsReading>> {
    const page = await read.page(question(target), null);
    if (state !== null && unchanged.isUnchanged(page.content, state)) return { seen: seenAgain(page), partial: null };
    const first = await readOn(target, read, page);
    if (first.partial !== null || state === null || !hasMissing(state, first.seen)) return first;
    // A row can slip between two pages while prices move the order: what is missing is looked for once more.
    const anew = again(read);
    const second = await readOn(target, anew, await anew.page(question(target), null));
    const rows = new Map([...second.seen.rows, ...first.seen.rows]);
    return { seen: { rows, nameless: first.seen.nameless + second.seen.nameless }, partial: second.partial };
  },
  detect: (_target, state, seen, scope): Detection<State> =>
    unchanged.detect(seen.content, state, scope, () =>
      state === null || !state.hasBaseline ? baseline(state, seen, scope) : compare(state, seen, scope),
    ),
  script: {
    rows: 'holdings',
    record: TokenBalance,
    synthesize: (_target, { rows }) => ({ ...seenIn(rows.map(synthesize)), isWritten: true }),
  },
};

const unchanged = createUnchangedAnswers<State>();

interface Draft {
  readonly items: Record<string, Item>;
  counter: number;
  readonly events: DetectedEvent[];
  differs: boolean;
}

/**
 * Only a complete list is a baseline: what a partial one leaves out would arrive later and never have been new. An
 * explorer that has not filled its list yet shows an empty one: the third in a row is believed.
 */
function baseline(state: State | null, seen: HoldingsReading, scope: Scope): Detection<State> {
  const nothing = { events: [], now: null, before: null, range: null, notes: notesOf(seen), needs: null };
  if (!scope.isComplete) return { ...nothing, state, baseline: null };
  const empty = seen.rows.size === 0 ? (state?.empty ?? 0) + 1 : 0;
  const isBelieved = empty === 0 || empty >= EMPTY_POLLS_NEEDED || seen.isWritten === true;
  const counter = state?.counter ?? firstCount(scope.at);
  if (!isBelieved)
    return { ...nothing, state: { items: {}, counter, empty, head: null, hasBaseline: false }, baseline: null };
  const items: Record<string, Item> = {};
  for (const [key, row] of seen.rows) items[key] = { values: valuesOf(null, row, scope).after, arrival: 0, change: 0 };
  const events = [...seen.rows].map(([key, row]) => eventOf('added', `${key}#0`, 'baseline', row, null));
  const after = { items, counter, empty: 0, head: null, hasBaseline: true };
  return { ...nothing, state: after, events, baseline: seen.rows.size };
}

function compare(state: State, seen: HoldingsReading, scope: Scope): Detection<State> {
  const draft: Draft = { items: { ...state.items }, counter: state.counter, events: [], differs: false };
  for (const [key, row] of seen.rows) detectRow(draft, key, row, scope);
  const hasArrival = draft.events.some(({ on, novelty }) => on === 'added' && novelty === 'new');
  const isBehind = hasMissing(state, seen) && state.head !== null && (headIn(scope) ?? -1) < state.head;
  const empty = isBehind ? state.empty : detectMissing(draft, state, seen, scope);
  const head = hasArrival ? (headIn(scope) ?? state.head) : state.head;
  const isSame = !draft.differs && empty === state.empty && head === state.head;
  return {
    state: isSame ? state : { items: draft.items, counter: draft.counter, empty, head, hasBaseline: true },
    events: draft.events,
    now: null,
    before: null,
    range: null,
    baseline: null,
    notes: [...notesOf(seen), ...(isBehind ? [BEHIND] : [])],
    needs: hasArrival || isBehind ? needOf(scope.chain, state.head ?? 0) : null,
  };
}

const BEHIND = 'the explorer has not read as far as when a token last arrived: nothing is judged to be gone';

function headIn({ chain }: Scope): number | null {
  return typeof chain === 'object' ? chain.head : null;
}

function detectRow(draft: Draft, key: string, row: Row, scope: Scope): void {
  const item = draft.items[key];
  if (item === undefined) {
    const arrival = (draft.counter += 1);
    draft.items[key] = { values: valuesOf(null, row, scope).after, arrival, change: arrival };
    draft.events.push(eventOf('added', `${key}#${arrival}`, 'new', row, null));
    draft.differs = true;
    return;
  }
  const { after, changed } = valuesOf(item.values, row, scope);
  const change = changed.length > 0 ? (draft.counter += 1) : item.change;
  if (after !== item.values) {
    draft.items[key] = { ...item, values: after, change };
    draft.differs = true;
  }
  draft.events.push(eventOf('added', `${key}#${item.arrival}`, 'known', row, null));
  const novelty = changed.length > 0 ? 'new' : 'known';
  draft.events.push({ ...eventOf('changed', `${key}#${change}`, novelty, row, item.values), changed });
}

/** Returns how many polls in a row were empty. Takes out what a complete reading, done twice, no longer shows. */
function detectMissing(draft: Draft, state: State, seen: HoldingsReading, scope: Scope): number {
  const missing = Object.entries(state.items).filter(([key]) => !seen.rows.has(key));
  if (!scope.isComplete || seen.nameless > 0) return state.empty;
  const empty = seen.rows.size === 0 && missing.length > 0 ? state.empty + 1 : 0;
  if (empty > 0 && empty < EMPTY_POLLS_NEEDED) return empty;
  for (const [key, { values }] of missing) {
    draft.counter += 1;
    draft.differs = true;
    Reflect.deleteProperty(draft.items, key);
    draft.events.push(eventOf('removed', `${key}#${draft.counter}`, 'new', viewOf(TokenBalance, values), values));
  }
  return 0;
}

function eventOf(
  on: DetectedEvent['on'],
  key: string,
  novelty: DetectedEvent['novelty'],
  view: AnyView,
  before: Remembered | null,
): DetectedEvent {
  return { on, key, novelty, view, before, changed: [], happenedAt: null, block: 'nowhere' };
}

function valuesOf(before: Remembered | null, row: Row, scope: Scope) {
  return track(before, row, [...ALWAYS_TRACKED, ...scope.tracked]);
}

function hasMissing(state: State, seen: HoldingsReading): boolean {
  return Object.keys(state.items).some((key) => !seen.rows.has(key));
}

/** The whole list, from its first page on. */
async function readOn(target: Target, read: Pages, first: Page<Fields>): Promise<Reading<HoldingsReading>> {
  const { maxPages } = target;
  const { rows, pages, partial } = await readAll(read, question(target), { identityOf, maxPages, first });
  // An empty list counts anew in every poll until it is believed, though the answer is the very same.
  const content = pages === 1 && partial === null && rows.length > 0 ? first.content : undefined;
  return { seen: { ...seenIn(rows), content }, partial };
}

/** A list that came before is decoded only for who looks at it. */
function seenAgain(page: Page<Fields>): HoldingsReading {
  return {
    content: page.content,
    get rows() {
      return seenIn(page.rows).rows;
    },
    nameless: 0,
  };
}

function seenIn(rows: readonly Row[]): HoldingsReading {
  const named = rows.flatMap((row) => {
    const key = identityOf(row);
    return key === undefined ? [] : [[key, row] as const];
  });
  return { rows: new Map(named), nameless: rows.length - named.length };
}

/** Lists are written whole, so a token without a name is the one that stood at the same place before. */
function synthesize({ view, says, id }: SyntheticRow, index: number): Row {
  const written = view as Row;
  const token = written.token ?? Token.make({});
  const contract = token.address_hash ?? syntheticAddress(id ?? `holding ${index}`);
  return TokenBalance.over(written, {
    ...bothForms(written, says, decimalsOf(token) ?? SYNTHETIC_DECIMALS),
    token: Token.over(token, { address_hash: contract }),
  });
}

/** The token's address, and the number of the piece where pieces differ. */
function identityOf({ token, token_id }: Row): string | undefined {
  const contract = token?.address_hash?.key;
  if (contract === undefined) return undefined;
  if (token_id === undefined) return contract;
  // The number of a piece is text of the chain: what is not a number enters the key as a hash only.
  const piece = rawText(token_id);
  return `${contract}/${/^\d{1,78}$/.test(piece) ? piece : idOf(piece)}`;
}

function question({ explorer, address }: Target) {
  if (address === null) throw new TypeError('holdings needs an address');
  return addressTokens(explorer, address);
}

function notesOf({ nameless }: HoldingsReading): string[] {
  return nameless === 0 ? [] : [`${nameless} rows without a token: nothing is judged to be gone`];
}

function pageOf(view: AnyView): string | null {
  const contract = valueAt(view, 'token.address_hash');
  return contract instanceof Address ? `/token/${contract.text}` : null;
}
