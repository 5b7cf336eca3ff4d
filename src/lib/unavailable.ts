/** Thrown if a needed part does not answer. It may answer later. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}
