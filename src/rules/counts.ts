/** Formats a number for people. From ten on it is rounded to a whole number: `countOf(1234.5) // '1,235'`. */
export function countOf(value: number): string {
  const rounded = value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
  return String(rounded).replace(/\B(?=(\d{3})+$)/g, ',');
}
