import type { RecordingSettings } from '../config/config.ts';
import { openRecorder, type Recorder, type RecorderOptions } from '../recording/recorder.ts';
import { live, type DaemonOptions } from './daemon.ts';
import { createRuleCache } from '../rules/cache.ts';
import { loadOrFail } from './load.ts';
import type { Terminal } from './terminal.ts';

export type RunOptions = DaemonOptions;

/** Runs the daemon. */
export async function run(terminal: Terminal, options: RunOptions): Promise<number> {
  const cache = createRuleCache();
  const setup = loadOrFail({ ...terminal, cache }, options.config);
  const { recording, rules } = setup.config;
  return live(terminal, options, {
    setup,
    cache,
    forMs: null,
    hint: hintFor(rules, options),
    openRecorder({ log, metrics }) {
      const { clock } = terminal;
      const onFailed = (): void => {
        metrics.recordingFailed();
      };
      // A dry run leaves nothing behind.
      return recording === null || options.dry ? null : openOrGoOn(recording, { clock, log, onFailed });
    },
  });
}

/** A recording that cannot be opened must not keep the daemon from its work. */
function openOrGoOn(
  settings: RecordingSettings,
  tools: Pick<RecorderOptions, 'clock' | 'log'> & { readonly onFailed: () => void },
): Recorder | null {
  try {
    return openRecorder({ ...settings, ...tools });
  } catch (error) {
    tools.onFailed();
    tools.log.error('recording:failed', { error, effect: 'the daemon runs without a recording' });
    return null;
  }
}

function hintFor(rules: readonly string[], { dry }: RunOptions): string {
  return `${dry ? 'dry run: nothing is sent; ' : ''}edit ${rules.join(', ')}: a change takes effect when it is saved`;
}
