// An answer before it becomes bytes.

export type JsonRow = Readonly<Record<string, unknown>>;

export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Written as JSON. */
  readonly body: unknown;
}

/** An answer as it is sent: the body is text. */
export interface SandboxReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export function replyOf({ status, headers, body }: SandboxAnswer): SandboxReply {
  return { status, headers, text: JSON.stringify(body) };
}

export interface SandboxPage {
  readonly items: readonly JsonRow[];
  /** Null at the end. Clients send every key of it back as a query parameter. */
  readonly next_page_params: JsonRow | null;
  /** Set if rows may still be missing, for releases that report this. */
  readonly meta?: JsonRow;
}

export function isPage(body: unknown): body is SandboxPage {
  return isRow(body) && Array.isArray(body['items']);
}

export function isRow(value: unknown): value is JsonRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): SandboxAnswer {
  return { status, headers, body };
}

/** Specification 7: the single field `message`. */
export function notFound(): SandboxAnswer {
  return answer(404, { message: 'Not found' });
}

export interface Invalid {
  /** Name of the parameter. */
  readonly parameter: string;
  readonly detail: string;
}

/** Specification 7: every element has a title, a source with a pointer, and a detail. */
export function unprocessable(problems: readonly Invalid[]): SandboxAnswer {
  const errors = problems.map(({ parameter, detail }) => ({
    title: 'Invalid value',
    source: { pointer: `/${parameter}` },
    detail,
  }));
  return answer(422, { errors });
}

declare global {
  interface JSON {
    /** Every supported version of Node has this function; the compiler's type library does not have it yet. */
    rawJSON(text: string): unknown;
  }
}

/** An integer of any size as a JSON number: JavaScript's own numbers end at 2^53. */
export function rawInteger(value: bigint): unknown {
  return JSON.rawJSON(String(value));
}
