// A message that is marked as a sample; operators send it to check a channel.
import type { Attempt, Delivery, Message } from '../core/model/delivery.ts';
import { newsOf } from '../core/model/delivery.ts';
import { idOf } from '../core/model/watch/identity.ts';
import type { Instant } from '../lib/clock.ts';
import type { AnyNotifier } from './notifier.ts';

/** The kind of a message that belongs to no watch. */
export const SAMPLE = 'sample';

/** A sample has one attempt. */
export const ONLY_TRY: Attempt = { number: 1, maybeCopy: false, receipt: null };

/** The recipients of a sample. A receiver that keeps its own state of alerts has no recipients. */
export function sampleRecipients({ name, notifier, to }: SampledChannel): readonly string[] {
  return notifier.mirror === undefined ? notifier.recipients(to, name) : [name];
}

interface SampledChannel {
  readonly name: string;
  readonly notifier: Pick<AnyNotifier, 'mirror' | 'recipients'>;
  readonly to: unknown;
}

export function sampleFor(channel: string, recipient: string, at: Instant): Delivery {
  const message: Message = {
    type: 'alert.event',
    at,
    key: idOf('sample', at),
    episode: 1,
    seq: 1,
    watch: 'sample',
    alert: 'notify-test',
    kind: SAMPLE,
    severity: 'info',
    explorer: 'none',
    chainId: null,
    place: null,
    zone: 'UTC',
    of: null,
    token: null,
    title: 'A test from Chainwarden',
    detail: null,
    measured: null,
    lines: [],
    runbook: null,
    text: [{ text: `If you read this, the channel ${channel} works. Nothing happened on any chain.` }],
    condition: 'chainwarden notify test',
    rule: 'no rule',
    observedAt: at,
    since: at,
    firedAt: null,
    resolvedAt: null,
    reason: null,
    late: false,
    fields: { value: { text: '1234.5' } },
    before: {},
    links: [],
    summary: null,
  };
  const id = idOf('sample', channel, recipient, at);
  return { id, channel, recipient, kind: 'news', at, members: [newsOf(message)], more: [] };
}
