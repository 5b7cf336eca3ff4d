// The journal, for people.
import { z } from 'zod';
import { list, Severity, Text, Time } from './common.ts';

export const HISTORY_FILTERS = ['alerts', 'deliveries', 'people', 'explorers', 'rules'] as const;

export const HistoryEntry = z
  .strictObject({
    number: z.int().describe('Rises with every line.'),
    at: Time,
    kind: z.string().describe('As the journal has it: `decided`, `told`, `ack` and so on.'),
    what: z.string().describe('`fires`, `resolved`, `acknowledged`.'),
    severity: Severity.nullable(),
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
    blocks: z.array(z.strictObject({ explorer: z.string(), from: z.string(), to: z.string() })),
    gaps: z.array(z.strictObject({ watch: z.string(), from: Time, until: Time.nullable(), cause: z.string() })),
  })
  .meta({ id: 'HistoryDay', description: 'What was covered on a day of the time zone of the page.' });
export type HistoryDay = z.output<typeof HistoryDay>;

export const HistoryList = list(HistoryEntry)
  .extend({ days: z.array(HistoryDay) })
  .meta({ id: 'HistoryList' });
export type HistoryList = z.output<typeof HistoryList>;
