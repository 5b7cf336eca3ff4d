import { createRedactor } from '../../src/lib/redact.ts';
import type { LogFields } from '../../src/telemetry/log.ts';
import type { SafeLog } from '../../src/telemetry/logger.ts';

export interface RecordingLog extends SafeLog {
  /** `warn explorer:no-answer` */
  readonly lines: readonly string[];
  readonly fields: readonly LogFields[];
  /** What was said so far. */
  forget(): void;
}

export function createRecordingLog(): RecordingLog {
  const lines: string[] = [];
  const fields: LogFields[] = [];
  const at =
    (level: string) =>
    (event: string, of: LogFields = {}): void => {
      lines.push(`${level} ${event}`);
      fields.push(of);
    };
  const forget = (): void => {
    lines.length = 0;
    fields.length = 0;
  };
  const { redact, add: addSecrets } = createRedactor();
  const levels = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { lines, fields, forget, ...levels, redact, addSecrets };
}
