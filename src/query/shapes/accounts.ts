// Balances by account, and the values of one watch over time.
import { z } from 'zod';
import { Time } from '../../core/values/answer-shapes.ts';
import { AmountShape, list, MeasureShape, Point, SeverityShape, Subject } from './common.ts';
import { WatchState } from './watches.ts';

export const AccountRow = z
  .strictObject({
    of: Subject,
    asset: z.string().describe('The symbol of the coin, or the name of the token in the config.'),
    token: z.string().nullable().describe('The address of the token; null: the coin.'),
    watch: z.string(),
    state: WatchState,
    severity: SeverityShape.nullable().describe('The severity of the alert that fires or is pending.'),
    since: Time.nullable().describe('The time at which the state began.'),
    fires_at: Time.nullable().describe('The time at which the pending alert fires if nothing changes.'),
    measure: MeasureShape,
    balance: AmountShape.nullable().describe(
      'The balance in the asset. `measure` may be of another field, such as `balance_usd`.',
    ),
    usd: AmountShape.nullable().describe(
      'The balance in US dollars, exact; null: its price or the balance is not known.',
    ),
    rate: AmountShape.nullable().describe('The price of one coin or token in US dollars, from the same answer.'),
    change_24h: z.number().nullable().describe('The change in 24 hours: 0.1 is 10 % more than 24 hours ago.'),
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
  balances: z.int().describe('The number of balances in the sum. A balance that several watches read counts once.'),
  old: z.int().describe('The number of balances in the sum that are old: their watches got no usable answer since.'),
  unpriced: z.int().describe('The number of balances without a price. They are not in the sum.'),
  unknown: z.int().describe('The number of balances that are not known.'),
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
      .describe(
        'Scam tokens of these accounts, by the watch whose rule reads the reputation. They are not in `items`.',
      ),
    counts: z.strictObject({
      all: z.int(),
      below_limit: z.int(),
      within_tenth: z.int().describe('Balances that are not beyond the limit, and nearer to it than 10 %.'),
      old_data: z.int(),
    }),
  })
  .meta({ id: 'AccountList' });
export type AccountList = z.output<typeof AccountList>;

const DrawnLimit = z
  .strictObject({
    alert: z.string(),
    severity: SeverityShape,
    fires: z.enum(['below', 'above']).describe('The side of the limit on which the alert fires.'),
    fire: AmountShape.describe('The limit at which it fires.'),
    clear: AmountShape.describe('The limit at which it ends.'),
  })
  .meta({ id: 'DrawnLimit', description: 'The limits of one alert.' });
export type DrawnLimit = z.output<typeof DrawnLimit>;

const DrawnEpisode = z
  .strictObject({ alert: z.string(), severity: SeverityShape, from: Time, until: Time.nullable() })
  .meta({ id: 'DrawnEpisode', description: 'The time during which an alert fired.' });
export type DrawnEpisode = z.output<typeof DrawnEpisode>;

export const Series = z
  .strictObject({
    field: z.string(),
    unit: z.string(),
    from: Time.describe('The time at which the chart begins. The chart of a new watch begins at its first poll.'),
    points: z.array(Point).describe('Oldest first. A value holds until the next point.'),
    gaps: z.array(z.tuple([Time, Time])).describe('Times of which nothing is known.'),
    limits: z.array(DrawnLimit).describe('The limits of the alerts that compare the field itself.'),
    episodes: z.array(DrawnEpisode).describe('Times during which alerts of the watch fired, the oldest first.'),
    notified: z.array(Time).describe('The times at which somebody was notified.'),
  })
  .meta({ id: 'Series', description: 'A value over time.' });
export type Series = z.output<typeof Series>;
