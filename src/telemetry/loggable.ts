export type Loggable = null | boolean | number | string | Loggable[] | { [name: string]: Loggable };

// Limits: a hostile or circular value must cost no more than a long line.
const MOST_CHARACTERS = 8192;
const MOST_PER_TEXT = 2048;
const MOST_ITEMS = 50;
const MOST_DEPTH = 6;
const MOST_FRAMES = 8;
// Texts are redacted before they are cut, since a secret that the cut divides would not be found. Text beyond this
// length is not searched, and never logged.
const MOST_SEARCHED = 65_536;

export interface LoggableOptions {
  readonly redact: (text: string) => string;
  /** Only unexpected errors are logged with a stack. */
  readonly stacks: boolean;
}

/**
 * Fields as plain data: bounded, without secrets, cycles, accessors that throw or types that JSON does not have.
 *
 * toLoggable({ height: 7n, error: new Error('gone') }, options) // { height: '7', error: { message: 'gone', … } }
 */
export function toLoggable(fields: unknown, { redact, stacks }: LoggableOptions): Loggable {
  const above = new Set<object>();
  let left = MOST_CHARACTERS;

  function text(value: string): string {
    const clean = redact(value.slice(0, MOST_SEARCHED));
    const most = Math.min(MOST_PER_TEXT, Math.max(left, 0));
    const kept = clean.length <= most ? clean : `${clean.slice(0, most)}…`;
    left -= kept.length + 1;
    return kept;
  }

  function any(value: unknown): Loggable {
    switch (typeof value) {
      case 'string':
        return text(value);
      case 'boolean':
        return value;
      case 'number':
        return number(value);
      case 'bigint':
        return text(value.toString());
      case 'object':
        return value === null ? null : nested(value);
      default:
        return `[${typeof value}]`;
    }
  }

  // A secret that consists of digits may have become a number, so numbers are redacted too.
  function number(value: number): Loggable {
    const shown = String(value);
    return Number.isFinite(value) && redact(shown) === shown ? value : text(shown);
  }

  function nested(value: object): Loggable {
    if (above.has(value)) return '[circular]';
    if (above.size >= MOST_DEPTH) return '[deep]';
    above.add(value);
    try {
      return object(value);
    } catch {
      return '[unreadable]';
    } finally {
      above.delete(value);
    }
  }

  function object(value: object): Loggable {
    if (isError(value)) return entries(errorEntries(value, stacks));
    if (value instanceof Map) return entries([...value].map(([key, item]) => [String(key), item]));
    if (value instanceof Set) return list([...value]);
    if (Array.isArray(value)) return list(value);
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return any((value.toJSON as () => unknown).call(value));
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    return entries(Object.entries(value));
  }

  function list(items: readonly unknown[]): Loggable[] {
    const shown = items.slice(0, MOST_ITEMS).map(any);
    return items.length > MOST_ITEMS ? [...shown, `… ${items.length - MOST_ITEMS} more`] : shown;
  }

  function entries(pairs: readonly (readonly [string, unknown])[]): Record<string, Loggable> {
    const shown: Record<string, Loggable> = Object.create(null) as Record<string, Loggable>;
    for (const [name, value] of pairs.slice(0, MOST_ITEMS)) {
      if (value === undefined) continue;
      if (left <= 0) {
        shown['…'] = 'cut';
        break;
      }
      shown[text(name)] = any(value);
    }
    return shown;
  }

  return any(fields);
}

// An error of another realm, as in tests, is no instance of this realm's Error.
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/**
 * Name, message and code; the cause and the errors inside. Other properties (a request, options) may contain anything,
 * so they are left out.
 */
function errorEntries(error: Error, stacks: boolean): [string, unknown][] {
  return [
    ['type', error.name],
    ['message', error.message],
    ['code', 'code' in error ? error.code : undefined],
    ['stack', stacks ? framesOf(error) : undefined],
    ['cause', error.cause],
    ['errors', 'errors' in error ? error.errors : undefined],
  ];
}

function framesOf(error: Error): string[] | undefined {
  return error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, MOST_FRAMES)
    .map((line) => line.trim());
}
