/** For people: whole from ten on. `countOf(1234.5) // '1,235'` */
export function countOf(value: number): string {
  const rounded = value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
  return String(rounded).replace(/\B(?=(\d{3})+$)/g, ',');
}
