// The recipients on the channels of a config.
import type { Recipient, RecipientsOf } from '../../core/model/ids.ts';
import type { Channel, Config } from '../model.ts';

/** The recipients of each channel, in the order of the config. */
export function recipientsIn({ channels }: Pick<Config, 'channels'>): RecipientsOf {
  const known = new Map<string, readonly Recipient[]>();
  return (name) => {
    const channel = channels.get(name);
    if (channel === undefined) return undefined;
    const recipients = known.get(name) ?? recipientsOf(channel);
    known.set(name, recipients);
    return recipients;
  };
}

function recipientsOf({ name, notifier, to, missing }: Channel): Recipient[] {
  if (missing.length > 0) return [];
  return notifier.recipients(to, name).map((recipient) => ({ channel: name, recipient }));
}
