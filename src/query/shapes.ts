// The inputs of queries. Their answers are in shapes/, a file for each page or two.
import { z } from 'zod';
import { WrittenTime } from '../operators/shapes.ts';
import { SeverityShape } from './shapes/common.ts';
import { HISTORY_FILTERS } from './shapes/history.ts';
import { WATCH_STATES } from './shapes/watches.ts';

const MOST_TEXT = 100;
const MOST_ITEMS = 500;
const ITEMS = 100;

const paging = {
  after: z.string().max(500).nullable().default(null).describe('`next` of the page before.'),
  limit: z.coerce.number().int().min(1).max(MOST_ITEMS).default(ITEMS),
};
const search = z.string().max(MOST_TEXT).nullable().default(null).describe('A part of a name, address or token.');

const name = z.string().max(MOST_TEXT).nullable().default(null);

const LABEL = /^[A-Za-z_]\w{0,99}=./;
const MOST_LABELS = 10;
const NO_LABEL = 'is not written as a label and its value, such as team=treasury';

/** The parameter may occur several times in an address. */
const label = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z.array(z.string(NO_LABEL).max(300).regex(LABEL, NO_LABEL)).max(MOST_LABELS, `are more than ${MOST_LABELS}`),
  )
  .default([])
  .describe('`team=treasury`: only what has this label. Of several it has all.');

export const OverviewFilter = z.strictObject({ label });
export type OverviewFilter = z.output<typeof OverviewFilter>;

/** Filters of watches, and of data that belong to watches. */
const ofWatches = {
  q: search,
  label,
  explorer: name,
  rule: name,
  severity: SeverityShape.nullable().default(null),
};

export const WatchListFilter = z.strictObject({
  ...ofWatches,
  state: z
    .enum([...WATCH_STATES, 'unhealthy'])
    .nullable()
    .default(null),
  sort: z.enum(['problems', 'closest', 'oldest', 'credits']).nullable().default(null),
  ...paging,
});
export type WatchListFilter = z.output<typeof WatchListFilter>;
/** The filters that select watches of any state. */
export type WatchSearch = Pick<WatchListFilter, keyof typeof ofWatches>;

export const AccountListFilter = z.strictObject({
  ...ofWatches,
  state: z.enum(['below-limit', 'within-tenth', 'old-data']).nullable().default(null),
  ...paging,
});
export type AccountListFilter = z.output<typeof AccountListFilter>;

export const AlertListFilter = z.strictObject({
  ...ofWatches,
  state: z.enum(['firing', 'event', 'silenced']).nullable().default(null),
  ...paging,
});
export type AlertListFilter = z.output<typeof AlertListFilter>;

export const RuleListFilter = z.strictObject({
  q: search,
  rule: name,
  severity: SeverityShape.nullable().default(null),
  state: z.enum(['unhealthy', 'fired']).nullable().default(null),
  ...paging,
});
export type RuleListFilter = z.output<typeof RuleListFilter>;

export const HistoryListFilter = z.strictObject({
  q: search,
  label,
  show: z.enum(HISTORY_FILTERS).nullable().default(null),
  since: WrittenTime.nullable().default(null).describe('The first time of which lines are wanted.'),
  until: WrittenTime.nullable().default(null).describe('The time before which lines are wanted.'),
  complete: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      'With the lines of polls that another line says again, and with failed tries where nothing is shown alone.',
    ),
  ...paging,
});
export type HistoryListFilter = z.output<typeof HistoryListFilter>;

export const DeliveryListFilter = z.strictObject({
  state: z.enum(['problems', 'given-up', 'owed', 'sent']).nullable().default(null),
  channel: name,
  ...paging,
});
export type DeliveryListFilter = z.output<typeof DeliveryListFilter>;

export const STEPS = ['6h', '24h', '7d', '30d'] as const;

export const SamplesFilter = z.strictObject({
  field: z.string().max(MOST_TEXT).nullable().default(null).describe('Left out: the value that the watch measures.'),
  since: z.enum(STEPS).default('6h'),
});
export type SamplesFilter = z.output<typeof SamplesFilter>;
