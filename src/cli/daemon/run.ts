import type { RecordingSettings } from '../../config/model.ts';
import { openRecorder, type Recorder } from '../../recording/recorder.ts';
import { runDaemon, type DaemonOptions, type RecorderTools } from './daemon.ts';
import { loadToRun } from '../load.ts';
import type { Terminal } from '../terminal.ts';

/** Runs the daemon until a signal; with `dry`, without sending. */
export async function run(terminal: Terminal, options: DaemonOptions): Promise<number> {
  const loaded = loadToRun(terminal, options.config);
  const { recording, rules } = loaded.setup.config;
  return runDaemon(terminal, options, {
    ...loaded,
    forMs: null,
    hint: hintFor(rules, options),
    // A dry run stores nothing.
    openRecorder: (tools) => (recording === null || options.dry ? null : openOrGoOn(recording, tools)),
  });
}

/** A recording that cannot be opened must not stop the daemon. */
function openOrGoOn(settings: RecordingSettings, tools: RecorderTools): Recorder | null {
  try {
    return openRecorder({ ...settings, ...tools });
  } catch (error) {
    tools.onFailed();
    tools.log.error('recording:failed', { error, effect: 'the daemon runs without a recording' });
    return null;
  }
}

function hintFor(rules: readonly string[], { dry }: DaemonOptions): string {
  return `${dry ? 'dry run: nothing is sent; ' : ''}a change of ${rules.join(', ')} takes effect when it is saved`;
}
