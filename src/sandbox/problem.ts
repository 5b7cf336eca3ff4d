/** A control call that cannot be carried out. The message says why, and what to do. */
export class ControlProblem extends Error {
  override readonly name = 'ControlProblem';
}
