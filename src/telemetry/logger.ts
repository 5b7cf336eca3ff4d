import { pino } from 'pino';
import { showInstant, type Clock } from '../lib/clock.ts';
import type { Log, LogFields } from './log.ts';
import { toLoggable, type Loggable } from './loggable.ts';
import { createRedactor } from '../lib/redact.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogOptions {
  readonly level: LogLevel;
  /** `json`: an object per line, for collectors. `text`: a line that a person reads on a terminal. */
  readonly format: 'json' | 'text';
  readonly clock: Clock;
  /**
   * Writes one line, which ends with a line feed. The logger ignores errors that it throws: a full disk must not stop a
   * poll.
   */
  readonly write: (line: string) => void;
  /** These secrets are redacted in every line, in any encoding. */
  readonly secrets?: readonly string[];
  /** Called with the number of lines that `write` refused. */
  readonly onDropped?: (lines: number) => void;
}

/** A log that never throws and never writes a secret. */
export interface SafeLog extends Log {
  /** Adds the secrets of a reload. Earlier secrets stay. */
  addSecrets(secrets: readonly string[]): void;
  /** Redacts text that is stored or shown elsewhere. */
  readonly redact: (text: string) => string;
}

export function createLog({ level, format, clock, write, secrets, onDropped }: LogOptions): SafeLog {
  const redactor = createRedactor(secrets);
  const show = format === 'json' ? toAscii : toReadable;

  function writeLine(line: string): void {
    try {
      write(`${show(line.trimEnd())}\n`);
    } catch {
      onDropped?.(1);
    }
  }

  const logger = pino(
    {
      level,
      base: null,
      depthLimit: 10,
      timestamp: () => `,"time":"${showInstant(clock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'event',
      // pino would treat a field named `err` as an error object, but here all fields are plain data.
      serializers: { err: (value: unknown) => value },
    },
    { write: writeLine },
  );

  function emit(at: LogLevel, event: string, fields: LogFields = {}): void {
    if (!logger.isLevelEnabled(at)) return;
    try {
      const shown = toLoggable(fields, { redact: redactor.redact, stacks: at === 'error' });
      logger[at]({ event: redactor.redact(event), ...withoutReserved(shown) });
    } catch {
      onDropped?.(1);
    }
  }

  return {
    debug: (event, fields) => {
      emit('debug', event, fields);
    },
    info: (event, fields) => {
      emit('info', event, fields);
    },
    warn: (event, fields) => {
      emit('warn', event, fields);
    },
    error: (event, fields) => {
      emit('error', event, fields);
    },
    addSecrets: redactor.add,
    redact: redactor.redact,
  };
}

const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'event']);

/** A field with the name of one of the line's own fields would appear twice, so it gets another name. */
function withoutReserved(fields: Loggable): Record<string, Loggable> {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return { fields };
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [RESERVED.has(name) ? `${name}_` : name, value]),
  );
}

/**
 * JSON escapes the control characters before the space. Here all other characters but printable ASCII are escaped, for
 * terminals that show the raw line.
 */
function toAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

interface Line {
  readonly level: string;
  readonly time: string;
  readonly event: string;
  readonly [field: string]: Loggable;
}

/** `{"level":"info","time":"2026-01-01T12:00:03Z","event":"delivery:sent","channel":"ops"}` as a line for people. */
function toReadable(json: string): string {
  const { level, time, event, problems = null, ...fields } = JSON.parse(json) as Line;
  const head = `${time.slice(11, 19)} ${level.padEnd(5)} ${event}`;
  const line = [head, ...Object.entries(fields).map(([name, value]) => `${name}=${readable(value)}`)].join(' ');
  // The problems of a file stand below each other, as `check` prints them.
  const below = typeof problems === 'string' ? ['', ...problems.split('\n'), ''] : [];
  return [line, ...below].map(withoutUnsafe).join('\n');
}

function withoutUnsafe(line: string): string {
  return line.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

function readable(value: Loggable): string {
  if (typeof value === 'string') return BARE.test(value) ? value : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return isPlainError(value) ? JSON.stringify(sayError(value)) : JSON.stringify(value);
}

const BARE = /^[^\s"'=\\{}[\]]+$/;
// All characters but letters, digits, punctuation, symbols and the plain space: controls, marks that join or reverse
// the text beside them, and letters that are blank.
const UNSAFE = /[^\p{L}\p{N}\p{P}\p{S} ]|[\u115f\u1160\u3164\uffa0]/gu;

type PlainError = Record<string, Loggable> & { readonly message: string };

function isPlainError(value: Loggable): value is PlainError {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value['message'] === 'string';
}

/** The messages of an error and of its causes, then the stack if there is one. */
function sayError({
  message,
  type = null,
  code = null,
  cause = null,
  errors = null,
  stack = null,
}: PlainError): string {
  const inner = [cause, ...(Array.isArray(errors) ? errors : [])].filter(isPlainError).map(sayError);
  const frames = Array.isArray(stack) ? stack.filter((frame) => typeof frame === 'string') : [];
  const own = [message, code, type].find((text): text is string => typeof text === 'string' && text !== '') ?? 'error';
  return [[own, ...inner].join(': '), ...frames].join(' ');
}
