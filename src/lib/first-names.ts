/** `firstNames(['treasury', 'payroll', 'vault'], 2) // 'treasury, payroll and 1 more'` */
export function firstNames(names: readonly string[], most: number): string {
  const first = names.slice(0, most).join(', ');
  return names.length > most ? `${first} and ${names.length - most} more` : first;
}
