// The journal, for people.
import { z } from 'zod';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { list, SeverityShape, Text } from './common.ts';

export const HISTORY_FILTERS = ['alerts', 'deliveries', 'people', 'explorers', 'rules'] as const;

export const HistoryEntry = z
  .strictObject({
    number: z.int().describe('Rises with every line.'),
    at: Time,
    kind: z.string().describe('As the journal has it: `decided`, `told`, `ack` and so on.'),
    what: z.string().describe('`fires`, `resolved`, `acknowledged`.'),
    severity: SeverityShape.nullable(),
    subject: z.string(),
    watch: z.string().nullable(),
    alert: z.string().nullable(),
    key: z.string().nullable(),
    episode: z.int().nullable(),
    title: z.string(),
    how: Text,
    notified: z.array(z.string()).describe('Channels that were to be notified.'),
    actor: z.string().describe('`daemon`, or an operator.'),
    data: z.unknown().describe('As the journal has it.'),
    position: z.int().nullable().describe('In the chain; null: the line is not chained yet.'),
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
          watches: Count.describe('Of which nothing was known.'),
          cause: z.string().describe('`timeout`, `stale` and so on.'),
          from: Time,
          until: Time.nullable().describe('Null: it lasts, or goes on after the day.'),
        }),
      )
      .describe('The first twenty of them.'),
  })
  .meta({ id: 'HistoryDay', description: 'A day of the time zone of the page, with what is not known of it.' });
export type HistoryDay = z.output<typeof HistoryDay>;

export const HistoryList = list(HistoryEntry)
  .extend({ days: z.array(HistoryDay).describe('Those of the lines, the newest first.') })
  .meta({ id: 'HistoryList' });
export type HistoryList = z.output<typeof HistoryList>;
