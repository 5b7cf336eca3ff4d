// The common part of both replays: the messages of the watches, and the range of time.
import type { Setup } from '../../../app/setup/setup.ts';
import { recipientsIn } from '../../../config/routing/recipients.ts';
import { type Instant, showInstant } from '../../../lib/clock.ts';
import type { Watch } from '../../../core/model/watch/watch.ts';
import { replay, messagesOf, type ReplayedPoll, type ReplayedMessage } from '../../../replay/run.ts';
import type { ReportRange } from '../../../replay/report.ts';
import { CommandError, EXIT } from '../../exit.ts';
import { instantOf } from '../../times.ts';
import type { Terminal } from '../../terminal.ts';

export interface TimeRangeOptions {
  readonly since?: string;
  readonly until?: string;
}

/** All messages that the watches would have sent over their polls. */
export async function replayAll(
  terminal: Terminal,
  { config, watches }: Pick<Setup, 'config' | 'watches'>,
  pollsOf: (watch: Watch) => Iterable<ReplayedPoll>,
): Promise<ReplayedMessage[]> {
  const recipientsOf = recipientsIn(config);
  const messages: ReplayedMessage[] = [];
  const failed = new Set<string>();
  for (const watch of watches) {
    const error = (): void => {
      if (!failed.has(watch.name))
        terminal.err(`${watch.name}: the rules failed on its polls, as they would in the daemon\n`);
      failed.add(watch.name);
    };
    for await (const replayed of replay(watch, pollsOf(watch), { error }))
      messages.push(...messagesOf(replayed, recipientsOf));
  }
  return messages;
}

/**
 * The range of time to show, within `whole`. `24h` is 24 hours before the end of `whole`; other texts are RFC 3339
 * times.
 */
export function rangeOf({ since, until }: TimeRangeOptions, whole: ReportRange): ReportRange {
  const at = (text: string | undefined, otherwise: Instant): Instant =>
    text === undefined ? otherwise : instantOf(text, whole.until);
  const range = {
    from: Math.max(at(since, whole.from), whole.from),
    until: Math.min(at(until, whole.until), whole.until),
  };
  if (range.from <= range.until) return range;
  throw new CommandError(
    EXIT.usage,
    `there is nothing between ${showInstant(at(since, whole.from))} and ${showInstant(at(until, whole.until))}: ` +
      `the known polls are from ${showInstant(whole.from)} to ${showInstant(whole.until)}`,
  );
}
