/** A control call that cannot be done. The message says why and what would do. */
export class ControlProblem extends Error {
  override readonly name = 'ControlProblem';
}
