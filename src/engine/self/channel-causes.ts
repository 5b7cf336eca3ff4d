// Causes of channels: messages that are pending for too long, were given up, or are refused.
import { highest } from '../../core/model/delivery.ts';
import type { Severity } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Moment } from '../../lib/time-zone.ts';
import { untrusted } from '../../lib/untrusted.ts';
import type { OutboxDepth } from '../../store/contract/deliveries.ts';
import type { ChannelHealth } from '../sending/channel-health.ts';
import { counted, type Cause } from './cause.ts';
import { sinceText } from './words.ts';

/** Four attempts of a message take about this time. */
const OWED_MS = 5 * 60_000;
/** The time for which a message that was given up is reported. */
export const DEAD_MS = 24 * 3_600_000;

export interface ChannelFacts extends Moment {
  /** The health of the channels in the config, from the outcomes of their attempts. */
  readonly health: ReadonlyMap<string, ChannelHealth>;
  readonly backlog: { readonly owed: readonly OutboxDepth[]; readonly dead: readonly OutboxDepth[] };
  readonly watches: readonly Watch[];
}

export function channelCauses(facts: ChannelFacts): Cause[] {
  return [...facts.health].flatMap(([channel, health]) => {
    const parts = [...failing(channel, health, facts), ...dead(channel, facts), ...refused(channel, health, facts)];
    if (parts.length === 0) return [];
    const severity = severityOf(channel, facts);
    return parts.map((part) => ({ subject: channel, severity, watches: null, isExplained: false, ...part }));
  });
}

type Part = Pick<Cause, 'alert' | 'since' | 'title' | 'text'> & { readonly isExplained?: boolean };

function failing(channel: string, health: ChannelHealth, { backlog, ...moment }: ChannelFacts): Part[] {
  const owed = backlog.owed.find((one) => one.channel === channel);
  if (owed === undefined || moment.now - owed.oldest <= OWED_MS) return [];
  const why =
    health.lastFailure === null ? [] : [{ text: ' Last answer: ' }, { untrusted: untrusted(health.lastFailure) }];
  return [
    {
      alert: 'delivery-failing',
      since: owed.oldest,
      title: `${counted(owed.rows, 'message')} not delivered on ${channel}`,
      text: [{ text: `${sinceText(owed.oldest, moment)}.` }, ...why],
      isExplained: health.refusal !== null,
    },
  ];
}

function dead(channel: string, { backlog, ...moment }: ChannelFacts): Part[] {
  const found = backlog.dead.find((one) => one.channel === channel);
  if (found === undefined) return [];
  return [
    {
      alert: 'dead-letter',
      since: found.oldest,
      title: `${counted(found.rows, 'message')} to ${channel} given up`,
      text: [{ text: `${sinceText(found.oldest, moment)}. chainwarden status lists them.` }],
    },
  ];
}

function refused(channel: string, { refusal }: ChannelHealth, moment: ChannelFacts): Part[] {
  if (refusal === null) return [];
  return [
    {
      alert: 'channel-auth',
      since: refusal.since,
      title: `${channel} refuses what is sent to it`,
      text: [{ text: `${sinceText(refusal.since, moment)}: ` }, { untrusted: untrusted(refusal.why) }],
    },
  ];
}

/** The highest severity of the alerts of a channel; a warning if it has none. */
function severityOf(channel: string, { watches }: ChannelFacts): Severity {
  const alerts = watches.flatMap((watch) => watch.alerts.filter(({ notify }) => notify.includes(channel)));
  return alerts.length === 0 ? 'warning' : highest(alerts.map(({ severity }) => severity));
}
