/** A control call that is impossible. The message names the reason, and what to do. */
export class ControlProblem extends Error {
  override readonly name = 'ControlProblem';
}
