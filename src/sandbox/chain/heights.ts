/** Heights from `from` down to `to`, or to genesis. */
export function* downFrom(from: number, to = 0): Iterable<number> {
  for (let height = from; height >= Math.max(0, to); height--) yield height;
}
