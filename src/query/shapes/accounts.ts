// Balances by account, and the values of one watch over time.
import { z } from 'zod';
import { Time } from '../../core/values/answer-shapes.ts';
import { AmountShape, list, MeasureShape, Point, SeverityShape, Subject } from './common.ts';
import { WatchState } from './watches.ts';

export const AccountRow = z
  .strictObject({
    of: Subject,
    asset: z.string().describe('The symbol of the coin, or what the config calls the token.'),
    token: z.string().nullable().describe('The address of the token; null: the coin.'),
    watch: z.string(),
    state: WatchState,
    severity: SeverityShape.nullable().describe('Of what fires or is pending.'),
    since: Time.nullable().describe('Of the state.'),
    fires_at: Time.nullable().describe('Of what is pending: when it fires, if nothing changes.'),
    measure: MeasureShape,
    balance: AmountShape.nullable().describe('In the asset. `measure` may be of another field, such as `balance_usd`.'),
    usd: AmountShape.nullable().describe(
      'The balance in US dollars, exact; null: its price or the balance is not known.',
    ),
    rate: AmountShape.nullable().describe('The price of one coin or token in US dollars, of the same answer.'),
    change_24h: z.number().nullable().describe('0.1 is 10 % more than 24 hours ago.'),
    line: z.array(Point).describe('The value over the last 24 hours, oldest first.'),
    outflow: z
      .strictObject({ amount: AmountShape, at: Time })
      .nullable()
      .describe('The newest fall between two answers that is kept.'),
  })
  .meta({ id: 'AccountRow', description: 'A balance that is watched.' });
export type AccountRow = z.output<typeof AccountRow>;

const Total = {
  usd: AmountShape.nullable().describe('The sum in US dollars, exact; null: no price is known.'),
  balances: z.int().describe('How many balances are in the sum. What several watches read counts once.'),
  old: z.int().describe('How many balances of the sum are old: their watches were not answered since.'),
  unpriced: z.int().describe('How many balances have no price, so that they are in no sum.'),
  unknown: z.int().describe('How many balances are not known.'),
};
const ExplorerTotal = z.strictObject({ explorer: z.string(), ...Total }).meta({ id: 'ExplorerTotal' });
export type ExplorerTotal = z.output<typeof ExplorerTotal>;

const AccountTotals = z
  .strictObject({ ...Total, explorers: z.array(ExplorerTotal) })
  .meta({ id: 'AccountTotals', description: 'The balances of all pages in US dollars.' });
export type AccountTotals = z.output<typeof AccountTotals>;

export const AccountList = list(AccountRow)
  .extend({
    totals: AccountTotals,
    scams: z
      .array(z.strictObject({ of: Subject, watch: z.string(), count: z.int() }))
      .describe('Scam tokens of these accounts, by the watch whose rule looks at the reputation. They are no items.'),
    counts: z.strictObject({
      all: z.int(),
      below_limit: z.int(),
      within_tenth: z.int().describe('Not beyond the limit, and nearer to it than 10 %.'),
      old_data: z.int(),
    }),
  })
  .meta({ id: 'AccountList' });
export type AccountList = z.output<typeof AccountList>;

const DrawnLimit = z
  .strictObject({
    alert: z.string(),
    severity: SeverityShape,
    fires: z.enum(['below', 'above']).describe('On which side of the limit.'),
    fire: AmountShape.describe('The limit at which it fires.'),
    clear: AmountShape.describe('The limit at which it ends.'),
  })
  .meta({ id: 'DrawnLimit', description: 'The limits of one alert.' });
export type DrawnLimit = z.output<typeof DrawnLimit>;

const DrawnEpisode = z
  .strictObject({ alert: z.string(), severity: SeverityShape, from: Time, until: Time.nullable() })
  .meta({ id: 'DrawnEpisode', description: 'When an alert fired.' });
export type DrawnEpisode = z.output<typeof DrawnEpisode>;

export const Series = z
  .strictObject({
    field: z.string(),
    unit: z.string(),
    from: Time.describe('Where the chart begins: of a watch that is new, its first poll.'),
    points: z.array(Point).describe('Oldest first. A value holds until the next point.'),
    gaps: z.array(z.tuple([Time, Time])).describe('Where nothing is known.'),
    limits: z.array(DrawnLimit).describe('Of the alerts that compare the field itself.'),
    episodes: z.array(DrawnEpisode).describe('Of the alerts of the watch, the oldest first.'),
    notified: z.array(Time).describe('When somebody was notified.'),
  })
  .meta({ id: 'Series', description: 'A value over time.' });
export type Series = z.output<typeof Series>;
