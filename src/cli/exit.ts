import { OtherInstallationError, StorageError, StoreBusyError } from '../store/contract/store.ts';
import { WebError } from '../web/server.ts';

/** Exit codes for supervisors. The numbers from 64 on are those of sysexits(3). */
export const EXIT = {
  ok: 0,
  /**
   * `check` found problems, a test of rules failed, a sample of `notify test` was not accepted, or the daemon refused
   * the request.
   */
  problems: 1,
  usage: 64,
  /** No daemon answers, or the daemon cannot store anything. */
  unavailable: 69,
  /** A defect of chainwarden. */
  bug: 70,
  storage: 74,
  /** Another daemon uses the state file. */
  busy: 75,
  /** The config is wrong, or Node is too old. */
  config: 78,
} as const;

/** Ends a command, with a message for the person and an exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Null for an unexpected error, which is a defect. */
export function exitCodeOf(error: unknown): number | null {
  if (error instanceof CommandError) return error.code;
  if (error instanceof StoreBusyError) return EXIT.busy;
  if (error instanceof OtherInstallationError) return EXIT.config;
  if (error instanceof StorageError) return EXIT.storage;
  if (error instanceof WebError) return EXIT.config;
  return null;
}
