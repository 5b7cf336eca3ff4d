import type { Log, LogFields } from '../../src/telemetry/log.ts';

export interface RecordingLog extends Log {
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
  return { lines, fields, forget, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
