// The journal, for people.
import { z } from 'zod';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { list, SeverityShape, Text } from './common.ts';

export const HISTORY_FILTERS = ['alerts', 'deliveries', 'people', 'explorers', 'rules'] as const;

export const HistoryEntry = z
  .strictObject({
    number: z.int().describe('Rises with every line.'),
    at: Time,
    kind: z.string().describe('The kind of the line in the journal: `decided`, `told`, `ack` and so on.'),
    what: z.string().describe('`fires`, `resolved`, `acknowledged`.'),
    severity: SeverityShape.nullable(),
    subject: z.string(),
    watch: z.string().nullable(),
    alert: z.string().nullable(),
    key: z.string().nullable(),
    episode: z.int().nullable(),
    title: z.string(),
    how: Text,
    notified: z.array(z.string()).describe('The channels to which the message was to be sent.'),
    actor: z.string().describe('`daemon`, or an operator.'),
    data: z.unknown().describe('The data of the line in the journal.'),
    position: z.int().nullable().describe('The position in the hash chain; null: the line is not chained yet.'),
    hash: z.string().nullable(),
  })
  .meta({ id: 'HistoryEntry', description: 'A line of the journal.' });
export type HistoryEntry = z.output<typeof HistoryEntry>;

export const HistoryDay = z
  .strictObject({
    day: z.iso.date(),
    gaps: z
      .array(
        z.strictObject({
          explorer: z.string(),
          watches: Count.describe('The number of watches of which nothing was known.'),
          cause: z.string().describe('`timeout`, `stale` and so on.'),
          from: Time,
          until: Time.nullable().describe('The end; null if the gap continues now or after the day.'),
        }),
      )
      .describe('The first twenty gaps of the day.'),
  })
  .meta({ id: 'HistoryDay', description: 'A day of the time zone of the page, with what is not known of it.' });
export type HistoryDay = z.output<typeof HistoryDay>;

export const HistoryList = list(HistoryEntry)
  .extend({ days: z.array(HistoryDay).describe('The days of the lines, the newest first.') })
  .meta({ id: 'HistoryList' });
export type HistoryList = z.output<typeof HistoryList>;
