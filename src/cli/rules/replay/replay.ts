// Runs rules over the past: a recording, or data that an explorer still has. It opens no channel and no state file, so
// it sends and stores nothing.
import type { Setup } from '../../../app/setup/setup.ts';
import type { Watch } from '../../../core/model/watch/watch.ts';
import { showInstant } from '../../../lib/clock.ts';
import { openRecording, type Recording } from '../../../recording/reader.ts';
import { recordedPolls } from '../../../replay/recorded.ts';
import { replayReportOf, type ReplayReport } from '../../../replay/report.ts';
import { CommandError, EXIT } from '../../exit.ts';
import { loadOrFail, type ConfigOption } from '../../load.ts';
import { replayHistory, type ReplayHistoryOptions } from './history.ts';
import { count, storyAsJson, storyAsText } from './print.ts';
import { rangeOf, replayAll } from './messages.ts';
import type { Terminal } from '../../terminal.ts';

export interface ReplayOptions extends ConfigOption, ReplayHistoryOptions {
  readonly recording?: string;
  readonly format: 'text' | 'json';
}

/** Prints the messages that the rules would have sent. Without a recording it first prints the cost of the requests. */
export async function replay(
  terminal: Terminal,
  ruleFiles: readonly string[],
  options: ReplayOptions,
): Promise<number> {
  const setup = loadOrFail(terminal, options.config, EXIT.config, ruleFiles);
  const story = await replayFrom(terminal, setup, options);
  if (story === null) return EXIT.problems;
  if (options.format === 'json') terminal.out(storyAsJson(story));
  else for (const line of storyAsText(story)) terminal.out(line);
  return EXIT.ok;
}

async function replayFrom(terminal: Terminal, setup: Setup, options: ReplayOptions): Promise<ReplayReport | null> {
  if (options.recording === undefined) return replayHistory(terminal, setup, options);
  using recording = openRecording(options.recording);
  return await replayRecorded(terminal, setup, recording, options);
}

async function replayRecorded(
  terminal: Terminal,
  setup: Setup,
  recording: Recording,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const span = recording.span();
  if (span === null) throw new CommandError(EXIT.problems, `${options.recording ?? ''} holds no poll yet.`);
  const range = rangeOf(options, span);
  terminal.err(
    `${showInstant(span.from)} to ${showInstant(span.until)}: ` +
      `${count(span.polls, 'poll')} of ${count(span.watches, 'watch')}\n`,
  );
  const missing = new Map<string, Set<string>>();
  const onNotRecorded = ({ name }: Watch, path: string): void => {
    missing.set(name, (missing.get(name) ?? new Set()).add(path));
  };
  const messages = await replayAll(terminal, setup, (watch) => recordedPolls(watch, { recording, onNotRecorded }));
  for (const [name, paths] of missing) terminal.err(`${name}: not in the recording: ${listed([...paths])}\n`);
  return replayReportOf(setup.watches, messages, range);
}

const MOST_LISTED = 3;

function listed(paths: readonly string[]): string {
  const more = paths.length - MOST_LISTED;
  return paths.slice(0, MOST_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
