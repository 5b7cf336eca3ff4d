/** Thrown if a needed part does not answer. It may answer later. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
  /** True if only the answer was lost: the part may have carried out the request. */
  readonly mayBeDone: boolean = false;
}

export function mayBeDone(error: unknown): boolean {
  return error instanceof UnavailableError && error.mayBeDone;
}
