// Answers that fail in a named way: the faults, and the answers that they affect.
import * as z from 'zod';
import { OPERATIONS, type SandboxOperation } from '../operations.ts';
import { assertRoom } from '../overlay.ts';

/** Faults that replace the whole answer. */
export const STATUS_FAULTS = [
  'rate-limited',
  'server-error',
  'bad-gateway',
  'unavailable',
  'unauthorized',
  'blocked',
  'out-of-credits',
  'not-found',
  'unprocessable',
  'html',
  'redirect',
] as const;

/** Failures of the bytes on the wire. */
export const WIRE_FAULTS = ['truncated', 'cut', 'oversized', 'gzip-bomb', 'slow-headers', 'slow-body'] as const;

/** Right answers that are spoilt. They apply only to an answer with status 200. */
export const CONTENT_FAULTS = [
  'array',
  'null',
  'no-items',
  'duplicate-cursor-keys',
  'repeated-page',
  'ignored-cursor',
  'repeated-rows',
  'shuffled-rows',
  'stuck-cursor',
  'numbers-as-strings',
  'old-names',
  'nulls',
  'empty-list',
  'lost-implementations',
  'unknown-limits',
  'no-calls',
] as const;

export const FAULTS = [...STATUS_FAULTS, ...WIRE_FAULTS, ...CONTENT_FAULTS] as const;
export type FaultName = (typeof FAULTS)[number];
export type ContentFaultName = (typeof CONTENT_FAULTS)[number];
export type WireFaultName = (typeof WIRE_FAULTS)[number];

const MOST_TIMES = 1_000_000;
const LONGEST_MS = 3_600_000;
const LARGEST = 2 ** 31;

export const FaultOptions = z.strictObject({
  fault: z.enum(FAULTS),
  /** The number of answers that fail. */
  times: z.number().int().min(1).max(MOST_TIMES).default(1),
  /** Only answers of this operation. */
  operation: z.enum(OPERATIONS).optional(),
  /** Only answers to paths (after `/api/v2/`) that contain this text, in any case. */
  path: z.string().max(300).optional(),
  /** For `rate-limited`: a Retry-After header in seconds; left out = none. */
  retryAfter: z.union([z.number().int().min(0), z.string().max(100)]).optional(),
  /** For `rate-limited`: an x-ratelimit-reset header in milliseconds; left out = that of the limiter. */
  resetMs: z.number().int().min(-1).optional(),
  /** For `redirect`: the target. */
  location: z.string().max(2000).optional(),
  /** For `slow-headers` the wait, for `slow-body` the pause between two bytes. */
  ms: z.number().int().min(0).max(LONGEST_MS).optional(),
  /** For `oversized` and `gzip-bomb`: size of the body once it is unpacked. */
  bytes: z.number().int().min(0).max(LARGEST).optional(),
});

export type FaultOptions = z.input<typeof FaultOptions>;
export type SandboxFault = z.output<typeof FaultOptions>;

export interface FaultQueue {
  add(fault: SandboxFault): void;
  clear(): void;
  /** The number of failures to come. */
  readonly pending: number;
  /** Takes the first fault that applies to this answer. */
  take(struck: { operation: SandboxOperation; path: string; status: number }): SandboxFault | undefined;
}

export function createFaultQueue(): FaultQueue {
  let queue: { readonly fault: SandboxFault; left: number }[] = [];
  return {
    add(fault) {
      assertRoom(queue.length, 'faults waiting');
      queue.push({ fault, left: fault.times });
    },
    clear() {
      queue = [];
    },
    get pending() {
      return queue.reduce((sum, { left }) => sum + left, 0);
    },
    take(struck) {
      const entry = queue.find(({ fault }) => strikes(fault, struck));
      if (entry === undefined) return undefined;
      entry.left -= 1;
      if (entry.left === 0) queue = queue.filter((other) => other !== entry);
      return entry.fault;
    },
  };
}

function strikes(fault: SandboxFault, { operation, path, status }: Parameters<FaultQueue['take']>[0]): boolean {
  if (fault.operation !== undefined && fault.operation !== operation) return false;
  if (fault.path !== undefined && !path.toLowerCase().includes(fault.path.toLowerCase())) return false;
  return status === 200 || !isContentFault(fault.fault);
}

export function isContentFault(name: FaultName): name is ContentFaultName {
  return (CONTENT_FAULTS as readonly string[]).includes(name);
}

export function isWireFault(name: FaultName): name is WireFaultName {
  return (WIRE_FAULTS as readonly string[]).includes(name);
}
