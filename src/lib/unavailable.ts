/** A part that is needed does not answer; it may later. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
}
