/**
 * Empty while there are no more places than the bound allows; otherwise their number and all of them, so that
 * `expect(above(bound, places)).toEqual([])` fails with a list. A bound is lowered when places disappear, never raised.
 */
export function above(bound: number, places: readonly string[]): readonly string[] {
  if (places.length <= bound) return [];
  return [`${places.length} places, allowed: ${bound}`, ...places];
}
