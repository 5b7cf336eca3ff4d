// Pauses a watch, or all watches of a rule, and ends such pauses, through the API of the daemon.
import { singleLine } from '../../lib/untrusted.ts';
import { endPause, pause as pauseAction } from '../../operators/pauses.ts';
import { createClient } from './client.ts';
import { momentOf, type DaemonAddress } from './daemon-place.ts';
import { showTime, showUntil, untilOf, type UntilOptions } from '../times.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface PauseOptions extends DaemonAddress, UntilOptions {
  readonly comment: string;
}

/** Stops the polls of a watch, or of all watches of a rule, for a while. */
export async function pause(terminal: Terminal, watch: string, options: PauseOptions): Promise<number> {
  const moment = momentOf(terminal, options);
  const until = untilOf(options, moment);
  if (until === null)
    throw new CommandError(EXIT.usage, 'Write a duration: --for 2h, or an end: --until 18:00. At most 30 days.');
  const body = { until: new Date(until).toISOString(), comment: options.comment };
  const paused = await createClient(terminal, options).act(pauseAction, { name: watch }, body);
  terminal.out(`${singleLine(paused.watch)}: paused until ${showUntil(Date.parse(paused.until), moment)}.`);
  terminal.out(
    'The watch is not polled: its alerts neither fire nor resolve, and events during the pause are not reported.',
  );
  terminal.out(`End it sooner with: chainwarden resume '${singleLine(paused.watch)}'`);
  return EXIT.ok;
}

/** Ends a pause. */
export async function resume(terminal: Terminal, watch: string, options: DaemonAddress): Promise<number> {
  const ended = await createClient(terminal, options).act(endPause, { name: watch }, {});
  const since = showTime(Date.parse(ended.from), momentOf(terminal, options));
  terminal.out(`${singleLine(ended.watch)}: polled again, after a pause since ${since}.`);
  return EXIT.ok;
}
