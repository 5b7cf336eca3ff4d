import { ExplorerSet } from '../app/runtime/explorers.ts';
import { secretsOf } from '../config/config.ts';
import type { Config } from '../config/model.ts';
import { createLog } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { Terminal } from './terminal.ts';
import { readVersion } from './version.ts';

/**
 * The explorers of the config for one command; the caller prepares and closes them. `onCredits` is called with the
 * remaining credits.
 */
export function openExplorers(
  terminal: Terminal,
  config: Config,
  onCredits: (credits: number) => void = () => undefined,
): ExplorerSet {
  const { clock } = terminal;
  const metrics = createMetrics({ clock });
  const write = (line: string): void => {
    terminal.err(line);
  };
  return new ExplorerSet({
    clock,
    log: createLog({ level: 'warn', format: 'text', clock, write, secrets: secretsOf(config) }),
    meter: {
      ...metrics,
      explorerHeaders(headers) {
        if (headers.credits !== null) onCredits(headers.credits);
        metrics.explorerHeaders(headers);
      },
    },
    userAgent: `chainwarden/${readVersion()}`,
    signal: new AbortController().signal,
  });
}
