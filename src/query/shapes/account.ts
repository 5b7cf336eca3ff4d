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
      .describe('The implementations in force, as messages name them. Null: not known, or the explorer shows none.'),
    proxy_type: z
      .string()
      .nullable()
      .describe('The way in which the proxy delegates. Null: not known, or it is no proxy.'),
    is_verified: z.boolean().nullable().describe('True if the source at the address itself is verified.'),
    at: Time.nullable().describe('The time of the last usable answer; null: there was none.'),
    is_stale: z.boolean().describe('True if the answer is old: the present code is not known.'),
  })
  .meta({ id: 'ContractCode', description: 'The code of the address, as a watch of kind `contract` sees it.' });
export type ContractCode = z.output<typeof ContractCode>;

export const ControlWatch = z
  .strictObject({
    watch: z.string(),
    kind: z.string(),
    since: Time.nullable().describe(
      '`changes` contains each change since then about which an alert of the watch was sent. Null: nothing was read yet.',
    ),
    told: Count.describe('The number of these changes since then.'),
    until: Time.nullable().describe('The time of its last usable answer.'),
  })
  .meta({ id: 'ControlWatch', description: 'A watch with an alert about changes of owner, roles or code.' });
export type ControlWatch = z.output<typeof ControlWatch>;

export const WatchedAddress = z
  .strictObject({
    of: z.array(Subject).describe('The address at each explorer where it is watched.'),
    code: z.array(ContractCode),
    changes: z
      .array(ItemRow)
      .describe(
        'The last changes of owner, roles and code about which an alert was sent, the newest first, at most 20.',
      ),
    control: z.array(ControlWatch).describe('The watches with alerts about these changes.'),
    alerts: z.array(AlertCard).describe('Open alerts of its watches, the most urgent first, at most 50.'),
    more_alerts: z.int().describe('The open alerts that are not listed.'),
    watches: z.array(WatchRow).describe('The watches of the address, and of the token at it, at most 100.'),
    more_watches: z.int().describe('The watches that are not listed.'),
  })
  .meta({
    id: 'WatchedAddress',
    description: 'A watched address: its code, its control, its open alerts and its watches.',
  });
export type WatchedAddress = z.output<typeof WatchedAddress>;
