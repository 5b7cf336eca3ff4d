// What queries are asked. What they answer stands in shapes/, a file for each page or two.
import { z } from 'zod';
import { ALERT_STATES } from './shapes/alerts.ts';
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

/** For `watches`, `accounts`, `alerts` and `rules`; each looks at the filters that it knows. */
export const ListFilter = z.strictObject({
  q: search,
  state: z
    .enum([...WATCH_STATES, ...ALERT_STATES, 'open', 'below-limit', 'within-tenth', 'old-data', 'unhealthy', 'fired'])
    .nullable()
    .default(null),
  explorer: z.string().max(MOST_TEXT).nullable().default(null),
  rule: z.string().max(MOST_TEXT).nullable().default(null),
  severity: SeverityShape.nullable().default(null),
  sort: z.enum(['problems', 'closest', 'oldest', 'credits']).nullable().default(null),
  ...paging,
});
export type ListFilter = z.output<typeof ListFilter>;

export const HistoryListFilter = z.strictObject({
  q: search,
  show: z.enum(HISTORY_FILTERS).nullable().default(null),
  complete: z.stringbool().default(false).describe('With the lines of polls that another line says again.'),
  ...paging,
});
export type HistoryListFilter = z.output<typeof HistoryListFilter>;

export const DeliveryListFilter = z.strictObject({
  state: z.enum(['problems', 'given-up', 'owed', 'sent']).nullable().default(null),
  channel: z.string().max(MOST_TEXT).nullable().default(null),
  ...paging,
});
export type DeliveryListFilter = z.output<typeof DeliveryListFilter>;

export const STEPS = ['6h', '24h', '7d', '30d'] as const;

export const SamplesFilter = z.strictObject({
  field: z.string().max(MOST_TEXT).nullable().default(null).describe('Left out: the value that the watch measures.'),
  since: z.enum(STEPS).default('6h'),
});
export type SamplesFilter = z.output<typeof SamplesFilter>;
