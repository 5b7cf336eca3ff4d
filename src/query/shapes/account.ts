// One address that is watched.
import { z } from 'zod';
import { Count, Time } from '../../core/values/answer-shapes.ts';
import { AlertCard, ItemRow } from './alerts.ts';
import { ChainText, Subject } from './common.ts';
import { WatchRow } from './watches.ts';

const Implementation = Subject.extend({
  address: z.string().describe('In the spelling of the explorer.'),
  given: ChainText.nullable().describe('The name that the contract gives itself.'),
}).meta({ id: 'Implementation', description: 'A contract behind a proxy.' });

export const ContractCode = z
  .strictObject({
    watch: z.string(),
    explorer: z.string(),
    implementations: z
      .array(Implementation)
      .nullable()
      .describe('Those that count, as messages name them. Null: not known, or the explorer shows none.'),
    proxy_type: z.string().nullable().describe('How the proxy delegates. Null: not known, or it is no proxy.'),
    is_verified: z.boolean().nullable().describe('Whether the source at the address itself is verified.'),
    at: Time.nullable().describe('Of the last usable answer; null: there was none.'),
    is_stale: z.boolean().describe('It was so; nobody knows what it is now.'),
  })
  .meta({ id: 'ContractCode', description: 'The code of the address, as a watch of kind `contract` sees it.' });
export type ContractCode = z.output<typeof ContractCode>;

export const ControlWatch = z
  .strictObject({
    watch: z.string(),
    kind: z.string(),
    since: Time.nullable().describe(
      'Each change that an alert of the watch told since then is in `changes`. Null: nothing was read yet.',
    ),
    told: Count.describe('How many of these changes it told since then.'),
    until: Time.nullable().describe('The time of its last usable answer.'),
  })
  .meta({ id: 'ControlWatch', description: 'A watch that tells changes of owner, roles or code.' });
export type ControlWatch = z.output<typeof ControlWatch>;

export const WatchedAddress = z
  .strictObject({
    of: z.array(Subject).describe('The address at each explorer where it is watched.'),
    code: z.array(ContractCode),
    changes: z
      .array(ItemRow)
      .describe('The last changes of owner, roles and code that were told, the newest first, at most 20.'),
    control: z.array(ControlWatch).describe('The watches that tell these changes.'),
    alerts: z.array(AlertCard).describe('Open alerts of its watches, the most urgent first, at most 50.'),
    more_alerts: z.int().describe('The open alerts that are not listed.'),
    watches: z.array(WatchRow).describe('Those of the address, and of the token at it, at most 100.'),
    more_watches: z.int().describe('The watches that are not listed.'),
  })
  .meta({
    id: 'WatchedAddress',
    description: 'A watched address: its code, its control, its open alerts and its watches.',
  });
export type WatchedAddress = z.output<typeof WatchedAddress>;
