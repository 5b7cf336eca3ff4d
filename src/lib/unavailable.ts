/** A needed part does not answer; it may answer later. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}
