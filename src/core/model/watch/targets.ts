import type { Recipient, RecipientsOf } from '../ids.ts';

/** A target as a key of a map. */
export function targetKey({ channel, recipient }: Recipient): string {
  return JSON.stringify([channel, recipient]);
}

/** The target of a key made by `targetKey`. */
export function targetOf(key: string): Recipient {
  const [channel, recipient] = JSON.parse(key) as [string, string];
  return { channel, recipient };
}

/** Each target once, in the order in which they first appear. */
export function distinctTargets(targets: readonly Recipient[]): Recipient[] {
  return [...new Map(targets.map((target) => [targetKey(target), target])).values()];
}

/** True if the channel has the recipient. */
export function isAmong({ channel, recipient }: Recipient, recipientsOf: RecipientsOf): boolean {
  return recipientsOf(channel)?.some((one) => one.recipient === recipient) ?? false;
}
